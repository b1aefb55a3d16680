/**
 * Renewals that fail for an hour (facts: openbao §5 rows 1 and 2: known agents ask without a pause,
 * a thousand times a second). The clock is simulated; every tick is a whole one.
 */

import { assert, assertEquals } from "@std/assert";
import { RENEWAL_BACKOFF } from "../../src/core/backoff.ts";
import { tick } from "../../src/engine/tick.ts";
import { AgentError } from "../../src/errors.ts";
import type { HttpReply } from "../../src/ports.ts";
import { reply } from "../fakes/openbao_script.ts";
import type { SessionBox } from "./session_box.ts";
import { asked, bootedBox, HOUR_MS, livingTokens } from "./session_open.ts";

const RENEW = "renew-self";
const FAILURES: Readonly<Record<string, HttpReply | AgentError>> = {
  "an error of the server": reply(500, { errors: ["internal error"] }),
  "a sealed server": reply(503, { errors: ["Vault is sealed"] }),
  "a rate limit": reply(429, { errors: ["rate limit quota exceeded"] }),
  "no server": new AgentError("BAO_UNAVAILABLE", "cannot be dialled"),
  "a token that may not renew itself": reply(403, { errors: ["permission denied"] }),
  "a token that is not renewable": reply(400, { errors: ["lease is not renewable"] }),
};

/** A small generator, so that a run can be repeated. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A box whose token is due for its renewal and lives for five hours more. */
async function dueBox(seed: number): Promise<SessionBox> {
  const box = await bootedBox({ leasesPerHour: 0 });
  box.clock.advance(19 * HOUR_MS);
  box.chance(chance(seed));
  return box;
}

/** Ticks through an hour; gives the seconds at which a renewal was asked for. */
async function anHour(box: SessionBox, everyS: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let second = 0; second < 3600; second += everyS) {
    const before = asked(box, RENEW);
    const { error } = await tick(box.agent, { force: false });
    assertEquals(error, null);
    const requests = asked(box, RENEW) - before;
    assert(requests <= 1, `${requests} renewals in one tick`);
    if (requests === 1) times.push(second);
    box.clock.advance(everyS * 1000);
  }
  return times;
}

for (const [name, answer] of Object.entries(FAILURES)) {
  Deno.test(`renewals that fail for an hour with ${name}: bounded requests, no failed tick`, async () => {
    for (const everyS of [60, 1]) {
      const box = await dueBox(7);
      box.fail(RENEW, answer);
      const times = await anHour(box, everyS);
      const bound = everyS === 60 ? 30 : 60;
      console.log(
        `    a tick each ${everyS} s: ${times.length} renewals in ${3600 / everyS} ticks`,
      );
      assert(times.length >= 8, `${times.length} renewals: it gave up`);
      assert(times.length <= bound, `${times.length} renewals`);
      assert(asked(box, "login") === 1, "it logged in again because of failed renewals");
      // The other requests about the token are bounded with the renewals.
      assert(asked(box, "lookup-self") <= times.length, `${asked(box, "lookup-self")} lookups`);
      assertEquals([livingTokens(box), asked(box, "checkin")], [1, 3600 / everyS]);
    }
  });
}

Deno.test("the waits between failed renewals grow to five minutes and no further", async () => {
  const box = await dueBox(0);
  box.chance(() => 0.999);
  box.fail(RENEW, reply(500, { errors: ["internal error"] }));
  const times = await anHour(box, 1);
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  console.log(`    waits: ${waits.join(" ")} s`);
  assertEquals(waits.slice(0, 9), [2, 4, 8, 16, 32, 64, 128, 256, 300]);
  assert(waits.every((wait) => wait <= RENEWAL_BACKOFF.capMs / 1000));
});

Deno.test("an hour of failures leaves the token at work, and the first renewal that succeeds ends it", async () => {
  const box = await dueBox(3);
  box.fail(RENEW, reply(503, { errors: ["Vault is sealed"] }));
  await anHour(box, 60);
  box.fail("", null);
  const before = asked(box, RENEW);
  const times = await anHour(box, 60);
  assertEquals([times.length, asked(box, RENEW)], [1, before + 1]);
  const { session } = await box.memory();
  assertEquals(session.renewal, { failures: 0, notBefore: 0 });
  assert((session.token?.expiresAt ?? 0) - box.clock.now() > 22 * HOUR_MS);
});

Deno.test("a token that dies of failed renewals is asked for no more than its shrinking life allows", async () => {
  const box = await dueBox(5);
  box.clock.advance(4.5 * HOUR_MS);
  box.fail(RENEW, reply(500, { errors: ["internal error"] }));
  const ends = { well: 0, stopped: 0 };
  for (let second = 0; second < 3600; second++) {
    await tick(box.agent, { force: false }).then(() => ends.well++, () => ends.stopped++);
    box.clock.advance(1000);
  }
  console.log(`    ${asked(box, RENEW)} renewals, ${asked(box, "lookup-self")} lookups`);
  assertEquals(ends, { well: 1800, stopped: 1800 });
  assert(asked(box, RENEW) <= 60, `${asked(box, RENEW)} renewals`);
  assertEquals([asked(box, "login"), asked(box, "lookup-self")], [1, 1]);
  assertEquals(livingTokens(box), 0);
});
