/**
 * Runs the steps of a plan in their order and stops at the first that fails. Chooses nothing, skips
 * nothing, retries nothing (SPEC §12).
 */

import type { Action, Step } from "../core/step.ts";
import { type AgentError, asAgentError } from "../errors.ts";
import type { StepReport } from "../model/state.ts";
import type { Ports } from "../ports.ts";
import type { Agent } from "./agent.ts";
import { EXECUTORS } from "./executors.ts";
import { refuseWhenStopped } from "./stop.ts";
import type { Work } from "./work.ts";

/** What running a plan gave. */
export interface Execution {
  /** Every step that was begun, also the one that failed. */
  readonly steps: readonly StepReport[];
  readonly failure: { readonly action: Action; readonly error: AgentError } | null;
}

/** Runs the steps; never throws: a failure is part of what it gives. */
export async function execute(
  agent: Agent,
  steps: readonly Step[],
  work: Work,
): Promise<Execution> {
  const done: StepReport[] = [];
  for (const each of steps) {
    const begun = await timed(agent.ports, each.action, () => runStep(agent, each, work));
    done.push(begun.report);
    if (begun.error !== null) {
      return { steps: done, failure: { action: each.action, error: begun.error } };
    }
  }
  return { steps: done, failure: null };
}

/** Whoever watches wants to know what takes so long. */
const LONG_STEPS: ReadonlySet<string> = new Set(["pull", "up", "health", "repair", "down"]);

/** One timed step, whether it is part of a plan or, like `fetch`, comes before there is one. */
export interface Timed<T> {
  readonly report: StepReport;
  readonly value: T | null;
  readonly error: AgentError | null;
}

/** Runs one named piece of work, logs its begin and end, and gives what became of it. */
export async function timed<T>(
  ports: Pick<Ports, "clock" | "log" | "signals" | "watch">,
  action: string,
  run: () => Promise<T>,
): Promise<Timed<T>> {
  const startedAt = ports.clock.monotonic();
  const ms = (): number => Math.round(ports.clock.monotonic() - startedAt);
  sayBegin(ports, action);
  try {
    refuseWhenStopped(ports);
    const value = await run();
    const report = { action, ms: ms(), ok: true };
    sayEnd(ports, report, null);
    return { report, value, error: null };
  } catch (thrown) {
    const error = asAgentError(thrown);
    const report = { action, ms: ms(), ok: false };
    sayEnd(ports, report, error.code);
    return { report, value: null, error };
  }
}

/** Who watches sees the step itself; the journal gets lines. */
function sayBegin({ watch, log }: Pick<Ports, "log" | "watch">, action: string): void {
  if (watch !== undefined) watch.begin(action);
  else log.write(LONG_STEPS.has(action) ? "info" : "debug", "step begins", { step: action });
}

function sayEnd(
  { watch, log }: Pick<Ports, "log" | "watch">,
  { action, ms, ok }: StepReport,
  code: string | null,
): void {
  if (watch !== undefined) watch.end(action, { ok, ms });
  else if (ok) log.write("info", "step done", { step: action, ms });
  else log.write("debug", "step failed", { step: action, ms, code });
}

async function runStep(agent: Agent, each: Step, work: Work): Promise<void> {
  // The table is total over the actions; TypeScript cannot see that action and args belong together.
  const executor = EXECUTORS[each.action] as (
    agent: Agent,
    args: Step["args"],
    work: Work,
  ) => Promise<void>;
  await executor(agent, each.args, work);
}
