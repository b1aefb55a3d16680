/** session.json on a real disk: privacy, torn files, other boxes' files. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { createSessionStore, type SessionStore } from "../../src/clients/session_store.ts";
import { AgentError } from "../../src/errors.ts";
import { createFiles } from "../../src/io/files.ts";
import { formatSession, parseSession } from "../../src/model/session_parse.ts";
import { Secret } from "../../src/model/secret.ts";
import { emptySession, type Session } from "../../src/model/state.ts";

const CANARY = "s.CANARYcanaryCANARYcanary";

const SESSION: Session = {
  envId: "env-a",
  token: {
    value: new Secret(CANARY),
    accessor: "acc",
    source: "lease",
    jti: "j1",
    grantIatS: 1_700_000_000,
    checkedAt: 1_700_000_000_000,
    expiresAt: 1_700_086_400_000,
    ttlS: 86_400,
  },
  revoke: [{ value: new Secret("s.old"), accessor: "old" }],
  consumed: ["b1", "b2"],
  unspent: {
    value: new Secret("eyJ.leased.grant"),
    claims: { jti: "l2", envId: "env-a", expS: 1_700_003_600, iatS: 1_700_000_000 },
  },
  renewal: { failures: 1, notBefore: 1_700_000_001_000 },
  revocation: { failures: 2, notBefore: 1_700_000_002_000 },
};

async function namesIn(dir: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(dir));
  return entries.map(({ name }) => name).sort();
}

async function withStore(
  run: (store: SessionStore, dir: string, masked: readonly string[]) => Promise<void>,
  envId = "env-a",
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const masked: string[] = [];
  const mask = (secret: Secret): void => void masked.push(secret.reveal());
  try {
    const stateDir = `${dir}/state`;
    const store = createSessionStore({ files: createFiles() }, { stateDir, envId, mask });
    await run(store, stateDir, masked);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("a session comes back as it was written, 0600 in a folder 0700, its tokens masked", async () => {
  await withStore(async (store, dir, masked) => {
    await store.write(SESSION);
    const { session, warnings } = await store.read({ repair: true });
    assertEquals(formatSession(session), formatSession(SESSION));
    assertEquals(session.token?.value.reveal(), CANARY);
    assertEquals([warnings, masked], [[], [CANARY, "s.old", "eyJ.leased.grant"]]);
    assertEquals(((await Deno.stat(`${dir}/session.json`)).mode ?? 0) & 0o777, 0o600);
    assertEquals(((await Deno.stat(dir)).mode ?? 0) & 0o777, 0o700);
    assert(!Deno.inspect(session, { depth: 9 }).includes("CANARY"));
    assert(!JSON.stringify(session).includes("CANARY"));
  });
});

Deno.test("no file is an empty session, without a word", async () => {
  await withStore(async (store) => {
    assertEquals(await store.read({ repair: true }), {
      session: emptySession("env-a"),
      warnings: [],
    });
  });
});

Deno.test("a torn session is kept aside, said, and starts anew; three are kept", async () => {
  await withStore(async (store, dir) => {
    for (let count = 1; count <= 5; count++) {
      await store.write(SESSION);
      const text = await Deno.readTextFile(`${dir}/session.json`);
      await Deno.writeTextFile(`${dir}/session.json`, text.slice(0, 100 + count));
      const { session, warnings } = await store.read({ repair: true });
      assertEquals(session, emptySession("env-a"));
      assert(warnings[0]?.includes(`session.json.bad-${count}`), warnings[0]);
      assert(!warnings.join().includes("CANARY"));
    }
    const names = await namesIn(dir);
    assertEquals(names, ["session.json.bad-3", "session.json.bad-4", "session.json.bad-5"]);
  });
});

Deno.test("what is no regular file, or far too large, is kept aside as well", async () => {
  await withStore(async (store, dir) => {
    await Deno.mkdir(`${dir}/session.json`, { recursive: true });
    assertEquals((await store.read({ repair: true })).warnings.length, 1);
    await Deno.symlink("/etc/hostname", `${dir}/session.json`);
    assertEquals((await store.read({ repair: true })).warnings.length, 1);
    await Deno.writeTextFile(`${dir}/session.json`, " ".repeat(300 * 1024), { mode: 0o600 });
    assertEquals((await store.read({ repair: true })).warnings.length, 1);
    await store.write(SESSION);
    assertEquals((await store.read({ repair: true })).warnings, []);
  });
});

Deno.test("a looser mode is repaired and said", async () => {
  await withStore(async (store, dir) => {
    await store.write(SESSION);
    await Deno.chmod(`${dir}/session.json`, 0o644);
    const { session, warnings } = await store.read({ repair: true });
    assertEquals(session.token?.jti, "j1");
    assert(warnings[0]?.includes("mode 0644"));
    assertEquals(((await Deno.stat(`${dir}/session.json`)).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("without repair a loose or torn file is only told", async () => {
  await withStore(async (store, dir) => {
    await store.write(SESSION);
    await Deno.chmod(`${dir}/session.json`, 0o644);
    await Deno.truncate(`${dir}/session.json`, 50);
    const { session, warnings } = await store.read({ repair: false });
    assertEquals([session.token, warnings.length], [null, 2]);
    assertEquals(await namesIn(dir), ["session.json"]);
    assertEquals(((await Deno.stat(`${dir}/session.json`)).mode ?? 0) & 0o777, 0o644);
  });
});

Deno.test("the session of another env stops the tick and changes nothing", async () => {
  await withStore(async (store, dir) => {
    await store.write(SESSION);
    const before = await Deno.readFile(`${dir}/session.json`);
    const error = await assertRejects(() => store.read({ repair: true }), AgentError);
    assertEquals(error.code, "STATE_ENV_MISMATCH");
    assertEquals(await Deno.readFile(`${dir}/session.json`), before);
  }, "env-b");
});

Deno.test("parseSession() gives null for whatever is no session, and never throws", () => {
  const good = JSON.parse(new TextDecoder().decode(formatSession(SESSION)));
  const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const bad = [
    { ...good, v: 2 },
    { ...good, token: { ...good.token, value: "" } },
    { ...good, token: { ...good.token, expiresAt: "soon" } },
    { ...good, token: { ...good.token, source: "found" } },
    { ...good, revoke: Array(9).fill({ value: "x", accessor: "y" }) },
    { ...good, consumed: Array(33).fill("j") },
    { ...good, renewal: { failures: -1, notBefore: 0 } },
    { ...good, revocation: { failures: 0, notBefore: "soon" } },
    { ...good, unspent: { ...good.unspent, value: "" } },
    { ...good, unspent: { ...good.unspent, claims: {} } },
    [],
    null,
  ];
  for (const value of bad) assertEquals(parseSession(bytes(value)), null);
  assert(parseSession(bytes({ ...good, later: 1 })) !== null);
  const { unspent: _unspent, revocation: _revocation, ...older } = good;
  assertEquals(parseSession(bytes(older))?.unspent, null);
  fc.assert(fc.property(fc.uint8Array(), (noise) => assertEquals(parseSession(noise), null)));
  fc.assert(fc.property(fc.jsonValue(), (value) => assertEquals(parseSession(bytes(value)), null)));
});
