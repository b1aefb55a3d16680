import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { parse } from "@std/yaml";
import { type Built, readBuilt } from "../../scripts/release/assets.ts";
import { releaseToGitea } from "../../scripts/release/gitea.ts";
import { releaseToGitlab } from "../../scripts/release/gitlab.ts";
import { notesOf } from "../../scripts/release/notes.ts";
import { serveGitea, serveGitlab, type Stub } from "./stubs.ts";

const FILES = ["monky-deployd_0.2.0_amd64.deb", "install.sh"];
const NOTES = "- [FIX] something";

/** A folder as a build leaves it; gone afterwards. */
async function withBuild(
  use: (built: Built, folder: string) => Promise<void>,
  content = "content of ",
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    let sums = "";
    for (const name of FILES) {
      const bytes = new TextEncoder().encode(`${content}${name}`);
      await Deno.writeFile(`${folder}/${name}`, bytes);
      const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
      sums += `${sum}  ${name}\n`;
    }
    await Deno.writeTextFile(`${folder}/SHA256SUMS`, sums);
    await use(await readBuilt(folder, "0.2.0"), folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A server of either kind, and how to release to it. */
interface Place {
  readonly name: string;
  readonly serve: () => Stub;
  readonly release: (built: Built, stub: Stub, token?: string) => Promise<void>;
}

const say = (): void => {};

const PLACES: readonly Place[] = [
  {
    name: "GitLab",
    serve: () => serveGitlab("job-token", "t0k3n"),
    release: (built, stub, token = "t0k3n") =>
      releaseToGitlab(built, NOTES, {
        api: `${stub.origin}/api/v4`,
        project: "69",
        auth: { "JOB-TOKEN": token },
        say,
      }),
  },
  {
    name: "Gitea",
    serve: () => serveGitea("t0k3n"),
    release: (built, stub, token = "t0k3n") =>
      releaseToGitea(built, NOTES, {
        api: `${stub.origin}/api/v1`,
        repository: "monky/monky-deployd",
        auth: { authorization: `token ${token}` },
        say,
      }),
  },
];

const uploads = (stub: Stub): readonly string[] =>
  [...stub.files].flatMap(([name, all]) => all.map(() => name));

for (const { name, serve, release } of PLACES) {
  Deno.test(`${name}: all files arrive once, SHA256SUMS last, then the release is there`, async () => {
    await using stub = serve();
    await withBuild(async (built) => {
      await release(built, stub);
      assertEquals(uploads(stub), [...FILES, "SHA256SUMS"]);
      const [made] = stub.releases;
      assertEquals([stub.releases.length, made?.["tag_name"]], [1, "v0.2.0"]);
      assertEquals(made?.["description"] ?? made?.["body"], NOTES);
      assertEquals(made?.["draft"] ?? false, false);

      const before = stub.seen.length;
      await release(built, stub);
      assertEquals(uploads(stub), [...FILES, "SHA256SUMS"], "again, it uploads nothing");
      const again = stub.seen.slice(before).map((each) => each.method);
      assertEquals([...new Set(again)], ["GET"]);
    });
  });

  Deno.test(`${name}: after a failed upload it goes on where it stopped`, async () => {
    await using stub = serve();
    await withBuild(async (built) => {
      stub.broken.add("install.sh");
      const error = await assertRejects(() => release(built, stub), Error, "500");
      assertEquals(error.message.includes("?"), false);
      assertEquals(uploads(stub), FILES.slice(0, 1));
      assertEquals(stub.releases.filter((each) => each["draft"] !== true), []);
      stub.broken.clear();
      await release(built, stub);
      assertEquals(uploads(stub), [...FILES, "SHA256SUMS"]);
      assertEquals(stub.releases.filter((each) => each["draft"] !== true).length, 1);
    });
  });

  Deno.test(`${name}: a version is never overwritten`, async () => {
    await using stub = serve();
    await withBuild((built) => release(built, stub));
    await withBuild(async (built) => {
      await assertRejects(() => release(built, stub), Error, "never overwritten");
    }, "other content of ");
    assertEquals(uploads(stub), [...FILES, "SHA256SUMS"]);
  });

  Deno.test(`${name}: a token that is not accepted is said, and told to nobody`, async () => {
    await using stub = serve();
    await withBuild(async (built) => {
      const error = await assertRejects(() => release(built, stub, "s3cr3t"), Error, "401");
      assertStringIncludes(error.message, "the token is not accepted");
      assertEquals(error.message.includes("s3cr3t"), false);
      assertEquals(uploads(stub), []);
    });
  });
}

Deno.test("GitLab: the release links every file at its address in the registry", async () => {
  await using stub = serveGitlab("job-token", "t0k3n");
  await withBuild((built) => PLACES[0]?.release(built, stub) ?? Promise.reject(new Error("none")));
  const assets = stub.releases[0]?.["assets"] as { links: { name: string; url: string }[] };
  const base = `${stub.origin}/api/v4/projects/69/packages/generic/monky-deployd/0.2.0`;
  assertEquals(
    assets.links.map(({ url }) => url),
    [...FILES, "SHA256SUMS"].map((name) => `${base}/${name}`),
  );
});

Deno.test("a build that is not whole is not released", async () => {
  await withBuild(async (_, folder) => {
    await assertRejects(() => readBuilt(folder, "0.3.0"), Error, "not of version 0.3.0");
    await Deno.writeTextFile(`${folder}/stray`, "");
    await assertRejects(() => readBuilt(folder, "0.2.0"), Error, "does not list stray");
    await Deno.remove(`${folder}/stray`);
    await Deno.writeTextFile(`${folder}/install.sh`, "changed");
    await assertRejects(() => readBuilt(folder, "0.2.0"), Error, "install.sh is not the file");
    await Deno.remove(`${folder}/install.sh`);
    await assertRejects(() => readBuilt(folder, "0.2.0"), Error, "is not in");
    await Deno.writeTextFile(`${folder}/SHA256SUMS`, "x  ../../etc/passwd\n");
    await assertRejects(() => readBuilt(folder, "0.2.0"), Error, "no checksum and name");
    await Deno.remove(`${folder}/SHA256SUMS`);
    await assertRejects(() => readBuilt(folder, "0.2.0"), Error, "deno task build");
  });
});

Deno.test("release notes are the version's section of the changelog", () => {
  const log = "# Changelog\n\n## 0.2.0, 2026-12-01\n\n- a\n- b\n\n## 0.1.6\n\n- c\n";
  assertEquals(notesOf(log, "0.2.0"), "- a\n- b");
  assertEquals(notesOf(log, "0.1.6"), "- c");
  assertThrows(() => notesOf(log, "0.2"), Error, 'no section "## 0.2"');
  assertThrows(() => notesOf("## 0.2.0, unreleased\n- a", "0.2.0"), Error, "unreleased");
  assertThrows(() => notesOf("## 0.2.0\n\n## 0.1", "0.2.0"), Error, "empty");
});

Deno.test("the pipeline's jobs run tasks that exist, with the runtime that the tasks are for", async () => {
  const root = new URL("../../", import.meta.url);
  const pipeline = parse(await Deno.readTextFile(new URL(".gitlab-ci.yml", root)));
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  const ci = await Deno.readTextFile(new URL(".ci/run", root));
  const lines = JSON.stringify(pipeline).match(/npx -y deno@[^"]+/g) ?? [];
  assertEquals(lines.length >= 5, true);
  for (const line of lines) {
    const [, version, , task] = /^npx -y deno@(\S+) (task (\S+))?/.exec(line) ?? [];
    assertStringIncludes(ci, `npx -y deno@${version} `);
    if (task !== undefined) assertEquals(task in tasks, true, line);
  }
});

Deno.test("the command says what is missing, with 64, and takes no token on the command line", async () => {
  const run = async (...args: readonly string[]): Promise<readonly [number, string]> => {
    const path = new URL("../../scripts/release.ts", import.meta.url).pathname;
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", path, ...args],
      env: { CI_JOB_TOKEN: "", GITLAB_TOKEN: "", NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      stdout: "null",
      stderr: "piped",
    }).output();
    return [code, new TextDecoder().decode(stderr)];
  };
  for (const args of [[], ["nowhere"], ["gitlab", "gitea"], ["gitlab", "--token", "x"]]) {
    const [code, said] = await run(...args);
    assertEquals(code, 64, said);
    assertStringIncludes(said, "usage: deno task release");
  }
});
