/** The bootstrap grant on a real disk: whose it is, who may read it, what it says. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { createGrantFile, type GrantFile } from "../../src/clients/grant_file.ts";
import { AgentError } from "../../src/errors.ts";
import { createFiles } from "../../src/io/files.ts";
import { readGrant } from "../../src/model/grant.ts";
import type { Files, FileStat } from "../../src/ports.ts";

const CLAIMS = {
  iss: "https://tenancy.test",
  env_id: "env-a",
  kind: "deploy-grant",
  jti: "CANARY-jti",
  iat: 1_700_000_000,
  exp: 1_700_003_600,
};

function jwt(claims: unknown): string {
  const part = (value: unknown): string =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${part({ alg: "ES256" })}.${part(claims)}.c2lnbmF0dXJlCANARY`;
}

async function withFile(
  content: string | null,
  run: (file: GrantFile, path: string) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/bootstrap.jwt`;
  try {
    if (content !== null) await Deno.writeTextFile(path, content, { mode: 0o600 });
    const options = { path, ownUid: Deno.uid(), mask: (): void => {} };
    await run(createGrantFile({ files: createFiles() }, options), path);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Reads and insists on an error; gives code and message. */
async function problemOf(file: GrantFile): Promise<string> {
  const read = await file.read();
  assert(read.kind === "unusable", read.kind);
  assert(!Deno.inspect(read, { depth: 9 }).includes("CANARY"), "the error holds the grant");
  return `${read.error.code}: ${read.error.message}`;
}

Deno.test("a grant is read without its final newline, a BOM, or Windows line ends", async () => {
  for (const content of [jwt(CLAIMS), `${jwt(CLAIMS)}\n`, `\ufeff${jwt(CLAIMS)}\r\n`]) {
    await withFile(content, async (file) => {
      const read = await file.read();
      assert(read.kind === "present");
      assertEquals(read.grant.reveal(), jwt(CLAIMS));
      assertEquals(read.claims, {
        jti: "CANARY-jti",
        envId: "env-a",
        expS: 1_700_003_600,
        iatS: 1_700_000_000,
      });
      assertEquals(read.warnings, []);
      assert(!Deno.inspect(read.grant).includes("CANARY"));
    });
  }
});

Deno.test("no file is no grant; a removed one is gone, and twice is no failure", async () => {
  await withFile(null, async (file) => assertEquals(await file.read(), { kind: "absent" }));
  await withFile(jwt(CLAIMS), async (file) => {
    assertEquals([await file.remove(), await file.remove()], [true, true]);
    assertEquals(await file.read(), { kind: "absent" });
  });
});

Deno.test("a file that others may read is repaired and said", async () => {
  await withFile(jwt(CLAIMS), async (file, path) => {
    await Deno.chmod(path, 0o644);
    const looked = await file.read({ repair: false });
    assert(looked.kind === "present" && looked.warnings.length === 1);
    assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o644);
    const read = await file.read();
    assert(read.kind === "present");
    assertStringIncludes(read.warnings[0] ?? "", "mode 0644");
    assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("a link, a folder and a huge file are refused as such", async () => {
  await withFile(jwt(CLAIMS), async (file, path) => {
    await Deno.rename(path, `${path}.real`);
    await Deno.symlink(`${path}.real`, path);
    assertStringIncludes(await problemOf(file), "GRANT_UNREADABLE: the bootstrap grant");
    assertStringIncludes(await problemOf(file), "is a symbolic link");
    await Deno.remove(path);
    await Deno.mkdir(path);
    assertStringIncludes(await problemOf(file), "is no regular file");
  });
  await withFile("x".repeat(20_000), async (file) => {
    assertStringIncludes(await problemOf(file), "is larger than a grant can be");
  });
});

/** A file of a given owner and mode, as an agent of user 1000 sees it. */
function ownedFile(stat: Partial<FileStat>, mayChange: boolean): GrantFile {
  const refused = (): Promise<never> =>
    Promise.reject(new AgentError("FILE_UNWRITABLE", "cannot change it"));
  const files: Partial<Files> = {
    stat: () => Promise.resolve({ kind: "file", size: 400, mode: 0o600, uid: 1000, ...stat }),
    read: () => Promise.resolve(new TextEncoder().encode(jwt(CLAIMS))),
    chmod: mayChange ? (): Promise<void> => Promise.resolve() : refused,
    remove: mayChange ? (): Promise<void> => Promise.resolve() : refused,
  };
  const options = { path: "/etc/x/bootstrap.jwt", ownUid: 1000, mask: (): void => {} };
  return createGrantFile({ files: files as Files }, options);
}

Deno.test("owner and mode decide who may have made or read the grant", async () => {
  const table: readonly (readonly [Partial<FileStat>, boolean, string])[] = [
    [{}, true, "present"],
    [{ uid: 0 }, false, "present"],
    [{ uid: 0, mode: 0o640 }, false, "present"],
    [{ uid: 0, mode: 0o644 }, false, "unusable"],
    [{ uid: 0, mode: 0o660 }, false, "unusable"],
    [{ uid: 1001 }, true, "unusable"],
    [{ mode: 0o666 }, true, "present"],
    [{ mode: 0o666 }, false, "unusable"],
  ];
  for (const [stat, mayChange, expected] of table) {
    const read = await ownedFile(stat, mayChange).read();
    assertEquals(read.kind, expected, JSON.stringify(stat));
    if (read.kind !== "unusable") continue;
    const fix = "chown 1000 /etc/x/bootstrap.jwt && chmod 600 /etc/x/bootstrap.jwt";
    assertStringIncludes(read.error.hint, fix);
  }
});

Deno.test("a grant that the agent may not remove stays, and that is no failure", async () => {
  assertEquals(await ownedFile({ uid: 0 }, false).remove(), false);
});

Deno.test("what is no grant says in one clause why, and quotes nothing", async () => {
  const table: readonly (readonly [string, string])[] = [
    ["", "it is empty"],
    ["CANARY", "it is no JWT"],
    ["CANARY.CANARY.CANARY", "its header is no JSON"],
    [`${btoa("{}")}.CANARY.x`, "it is no JWT"],
    [jwt("CANARY"), "claims are missing or wrong: payload"],
    [jwt({ ...CLAIMS, kind: "CANARY" }), "claims are missing or wrong: kind"],
    [jwt({ ...CLAIMS, env_id: 7, jti: "" }), "claims are missing or wrong: env_id, jti"],
    [jwt({ ...CLAIMS, exp: "CANARY" }), "claims are missing or wrong: exp"],
    [jwt({ ...CLAIMS, exp: -1 }), "claims are missing or wrong: exp"],
    [`${jwt(CLAIMS)} CANARY`, "other characters"],
  ];
  for (const [content, says] of table) {
    await withFile(content, async (file) => {
      const problem = await problemOf(file);
      assertStringIncludes(problem, "GRANT_INVALID");
      assertStringIncludes(problem, says);
    });
  }
});

Deno.test("a grant without iat is one from the beginning of time", () => {
  const { iat: _iat, ...claims } = CLAIMS;
  const reading = readGrant(jwt(claims));
  assert(reading.ok);
  assertEquals(reading.claims.iatS, 0);
});

Deno.test("readGrant() never throws", () => {
  fc.assert(fc.property(fc.string(), (text) => assertEquals(readGrant(text).ok, false)));
  const parts = fc.array(fc.base64String(), { minLength: 3, maxLength: 3 });
  fc.assert(fc.property(parts, (some) => assertEquals(readGrant(some.join(".")).ok, false)));
});
