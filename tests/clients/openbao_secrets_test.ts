/** Reading secrets when something is wrong for good; what goes right is in tests/contract. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import type { HttpReply } from "../../src/ports.ts";
import {
  ABSENT,
  ALIVE,
  bench,
  DEAD,
  DENIED,
  entry,
  fails,
  found,
  LOOKUP,
  ROOT,
  SEALED,
  targets,
} from "../fakes/openbao_bench.ts";
import { caseReply, reply } from "../fakes/openbao_script.ts";

Deno.test("several keys of one version are one read, a pinned and the newest are two", async () => {
  const masked: string[] = [];
  const test = bench(() => found({ value: "CANARY", user: "u" }));
  const { values } = await test.read([
    entry("A", "db", 1),
    { ...entry("B", "db", 1), key: "user" },
    entry("C", "db"),
  ], { mask: (secret) => masked.push(secret.reveal()) });
  assertEquals(targets(test), [`${ROOT}db?version=1`, `${ROOT}db`]);
  assertEquals([...values.keys()].sort(), ["A", "B", "C"]);
  assertEquals(values.get("B")?.value.reveal(), "u");
  assertEquals(masked.sort(), ["CANARY", "CANARY", "u"]);
  assert(!Deno.inspect(values).includes("CANARY"));
});

Deno.test("no entries, no request", async () => {
  const test = bench(() => DEAD);
  assertEquals((await test.read([], { confirmToken: true })).values.size, 0);
  assertEquals(test.http.requests.length, 0);
});

Deno.test("200 secrets and lookup-self go out together, with a bounded share of memory", async () => {
  const test = bench(({ target }) => target === LOOKUP ? ALIVE : found());
  const entries = Array.from({ length: 200 }, (_, index) => entry(`V${index}`));
  const { values, lookup } = await test.read(entries, { confirmToken: true });
  assertEquals([values.size, lookup?.ttlS, test.clock.sleeps.length], [200, 5000, 0]);
  const bytes = test.http.requests.reduce((sum, { maxBodyBytes }) => sum + maxBodyBytes, 0);
  assert(bytes <= 64 << 20, `${bytes} bytes`);
});

Deno.test("case 49: deleted, destroyed and absent have codes of their own; a later deletion is fine", async () => {
  const look =
    "Pin a version that exists in manifest.json (bao kv metadata get -mount=monky env-a/see/db).";
  const rows = [
    [
      "1",
      "SECRET_DELETED",
      /^Bring it back \(bao kv undelete -mount=monky -versions=\d env-a\/see\/db\), or pin another/,
    ],
    ["2", "SECRET_DESTROYED", look],
    ["3", "SECRET_NOT_FOUND", look],
  ] as const;
  for (const [file, code, hint] of rows) {
    const answer = await caseReply(`49-kv2-deleted-and-future-deletion/${file}.http`);
    const error = await fails(code, () => bench(() => answer).read([entry("A", "db", 3)]));
    assertStringIncludes(error.message, "A (monky/env-a/see/db, version 3)");
    assertMatch(
      error.hint,
      typeof hint === "string" ? new RegExp(`^${RegExp.escape(hint)}$`) : hint,
    );
    assertEquals(error.data, {});
  }
  const absent = await caseReply("49-kv2-deleted-and-future-deletion/3.http");
  const newest = await fails(
    "SECRET_NOT_FOUND",
    () => bench(() => absent).read([entry("A", "db")]),
  );
  // What is copied from the hint must not write the hint's own full stop.
  assertEquals(
    newest.hint,
    'Write it (bao kv put -mount=monky env-a/see/db value=-; a "-" reads the value from stdin).',
  );
  const later = await caseReply("49-kv2-deleted-and-future-deletion/4.http");
  const { values } = await bench(() => later).read([entry("A", "db", 4)]);
  assertEquals(values.get("A")?.value.reveal(), "ok");
});

Deno.test("case 52: 403 and a dead token: told at once, nothing is read again", async () => {
  for (const confirmToken of [true, false]) {
    const test = bench(({ target }) => target === LOOKUP ? DEAD : DENIED);
    await fails("BAO_TOKEN_DEAD", () => test.read([entry("A"), entry("B")], { confirmToken }));
    assertEquals(test.http.requests.length, 3);
  }
});

Deno.test("case 52: 403 and a living token: forbidden by name, after one more try", async () => {
  const read = await caseReply("52-403-two-meanings/read.http");
  const alive = await caseReply("52-403-two-meanings/lookup-alive.http");
  const test = bench(({ target }) => target === LOOKUP ? alive : read);
  const error = await fails("SECRET_FORBIDDEN", () => test.read([entry("B"), entry("A")]));
  assertStringIncludes(error.message, "A (monky/env-a/see/a, newest version)");
  assertStringIncludes(error.message, "B (monky/env-a/see/b, newest version)");
  assertEquals(targets(test), [`${ROOT}b`, `${ROOT}a`, LOOKUP, `${ROOT}b`]);
});

Deno.test("case 52: an error of lookup-self proves nothing: temporary", async () => {
  for (const beside of [true, false]) {
    const test = bench(({ target }) => target === LOOKUP ? SEALED : DENIED);
    await fails("BAO_SEALED", () => test.read([entry("A")], { confirmToken: beside }));
  }
});

Deno.test("a follower that did not know the fresh token yet is asked once more", async () => {
  const test = bench(({ target }, index) =>
    target === LOOKUP ? ALIVE : index < 2 ? DENIED : found()
  );
  assertEquals((await test.read([entry("A"), entry("B")])).values.size, 2);
});

Deno.test("case 56: a path that is none of KV version 2 is a bad path, not an absent secret", async () => {
  for (const file of ["1", "2", "3"]) {
    const answer = await caseReply(`56-kv2-path-and-mount/${file}.http`);
    const error = await fails("BAO_BAD_PATH", () => bench(() => answer).read([entry("A", "x")]));
    assertStringIncludes(error.message, "A (monky/env-a/see/x, newest version)");
  }
});

Deno.test("case 56: no path leaves the env's prefix; odd names are encoded", async () => {
  const file = new URL("../cases/56-kv2-path-and-mount/paths.txt", import.meta.url);
  const lines = (await Deno.readTextFile(file)).split("\n").filter((line) => line !== "");
  const paths = lines.map((line) => line.slice("monky/data/env-a/see/".length));
  const outcomes: string[] = [];
  for (const path of paths) {
    const test = bench(() => found());
    const result = await test.read([entry("A", path)]).then(
      () => targets(test)[0]?.slice(ROOT.length) ?? "",
      (error: AgentError) => error.code,
    );
    if (result === "BAO_BAD_PATH") assertEquals(test.http.requests.length, 0);
    outcomes.push(result);
  }
  assertEquals(outcomes, [
    "BAO_BAD_PATH",
    "BAO_BAD_PATH",
    "BAO_BAD_PATH",
    "key%20",
    "key%3Fversion%3D1",
  ]);
  for (const path of ["", "/", "a/", ".", "a/./b", "a\n", "a/%2E./b", "\ud800"]) {
    await fails("BAO_BAD_PATH", () => bench(() => found()).read([entry("A", path)]));
  }
});

Deno.test("case 58: only a string is a value", async () => {
  const file = new URL("../cases/58-secret-is-not-a-string/secret.json", import.meta.url);
  const answer = reply(200, await Deno.readTextFile(file));
  for (const key of ["port", "id", "on", "none", "obj"]) {
    const run = (): Promise<unknown> => bench(() => answer).read([{ ...entry("A"), key }]);
    const error = await fails("SECRET_NOT_STRING", run);
    assertStringIncludes(error.message, `key "${key}"`);
    assert(!/5432|1234567890/.test(error.message));
  }
  for (const key of ["missing", "toString", "__proto__"]) {
    const run = (): Promise<unknown> => bench(() => answer).read([{ ...entry("A"), key }]);
    await fails("SECRET_KEY_MISSING", run);
  }
  const { values } = await bench(() => answer).read([{ ...entry("A"), key: "ok" }]);
  assertEquals(values.get("A")?.value.reveal(), "x");
});

Deno.test("an empty string is a value", async () => {
  const { values } = await bench(() => found({ value: "" })).read([entry("A")]);
  assertEquals(values.get("A")?.value.reveal(), "");
});

Deno.test("another version than the pinned one is refused", async () => {
  const run = (): Promise<unknown> => bench(() => found(undefined, 3)).read([entry("A", "a", 2)]);
  const error = await fails("SECRET_VERSION_MISMATCH", run);
  assertStringIncludes(error.message, "version 3");
});

Deno.test("a value that no environment can carry, and an answer without end, are too large", async () => {
  const fits = "x".repeat(128 * 1024 - "A=".length - 1);
  assertEquals((await bench(() => found({ value: fits })).read([entry("A")])).values.size, 1);
  const huge = (): HttpReply => found({ value: `${fits}x` });
  await fails("SECRET_TOO_LARGE", () => bench(huge).read([entry("A")]));
  const endless = new AgentError("ANSWER_TOO_LARGE", "too large");
  const error = await fails("SECRET_TOO_LARGE", () => bench(() => endless).read([entry("A")]));
  assertEquals(error.kind, "failed");
});

Deno.test("everything that is wrong for good is told at once, by name, sorted", async () => {
  const answers: Readonly<Record<string, HttpReply>> = {
    [`${ROOT}c`]: ABSENT,
    [`${ROOT}b`]: found({ other: "CANARY" }),
    [`${ROOT}a`]: found(),
    [`${ROOT}d`]: found({ value: 7 }),
  };
  const test = bench(({ target }) => answers[target] ?? ABSENT);
  const names = ["D", "C", "B", "A"].map((name) => entry(name));
  const error = await fails("SECRET_KEY_MISSING", () => test.read(names));
  assertEquals(
    error.message,
    'B (monky/env-a/see/b, newest version) has no key "value"; ' +
      "SECRET_NOT_FOUND: C (monky/env-a/see/c, newest version) does not exist; " +
      'SECRET_NOT_STRING: D (monky/env-a/see/d, newest version) holds no string under key "value"',
  );
});

Deno.test("case 54: a redirected read takes the token nowhere", async () => {
  const redirect = await caseReply("54-redirect-carries-vault-token/1.http");
  const test = bench(() => redirect);
  const error = await fails("BAO_REDIRECTED", () => test.read([entry("A")]));
  assertStringIncludes(error.message, "elsewhere.example");
  assertEquals(targets(test), [`${ROOT}a`]);
});
