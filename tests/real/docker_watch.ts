/** Watches a project on the lab as the agent does, with a settle time of 2 s. */

import { type ComposeTarget, configArgs } from "../../src/core/compose_argv.ts";
import {
  containersToInspect,
  type HealthVerdict,
  judgeHealth,
  startHealthWatch,
} from "../../src/core/health.ts";
import type { ComposeModel } from "../../src/model/compose_model.ts";
import type { RealBench } from "./docker_bench.ts";

/** How a watch ended. */
export interface Watched {
  readonly kind: HealthVerdict["kind"];
  /** `service cause` of each trouble. */
  readonly troubles: readonly string[];
  readonly tookMs: number;
}

/** Lets compose resolve a release. */
export async function resolve(bench: RealBench, target: ComposeTarget): Promise<ComposeModel> {
  const result = await bench.compose.config(bench.call(configArgs(target)));
  if (!result.ok) throw new Error(`config ended with ${result.outcome.stderrTail.join("\n")}`);
  return result.model;
}

/** How a watch differs. */
export interface WatchOptions {
  /** `health_timeout_s`, in milliseconds; a minute by default. */
  readonly timeoutMs?: number;
  /** Called once everything has been looked at for the first time. */
  readonly onceLooked?: () => Promise<void>;
}

/** Watches the release's services until the judgement is in. */
export async function watch(
  bench: RealBench,
  target: ComposeTarget,
  { timeoutMs = 60_000, onceLooked }: WatchOptions = {},
): Promise<Watched> {
  const { services } = await resolve(bench, target);
  const start = performance.now();
  const rules = { timeoutMs, settleMs: 2_000 };
  let going = startHealthWatch(services, { rules, nowMs: start });
  let isFirst = true;
  for (;;) {
    const containers = await bench.docker.list(bench.project);
    const details = await bench.docker.inspectAll(containersToInspect(going, containers));
    const atMs = performance.now();
    const judged = judgeHealth(going, { atMs, containers, details });
    going = judged.watch;
    if (isFirst) await onceLooked?.();
    isFirst = false;
    const { verdict } = judged;
    if (verdict.kind !== "waiting") {
      const bad = verdict.kind === "unhealthy" ? verdict.services : [];
      const troubles = bad.map((each) => `${each.service} ${each.cause}`);
      return { kind: verdict.kind, troubles, tookMs: atMs - start };
    }
    await new Promise((done) => setTimeout(done, 250));
  }
}
