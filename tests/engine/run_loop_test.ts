/** `run` on a box in memory: when it ticks, what ends a pause, what a hangup does (SPEC §8). */

import { assert, assertEquals } from "@std/assert";
import { runLoop } from "../../src/engine/run_loop.ts";
import type { Agent } from "../../src/engine/agent.ts";
import { wireAgent } from "../../src/engine/wire.ts";
import type { Config } from "../../src/model/config.ts";
import { emptyState } from "../../src/model/state.ts";
import { formatState } from "../../src/model/state_parse.ts";
import type { HttpReply } from "../../src/ports.ts";
import { refusal } from "../fakes/tenancy.ts";
import { reply } from "../fakes/openbao_script.ts";
import { PLACES, sessionBox } from "./session_box.ts";

/** What a scenario sees of one check-in: how long it may be held, and when it came. */
interface CheckIn {
  readonly waitS: number | null;
  readonly atMs: number;
}

interface Scene {
  readonly checkins: readonly CheckIn[];
  readonly said: readonly string[];
  readonly lines: readonly string[];
  /** Pauses that were slept, in milliseconds. */
  readonly sleeps: readonly number[];
}

interface Script {
  /** Answers the n-th check-in (from 0); `hold` lets time pass before. Null: stop the loop. */
  readonly answer: (
    checkin: CheckIn & { readonly index: number },
    hands: { readonly hold: (ms: number) => void; readonly hangUp: () => void },
  ) => HttpReply | null;
  /** Answers the n-th opening of the config (from 0). */
  readonly config?: (index: number, config: Config) => Config;
}

const SHA = "a".repeat(64);

function wants(serial: number): HttpReply {
  return reply(200, {
    env_id: "env-a",
    desired: { state: "present", sha: SHA, serial },
    server_time: "2026-11-30T00:00:00Z",
  });
}

/** A release that failed for good: ticks of it do nothing, whatever its serial. */
const WAITING = formatState({
  ...emptyState("env-a", "monky-env-a"),
  failed: {
    sha: SHA,
    code: "UNHEALTHY",
    attempts: 1,
    at: 0,
    nextAttemptAt: 0,
    quarantined: true,
  },
});

async function play(script: Script): Promise<Scene> {
  const box = await sessionBox();
  await box.reveal();
  box.files.put(PLACES.state, new TextDecoder().decode(WAITING));
  const stopping = new AbortController();
  let hangup = new AbortController();
  const checkins: CheckIn[] = [];
  const said: string[] = [];
  const { http } = box.agent.ports;
  const ports = {
    ...box.agent.ports,
    signals: { stop: stopping.signal },
    clock: {
      ...box.agent.ports.clock,
      sleep: async (ms: number, signal?: AbortSignal): Promise<void> => {
        if (signal?.aborted !== true) await box.clock.sleep(ms);
      },
    },
    http: {
      ...http,
      request: async (request: Parameters<typeof http.request>[0]) => {
        const answered = await http.request(request);
        if (!request.target.endsWith("/checkin")) return answered;
        const { wait_s: waitS = null } = JSON.parse(new TextDecoder().decode(request.body));
        const checkin = { waitS, atMs: box.clock.monotonic() };
        const hands = {
          hold: (ms: number): void => box.clock.advance(ms),
          hangUp: (): void => hangup.abort(),
        };
        const index = checkins.push(checkin) - 1;
        const scripted = index > 200 ? null : script.answer({ ...checkin, index }, hands);
        if (scripted !== null) return scripted;
        stopping.abort("SIGTERM");
        return refusal(503, "TENANCY_UNAVAILABLE");
      },
    },
  };
  let opened = 0;
  await runLoop({
    configPath: "/c",
    say: ({ code }) => void said.push(code),
    reloads: {
      next: () => {
        if (hangup.signal.aborted) hangup = new AbortController();
        return hangup.signal;
      },
    },
    open: (accept): Promise<Agent> => {
      const config = script.config?.(opened++, box.agent.config) ?? box.agent.config;
      accept(config);
      return Promise.resolve(wireAgent(config, { ports, mask: box.agent.mask, ownUid: 0 }));
    },
  });
  return { checkins, said, lines: box.lines, sleeps: box.clock.sleeps };
}

const MINUTE_MS = 60_000;
/** The pause of an interval of 60 s at chance 0.5. */
const PAUSE_MS = 45_000;

Deno.test("a pause is a check-in that tenancy holds; without news the next tick comes at its end", async () => {
  const { checkins, said } = await play({
    config: (_, config) => ({ ...config, intervalS: 80 }),
    answer: ({ waitS, index }, { hold }) => {
      if (index === 6) return null;
      if (waitS !== null) hold(waitS * 1000);
      return wants(1);
    },
  });
  assertEquals(checkins.map(({ waitS }) => waitS), [null, 50, 10, null, 50, 10, null]);
  assertEquals(checkins[3]?.atMs, 60_000);
  assertEquals(said, ["TENANCY_UNAVAILABLE"], "the one that ended the loop is not all");
});

Deno.test("news ends the pause at once", async () => {
  const { checkins, sleeps } = await play({
    answer: ({ waitS, index }, { hold }) => {
      if (index === 2) return null;
      if (waitS !== null) hold(7_000);
      return wants(index === 0 ? 1 : 2);
    },
  });
  assertEquals(checkins.map(({ waitS, atMs }) => [waitS, atMs]), [[null, 0], [45, 0], [
    null,
    7_000,
  ]]);
  assertEquals(sleeps[0], 0);
});

Deno.test("a tenancy that ignores wait_s is asked once a pause", async () => {
  const { checkins } = await play({
    answer: ({ index }) => index === 4 ? null : wants(1),
  });
  assertEquals(checkins.map(({ waitS, atMs }) => [waitS, atMs]), [
    [null, 0],
    [45, 0],
    [null, PAUSE_MS],
    [45, PAUSE_MS],
    [null, 2 * PAUSE_MS],
  ]);
});

Deno.test("a held check-in that breaks is not asked again before the next tick", async () => {
  const { checkins, said } = await play({
    answer: ({ waitS, index }, { hold }) => {
      if (index === 2) return null;
      if (waitS === null) return wants(1);
      hold(10_000);
      return refusal(502, "BAD_GATEWAY");
    },
  });
  assertEquals(checkins.map(({ atMs }) => atMs), [0, 0, PAUSE_MS]);
  assertEquals(said, ["TENANCY_UNAVAILABLE"], "only the tick's own failure is told");
});

Deno.test("news that leads to nothing, over and over, makes no busy loop", async () => {
  let serial = 0;
  const { checkins } = await play({
    answer: ({ waitS, atMs }) => {
      if (atMs > 10 * MINUTE_MS) return null;
      return wants(waitS === null ? serial : ++serial);
    },
  });
  const ticks = checkins.filter(({ waitS }) => waitS === null).map(({ atMs }) => atMs);
  assertEquals(ticks.slice(0, 8), [0, 0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000]);
  assert(ticks.length < 24, `${ticks.length} ticks in ten minutes`);
});

Deno.test("while tenancy is away ticks back off to five minutes, unheld, and recover at once", async () => {
  const { checkins, said } = await play({
    answer: ({ index }) => {
      if (index === 9) return null;
      return index < 6 ? refusal(503, "TENANCY_UNAVAILABLE") : wants(1);
    },
  });
  assertEquals(checkins.slice(0, 7).map(({ waitS }) => waitS), Array(7).fill(null));
  const pauses = checkins.slice(1, 7).map(({ atMs }, index) =>
    (atMs - (checkins[index]?.atMs ?? 0)) / 1000
  );
  assertEquals(pauses, [58.5, 97.5, 169.5, 169.5, 169.5, 169.5]);
  assertEquals((checkins[8]?.atMs ?? 0) - (checkins[6]?.atMs ?? 0), PAUSE_MS);
  assertEquals(said.length, 6);
});

Deno.test("a hangup ends the pause, and the next tick is one of the new config", async () => {
  const { checkins, lines } = await play({
    config: (index, config) => ({ ...config, intervalS: index === 0 ? 60 : 600 }),
    answer: ({ index }, { hold, hangUp }) => {
      if (index === 1) {
        hold(3_000);
        hangUp();
      }
      return index === 4 ? null : wants(1);
    },
  });
  assertEquals(checkins.map(({ waitS, atMs }) => [waitS, atMs]), [
    [null, 0],
    [45, 0],
    [null, 3_000],
    [50, 3_000],
    [null, 453_000],
  ]);
  assert(lines.includes("info config read again"), lines.join("\n"));
});

Deno.test("a hangup during a tick, and one while the config is read, are not lost", async () => {
  let opened = 0;
  await play({
    config: (_, config) => {
      opened++;
      return config;
    },
    answer: ({ index }, { hangUp }) => {
      if (index === 0) hangUp();
      return index === 2 ? null : wants(1);
    },
  });
  assertEquals(opened, 2);
});

Deno.test("a config that needs more grants than the process has is not taken, and is told", async () => {
  const { checkins, said, lines } = await play({
    config: (index, config) => index === 0 ? config : { ...config, stateDir: "/other" },
    answer: ({ index }, { hangUp }) => {
      if (index === 0) hangUp();
      return index === 2 ? null : wants(1);
    },
  });
  assertEquals(said, ["CONFIG_NEEDS_RESTART"]);
  assert(lines.includes("warn the config was not taken, the one before stays in force"));
  assertEquals(checkins.length, 3);
});
