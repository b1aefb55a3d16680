/** The lab itself, on its real parts: what the other tests stand on. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import {
  auditMark,
  auditSince,
  BaoClient,
  configureRole,
  countRequests,
  deleteVersion,
  destroyVersion,
  down,
  ensureLab,
  importImage,
  type LabInfo,
  listAccessors,
  mintGrant,
  pushImage,
  putSecret,
  readLab,
  removeImage,
  removeQuota,
  seal,
  setQuota,
  startBao,
  startBaoCluster,
  unseal,
  up,
} from "../../scripts/lab/mod.ts";
import { isRunning, run, runChecked, stopProcess } from "../../scripts/lab/process.ts";
import { waitFor } from "../../scripts/lab/wait.ts";

const quiet = (): void => {};
const { lab } = await ensureLab();

/** A name that no other test, nor an earlier run, has used. */
function fresh(prefix: string): string {
  return `${prefix}-${crypto.randomUUID().slice(0, 8)}`;
}

async function compose(
  folder: string,
  args: string[],
  login = false,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return await run([lab.compose.plugin, "--ansi", "never", ...args], {
    cwd: folder,
    timeoutMs: 300_000,
    env: {
      DOCKER_HOST: lab.docker.host,
      DOCKER_CONFIG: login ? lab.registry.dockerConfigDir : "/nonexistent",
    },
  });
}

async function login(
  target: Pick<LabInfo, "bao">,
  envId: string,
): Promise<{ client: BaoClient; token: string }> {
  const client = await BaoClient.open(target.bao);
  const jwt = await mintGrant(lab, envId);
  const body = await client.call("POST", "auth/jwt-tenancy/login", {
    body: { role: "see-env", jwt },
  });
  return { client, token: body.auth?.client_token ?? "" };
}

Deno.test("lab: a second up leaves a healthy lab alone", async () => {
  const again = await ensureLab(quiet);
  assertEquals(again.started, false);
  assertEquals(again.lab, lab);
  const { mode } = await Deno.stat(`${lab.dir}/lab.json`);
  assertEquals((mode ?? 0) & 0o777, 0o600);
});

Deno.test("lab: compose runs services on a bridge, and a port published on loopback answers", async () => {
  const [project, folder] = [fresh("lab"), await Deno.makeTempDir()];
  const image = `lab/${project}:1`;
  const cmd = ["httpd", "-f", "-p", "8080", "-h", "/www"];
  await importImage(lab, image, { cmd, files: { "www/index.html": "hello from the lab" } });
  const services = {
    // Some free port of loopback: one that was looked for before may be somebody else's by now.
    web: { image, ports: ["127.0.0.1::8080"] },
    probe: { image, command: ["wget", "-qO-", "http://web:8080/"], depends_on: ["web"] },
  };
  await Deno.writeTextFile(`${folder}/docker-compose.yml`, JSON.stringify({ services }));
  try {
    const started = await compose(folder, ["-p", project, "up", "-d", "web"]);
    assertEquals(started.code, 0, started.stderr);
    const published = (await compose(folder, ["-p", project, "port", "web", "8080"])).stdout.trim();
    assertMatch(published, /^127\.0\.0\.1:\d+$/);
    const page = await waitFor("the page", 60_000, async () => {
      const response = await fetch(`http://${published}/`, { signal: AbortSignal.timeout(10_000) });
      return await response.text();
    });
    assertEquals(page, "hello from the lab");
    const probe = await compose(folder, ["-p", project, "run", "--rm", "-T", "probe"]);
    assertEquals(probe.stdout, "hello from the lab", probe.stderr);
  } finally {
    await compose(folder, ["-p", project, "down", "-t", "0"]);
    await removeImage(lab, image);
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("lab: the registry gives an image to its account only", async () => {
  const [project, folder] = [fresh("lab"), await Deno.makeTempDir()];
  const reference = await pushImage(lab, lab.image, `lab/${project}:1`);
  await removeImage(lab, reference);
  const services = { a: { image: reference } };
  await Deno.writeTextFile(`${folder}/docker-compose.yml`, JSON.stringify({ services }));
  try {
    const refused = await compose(folder, ["-p", project, "pull"]);
    // A failed pull is 18 with older composes; newer ones say 1 for every failure.
    assert([1, 18].includes(refused.code), `${refused.code}: ${refused.stderr}`);
    assertStringIncludes(refused.stderr, "no basic auth credentials");
    const pulled = await compose(folder, ["-p", project, "pull"], true);
    assertEquals(pulled.code, 0, pulled.stderr);
    await removeImage(lab, reference);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("lab: a grant logs in and reads the secrets of its own env only", async () => {
  const [mine, other] = [fresh("env-lab"), fresh("env-lab")];
  assertEquals(await putSecret(lab, mine, "sub/key", { value: "one" }), 1);
  assertEquals(await putSecret(lab, mine, "sub/key", { value: "two" }), 2);
  await putSecret(lab, other, "sub/key", { value: "not yours" });
  const { client, token } = await login(lab, mine);
  using _ = client;
  const path = `monky/data/${mine}/see/sub/key`;
  const latest = await client.call("GET", path, { token });
  assertEquals(latest.data?.["data"], { value: "two" });
  const pinned = await client.call("GET", `${path}?version=1`, { token });
  assertEquals(pinned.data?.["data"], { value: "one" });
  const foreign = await client.request("GET", `monky/data/${other}/see/sub/key`, { token });
  assertEquals(foreign.status, 403);
  await deleteVersion(lab, mine, "sub/key", 2);
  await destroyVersion(lab, mine, "sub/key", 1);
  const gone = [await client.request("GET", path, { token })];
  gone.push(await client.request("GET", `${path}?version=1`, { token }));
  assertEquals(gone.map(({ status }) => status), [404, 404]);
  // By its own accessor: other tests log in and out of the same server meanwhile.
  const self = await client.call("GET", "auth/token/lookup-self", { token });
  const accessor = String(self.data?.["accessor"]);
  assert((await listAccessors(lab)).includes(accessor), "the accessors do not have the token's");
  await client.call("POST", "auth/token/revoke-self", { token });
  assert(!(await listAccessors(lab)).includes(accessor), "the accessors still have the token's");
});

Deno.test("lab: tenancy's token looks a token up and tells a bad one from its own", async () => {
  const { client, token } = await login(lab, "env-lab-lookup");
  using _ = client;
  const own = { token: lab.bao.tenancyToken };
  const found = await client.call("POST", "auth/token/lookup", { ...own, body: { token } });
  assertEquals((found.data?.["meta"] as Record<string, string>)["env_id"], "env-lab-lookup");
  const bad = await client.request("POST", "auth/token/lookup", {
    ...own,
    body: { token: "s.unknown" },
  });
  assertEquals([bad.status, bad.body.errors], [403, ["bad token"]]);
});

Deno.test("lab: the audit log counts requests and holds neither token nor value", async () => {
  const envId = fresh("env-lab");
  const value = fresh("canary");
  await putSecret(lab, envId, "key", { value });
  const mark = await auditMark(lab);
  const { client, token } = await login(lab, envId);
  using _ = client;
  for (let count = 0; count < 3; count++) {
    await client.call("GET", `monky/data/${envId}/see/key`, { token });
  }
  assertEquals(await countRequests(lab, mark, `monky/data/${envId}/`), 3);
  const entries = await auditSince(lab, mark);
  assert(entries.some(({ displayName }) => displayName === `jwt-tenancy-agent:${envId}`));
  const log = await Deno.readTextFile(lab.bao.auditLog);
  assert(!log.includes(value) && !log.includes(token));
});

Deno.test("lab: a separate OpenBao is sealed, limited and restarted without touching the lab's", async () => {
  const bao = await startBao({ lab, dir: await Deno.makeTempDir() });
  try {
    await putSecret(bao, "env-a", "key", { value: "kept" });
    await configureRole(bao, { token_ttl: "77s", token_max_ttl: "99s" });
    const { client, token } = await login(bao, "env-a");
    using _ = client;
    const read = async (): Promise<number> =>
      (await client.request("GET", "monky/data/env-a/see/key", { token })).status;
    const self = await client.call("GET", "auth/token/lookup-self", { token });
    assertEquals(self.data?.["creation_ttl"], 77);
    await seal(bao);
    assertEquals(await read(), 503);
    assertEquals((await ensureLab(quiet)).started, false);
    await unseal(bao);
    assertEquals(await read(), 200);
    const old = bao.process;
    await bao.restart();
    assertEquals([await isRunning(old), await isRunning(bao.process)], [false, true]);
    assertEquals(await read(), 200);
    await setQuota(bao, { name: "q", path: "monky/", rate: 1, interval: "60s" });
    assertEquals([await read(), await read()], [200, 429]);
    await removeQuota(bao, "q");
    assertEquals(await read(), 200);
  } finally {
    await bao.stop();
  }
  assertEquals(await isRunning(bao.process), false);
});

Deno.test("lab: of three OpenBao nodes the standbys serve logins and reads", async () => {
  const cluster = await startBaoCluster(3, { lab, dir: await Deno.makeTempDir() });
  try {
    await putSecret(cluster.leader, "env-a", "key", { value: "shared" });
    for (const standby of cluster.standbys) {
      const { client, token } = await login(standby, "env-a");
      using _ = client;
      const health = await client.request("GET", "sys/health");
      assertEquals(health.status, 429);
      // A standby may be a moment behind.
      await waitFor("the secret on a standby", 60_000, async () => {
        const reply = await client.request("GET", "monky/data/env-a/see/key", { token });
        return reply.status === 200 || null;
      });
    }
  } finally {
    await cluster.stop();
  }
});

Deno.test("lab: concurrent ups start one lab, a half-dead one is replaced, down leaves nothing", async () => {
  const dir = await Deno.makeTempDir({ prefix: "lab-" });
  await Deno.symlink(`${lab.dir}/cache`, `${dir}/cache`);
  try {
    const both = await Promise.all([up(quiet, dir), up(quiet, dir)]);
    assertEquals(both.map(({ started }) => started).sort(), [false, true]);
    const first = both[0].lab;
    await importImage(first, "lab/other:1");
    const services = { a: { image: "lab/other:1" } };
    await Deno.writeTextFile(`${dir}/docker-compose.yml`, JSON.stringify({ services }));
    await runChecked([first.compose.plugin, "-p", "other", "up", "-d"], {
      cwd: dir,
      env: { DOCKER_HOST: first.docker.host },
    });
    for (const process of first.processes) await stopProcess(process, 0);
    const replaced = await up(quiet, dir);
    assertEquals(replaced.started, true);
    await down(quiet, { dir });
    for (const process of [...first.processes, ...replaced.lab.processes]) {
      assertEquals(await isRunning(process), false, process.name);
    }
    assertEquals(await readLab(dir), null);
    assertEquals(await Deno.stat(`${dir}/run`).then(() => true, () => false), false);
    assert(!(await Deno.readTextFile("/proc/mounts")).includes(dir));
    assert(!(await runChecked(["ps", "-eo", "args"])).includes(`${dir}/run`));
    if (first.docker.own) {
      await assertRejects(() => Deno.stat(`/sys/class/net/${first.docker.bridge}`));
    }
  } finally {
    await down(quiet, { dir });
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("lab: a reused pid is not stopped", async () => {
  await stopProcess({ name: "somebody else", pid: Deno.pid, startTime: 1, log: "" });
});
