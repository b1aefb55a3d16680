/** The part of OpenBao's contract list about the server's states and limits (facts: openbao §1.8). */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Answered, ask, freshEnv, tokenOf } from "./openbao_ask.ts";
import type { BaoSetup, Check } from "./openbao_setup.ts";

/** Asks until the rate limit answers; on a busy machine the first tries may be too slow for it. */
async function askUntilLimited(
  setup: BaoSetup,
  path: string,
  token: string,
): Promise<Answered | undefined> {
  for (let count = 0; count < 60; count++) {
    const reply = await ask(setup, path, { token });
    if (reply.status === 429) return reply;
  }
  return undefined;
}

/** The checks. */
export const SERVER_CONTRACT: readonly Check[] = [
  {
    name: "health tells state and clock without a token",
    async run(setup: BaoSetup): Promise<void> {
      const { status, json } = await ask(setup, "sys/health");
      assertEquals([status, json?.["initialized"], json?.["sealed"]], [200, true, false]);
      assertEquals(json?.["standby"], false);
      assert(Math.abs(json?.["server_time_utc"] - setup.clock.now() / 1000) < 60);
    },
  },
  {
    name: "sealed: 503 that says so, health with a body, and the token works afterwards",
    async run(setup: BaoSetup): Promise<void> {
      const token = await tokenOf(setup, freshEnv());
      await setup.seal();
      try {
        const { status, json } = await ask(setup, "auth/token/lookup-self", { token });
        assertEquals([status, json?.errors], [503, ["Vault is sealed"]]);
        const health = await ask(setup, "sys/health");
        assertEquals([health.status, health.json?.["sealed"]], [503, true]);
      } finally {
        await setup.unseal();
      }
      assertEquals((await ask(setup, "auth/token/lookup-self", { token })).status, 200);
    },
  },
  {
    name: "a restart keeps the token",
    async run(setup: BaoSetup): Promise<void> {
      const token = await tokenOf(setup, freshEnv());
      await setup.restart();
      assertEquals((await ask(setup, "auth/token/lookup-self", { token })).status, 200);
    },
  },
  ...[true, false].map((headers): Check => ({
    name: `a rate limit is 429 ${headers ? "with whole seconds of" : "without"} Retry-After`,
    async run(setup: BaoSetup): Promise<void> {
      const env = freshEnv();
      await setup.putSecret(env, "a", { value: "v" });
      const token = await tokenOf(setup, env);
      await setup.quota({ rate: 2, intervalS: 10, headers });
      try {
        const limited = await askUntilLimited(setup, `monky/data/${env}/see/a`, token);
        assertStringIncludes(limited?.json?.errors?.[0] ?? "", "rate limit quota exceeded");
        const seconds = limited?.headers["retry-after"];
        if (headers) assert(/^\d+$/.test(seconds ?? "") && Number(seconds) <= 10, seconds);
        else assertEquals(seconds, undefined);
      } finally {
        await setup.quota(null);
      }
    },
  })),
  {
    name: "Retry-After is rounded down and may be 0",
    async run(setup: BaoSetup): Promise<void> {
      const env = freshEnv();
      await setup.putSecret(env, "a", { value: "v" });
      const token = await tokenOf(setup, env);
      await setup.quota({ rate: 1, intervalS: 1, headers: true });
      try {
        const limited = await askUntilLimited(setup, `monky/data/${env}/see/a`, token);
        assertEquals(limited?.headers["retry-after"], "0");
      } finally {
        await setup.quota(null);
      }
    },
  },
];
