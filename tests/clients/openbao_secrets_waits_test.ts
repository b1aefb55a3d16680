/** Reading secrets when something may mend itself: limits, late standbys, a server that is away. */

import { assertEquals } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { ABSENT, bench, entry, fails, found, LIMITED, SEALED } from "../fakes/openbao_bench.ts";
import { caseReply, reply } from "../fakes/openbao_script.ts";

Deno.test("what is wrong for good comes before what may mend itself, and ends the waiting", async () => {
  const test = bench(({ target }) =>
    target.endsWith("/a") ? ABSENT : target.endsWith("/b?version=2") ? ABSENT : LIMITED
  );
  const entries = [entry("A"), entry("B", "b", 2), entry("C")];
  await fails("SECRET_NOT_FOUND", () => test.read(entries, { timeoutMs: 500 }));
  assertEquals(test.http.requests.length, 3);
});

Deno.test("an absent pinned version is asked for again for 3.5 s: a standby may be late", async () => {
  const late = bench((_, index) => index < 2 ? ABSENT : found(undefined, 2));
  assertEquals((await late.read([entry("A", "a", 2)])).values.size, 1);
  assertEquals(late.clock.sleeps, [500, 1000]);
  const never = bench(() => ABSENT);
  await fails("SECRET_NOT_FOUND", () => never.read([entry("A", "a", 2)]));
  assertEquals(never.clock.sleeps, [500, 1000, 2000]);
  const newest = bench(() => ABSENT);
  await fails("SECRET_NOT_FOUND", () => newest.read([entry("A")]));
  assertEquals(newest.clock.sleeps, []);
});

Deno.test("an absent pinned version is not waited for when another one was deleted", async () => {
  const deleted = await caseReply("49-kv2-deleted-and-future-deletion/1.http");
  const test = bench(({ target }) => target.includes("/a") ? deleted : ABSENT);
  await fails("SECRET_DELETED", () => test.read([entry("A", "a", 3), entry("B", "b", 2)]));
  assertEquals(test.clock.sleeps, []);
});

Deno.test("case 53: after 429 the reads go one at a time, waits at least a second and growing", async () => {
  // The first four answers and the next two are limits.
  const test = bench((_, index) => index < 6 ? LIMITED : found());
  const entries = ["A", "B", "C", "D"].map((name) => entry(name));
  assertEquals((await test.read(entries)).values.size, 4);
  assertEquals(test.clock.sleeps, [1000, 2000, 4000]);
  assertEquals(test.http.requests.length, 4 + 2 + 4);
});

Deno.test("case 53: a read that the limit let through shortens the next wait again", async () => {
  const answers = [LIMITED, LIMITED, LIMITED, LIMITED, found(), LIMITED];
  const test = bench((_, index) => answers[index] ?? found());
  const entries = ["A", "B", "C"].map((name) => entry(name));
  assertEquals((await test.read(entries)).values.size, 3);
  assertEquals(test.clock.sleeps, [1000, 2000, 1000]);
});

Deno.test("case 53: Retry-After is obeyed when it is longer, and bounded by the step's time", async () => {
  const limited = reply(429, { errors: ["x"] }, { "retry-after": "7" });
  const test = bench((_, index) => index === 0 ? limited : found());
  assertEquals((await test.read([entry("A")])).values.size, 1);
  assertEquals(test.clock.sleeps, [7000]);
  const short = bench(() => limited);
  const error = await fails(
    "BAO_RATE_LIMITED",
    () => short.read([entry("A")], { timeoutMs: 5000 }),
  );
  assertEquals([error.data["retry_after_s"], error.kind], [7, "temporary"]);
  assertEquals(short.clock.sleeps, []);
});

Deno.test("temporary failures: sealed before others, and no read is sent again", async () => {
  const reset = new AgentError("BAO_UNAVAILABLE", "reset");
  const test = bench(({ target }) => target.endsWith("/b") ? SEALED : reset);
  await fails("BAO_SEALED", () => test.read([entry("A"), entry("B")]));
  assertEquals(test.http.requests.length, 2);
  const upgrading = reply(400, {
    errors: ["Upgrading from non-versioned to versioned data. This backend will be unavailable"],
  });
  await fails("BAO_UNAVAILABLE", () => bench(() => upgrading).read([entry("A")]));
  const page = reply(200, "<html>CANARY</html>", { "content-type": "text/html" });
  await fails("BAO_BAD_ANSWER", () => bench(() => page).read([entry("A")]));
});

Deno.test("a stop during a wait interrupts the reading", async () => {
  const stop = new AbortController();
  const test = bench(() => {
    stop.abort();
    return LIMITED;
  });
  await fails("INTERRUPTED", () => test.read([entry("A")], { signal: stop.signal }));
});
