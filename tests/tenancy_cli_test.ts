// The command line of the development tenancy, against one that runs in this process.

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { startAdmin } from "../scripts/tenancy/admin_server.ts";
import { CommandFailed } from "../scripts/tenancy/cli/admin_client.ts";
import { writeConfig } from "../scripts/tenancy/cli/config_command.ts";
import { runTenancy } from "../scripts/tenancy/cli/main.ts";
import { isLabGone } from "../scripts/tenancy/cli/serve.ts";
import { COMMANDS } from "../scripts/tenancy/cli/usage.ts";
import { type Bench, ENV, withTenancy } from "../scripts/tenancy/test_agent.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...args: string[]): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runTenancy(args, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    stop: AbortSignal.abort(),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

/** Runs a test with a tenancy that commands find, and a folder with a bundle in it. */
async function withCli(
  test: (bench: Bench, cli: (...args: string[]) => Promise<Ran>, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  await Deno.mkdir(`${folder}/bundle`);
  await Deno.writeTextFile(`${folder}/bundle/docker-compose.yml`, "services: {}\n");
  try {
    await withTenancy(async (bench) => {
      const admin = await startAdmin(bench.tenancy, folder);
      try {
        await test(bench, (...args) => run(...args, "--dir", folder), folder);
      } finally {
        await admin.close();
      }
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("publish, desired, absent: what an environment should run", async () => {
  await withCli(async ({ tenancy }, cli, folder) => {
    assertStringIncludes((await cli("desired", "--env", ENV)).out, "nobody has said");
    const published = await cli("publish", `${folder}/bundle`, "--env", ENV, "--sign");
    assertEquals([published.code, published.err], [0, ""]);
    const [, sha = ""] = /([0-9a-f]{64})/.exec(published.out) ?? [];
    assertEquals(tenancy.desired(ENV), { state: "present", sha, serial: 1 });
    assertStringIncludes(published.out, "serial 1, 1 file, signed");
    assertStringIncludes((await cli("desired", "--env", ENV)).out, `${sha} (serial 1)`);
    assertEquals((await cli("absent", "--env", ENV)).code, 0);
    assertEquals((await cli("desired", "--env", ENV)).out, `${ENV} should run nothing`);
    assertEquals((await cli("desired", "--env", ENV, "--sha", sha)).code, 0);
    assertEquals(tenancy.desired(ENV).state, "present");
    const bare = await cli("publish", `${folder}/bundle`, "--env", ENV, "--serial", "none");
    assertStringIncludes(bare.out, "no serial, 1 file, unsigned");
    await Deno.writeTextFile(`${folder}/bundle/.env`, "");
    const refused = await cli("publish", `${folder}/bundle`, "--env", ENV);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.err, '".env": the agent writes .env itself');
    const missing = await cli("publish", `${folder}/none`, "--env", ENV);
    assertEquals(missing.code, 1);
    assertStringIncludes(missing.err, "cannot be published");
  });
});

Deno.test("grant and retire: the kit is a private file, and supersedes the one before", async () => {
  await withCli(async ({ lookup, send }, cli, folder) => {
    const file = `${folder}/bootstrap.jwt`;
    await Deno.writeTextFile(file, "old", { mode: 0o644 });
    assertEquals((await cli("grant", "--env", ENV, "--out", file)).code, 0);
    assertEquals(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
    const grant = (await Deno.readTextFile(file)).trim();
    const claims = JSON.parse(
      atob(grant.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? ""),
    );
    assertEquals(claims.sub, `agent:${ENV}`);
    await cli("absent", "--env", ENV);
    assertEquals((await send("checkin")).status, 401, "the kit before is superseded");
    const token = lookup.mint(ENV, claims.jti);
    assertEquals((await send("checkin", { token })).status, 200);
    assertEquals((await cli("retire", "--env", ENV)).code, 0);
    assertEquals((await send("checkin", { token: lookup.mint(ENV, claims.jti) })).status, 401);
    const nowhere = await cli("grant", "--env", ENV, "--out", `${folder}/no/such/file`);
    assertEquals(nowhere.code, 1);
    assertStringIncludes(nowhere.err, "cannot be written");
  });
});

Deno.test("fault and record: what goes wrong, and what agents sent", async () => {
  await withCli(async ({ tenancy, token, send }, cli) => {
    assertEquals((await cli("record")).out, "no agent has sent anything");
    const args = ["--env", ENV, "--call", "lease", "--kind", "status", "--status", "503"];
    assertEquals((await cli("fault", ...args, "--times", "1")).code, 0);
    assertStringIncludes((await cli("fault", "--list")).out, '"status":503');
    assertEquals((await send("lease")).status, 503);
    assertEquals((await cli("fault", "--list")).out, "no fault is armed");
    await cli("fault", "--kind", "reset");
    assertEquals((await cli("fault", "--clear")).out, "1 fault cleared");
    assertEquals((await cli("fault", "--kind", "nonsense")).code, 1);
    await send("report");
    await send("report", { json: { env_id: 7 } });
    const { out } = await cli("record", "--env", ENV);
    for (
      const part of [
        "fault status",
        "failed UNHEALTHY",
        "health 9000 ms FAILED",
        "DB_PASSWORD v2",
        "violations (1)",
      ]
    ) assertStringIncludes(out, part);
    const all = JSON.parse((await cli("record", "--json")).out);
    assertEquals(all.requests.length, tenancy.record.requests.length);
    assert(!JSON.stringify(all).includes(token), "a token is in the record");
  });
});

Deno.test("admin calls ask for the token of the private file", async () => {
  await withCli(async ({ tenancy }, cli, folder) => {
    assertEquals(((await Deno.stat(`${folder}/admin.json`)).mode ?? 0) & 0o777, 0o600);
    const info = JSON.parse(await Deno.readTextFile(`${folder}/admin.json`));
    const other = { ...info, adminToken: "guess" };
    await Deno.writeTextFile(`${folder}/admin.json`, JSON.stringify(other));
    const refused = await cli("absent", "--env", ENV);
    assertEquals([refused.code, tenancy.desired(ENV).state], [1, "unset"]);
    assertStringIncludes(refused.err, "runs no longer");
  });
});

Deno.test("help and mistakes: every command explains itself", async () => {
  for (const name of Object.keys(COMMANDS)) {
    const help = await run(name, "--help");
    assertEquals(help.code, 0);
    assertMatch(help.out, new RegExp(`Usage: deno task tenancy ${name}`));
    const wrong = await run(name, "--nonsense");
    assertEquals(wrong.code, 64, name);
    assertStringIncludes(wrong.err, "--nonsense");
  }
  assertEquals((await run("--help")).code, 0);
  assertEquals((await run()).code, 64);
  assertEquals((await run("nonsense")).code, 64);
  assertStringIncludes((await run("grant", "--env", ENV)).err, "--out is missing");
  assertEquals(
    (await run("publish", "a", "--env", ENV, "--serial", "x", "--dir", "/none")).code,
    1,
  );
});

Deno.test("config overwrites no file that somebody has changed, unless forced", async () => {
  const path = await Deno.makeTempFile();
  try {
    await Deno.remove(path);
    for (let round = 0; round < 2; round++) await writeConfig(path, "a: 1\n", { force: false });
    await Deno.writeTextFile(path, "a: 1\nmine: 2\n");
    const refused = () => writeConfig(path, "a: 1\n", { force: false });
    assertStringIncludes((await assertRejects(refused, CommandFailed)).message, "--force");
    assertEquals(await Deno.readTextFile(path), "a: 1\nmine: 2\n");
    await writeConfig(path, "a: 1\n", { force: true });
    assertEquals(await Deno.readTextFile(path), "a: 1\n");
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("a tenancy ends when the lab that it stands on is gone, or is another one", async () => {
  const dir = await Deno.makeTempDir();
  const put = (startedAt: string): Promise<void> =>
    Deno.writeTextFile(`${dir}/lab.json`, JSON.stringify({ format: 1, startedAt }));
  const lab = { dir, startedAt: "1" };
  try {
    await put("1");
    const stop = AbortSignal.timeout(60);
    assertEquals(await isLabGone(lab, { stop, everyMs: 5 }), false);
    const still = AbortSignal.timeout(60_000);
    const ended = isLabGone(lab, { stop: still, everyMs: 5 });
    await put("2");
    assertEquals(await ended, true);
    await Deno.remove(`${dir}/lab.json`);
    assertEquals(await isLabGone(lab, { stop: still, everyMs: 5 }), true);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("without a tenancy every command says how to start one", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const never = await run("absent", "--env", ENV, "--dir", dir);
    assertEquals(never.code, 1);
    assertStringIncludes(never.err, "deno task tenancy serve");
    // A file that a tenancy left behind: its port belongs to nobody, or to somebody else.
    const left = JSON.stringify({ adminPort: 1, adminToken: "x", port: 1 });
    await Deno.writeTextFile(`${dir}/admin.json`, left);
    const gone = await run("absent", "--env", ENV, "--dir", dir);
    assertEquals(gone.code, 1);
    assertStringIncludes(gone.err, "runs no longer");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
