/** A watch over scripted looks, told as short texts. */

import {
  type ExpectedService,
  type HealthVerdict,
  judgeHealth,
  startHealthWatch,
} from "../../src/core/health.ts";
import type { Container, ContainerDetail } from "../../src/model/containers.ts";

/** `health_timeout_s` and `settle_s` as they are by default. */
export const RULES = { timeoutMs: 120_000, settleMs: 5_000 };
/** A healthcheck with a start period of 6 s. */
export const CHECK = {
  intervalMs: 1_000,
  timeoutMs: 1_000,
  retries: 2,
  startPeriodMs: 6_000,
  startIntervalMs: 5_000,
};

/** One look: seconds since the watch began, the list, the details. */
export type Look = readonly [
  atS: number,
  containers: readonly Container[],
  details?: readonly ContainerDetail[],
];

/** Runs a watch over the looks; gives the verdicts as short texts. */
export function watch(
  expected: readonly ExpectedService[],
  looks: readonly Look[],
  rules = RULES,
): readonly string[] {
  let going = startHealthWatch(expected, { rules, nowMs: 0 });
  return looks.map(([atS, containers, details = []]) => {
    const result = judgeHealth(going, { atMs: atS * 1000, containers, details });
    going = result.watch;
    return told(result.verdict);
  });
}

function told(verdict: HealthVerdict): string {
  switch (verdict.kind) {
    case "healthy":
      return "healthy";
    case "waiting":
      return `waiting: ${
        verdict.waitingFor.map((each) => `${each.service} ${each.cause}`).join("; ")
      }`;
    case "unhealthy":
      return `unhealthy: ${
        verdict.services.map((each) => `${each.service} ${each.cause}`).join("; ")
      }`;
  }
}
