/**
 * The metrics of a tick in node_exporter's text format (Prometheus' exposition format 0.0.4). Pure:
 * facts in, text out. Times are epoch seconds; what is not known has no sample.
 */

import type { ApplyRecord } from "../model/history.ts";
import type { Container } from "../model/containers.ts";
import { LAST_MOMENT_MS } from "../model/moment.ts";
import type { AgentState } from "../model/state.ts";
import { countServices } from "./services.ts";
import { lifeLeftS, type TokenFacts } from "./session_facts.ts";

/** What the metrics tell of. */
export interface MetricsFacts {
  readonly envId: string;
  readonly site: string;
  readonly version: string;
  /** Epoch milliseconds: the end of the tick. */
  readonly now: number;
  readonly durationMs: number;
  /** What the tick decided; `none` when it did not come to that. */
  readonly decision: string;
  /** Null: it ended well. */
  readonly code: string | null;
  /** Epoch seconds, as an earlier tick wrote them; null: never. */
  readonly lastSuccessS: number | null;
  readonly state: AgentState;
  readonly token: TokenFacts | null;
  /** Null: the Engine could not be asked. */
  readonly containers: readonly Container[] | null;
  readonly lastApply: ApplyRecord | null;
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  /** Null: not known, no sample. */
  readonly value: number | null;
}

interface Metric {
  /** Without the prefix. */
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const PREFIX = "monky_deployd_";
const LAST_SUCCESS = "last_success_timestamp_seconds";

/** Takes the facts; gives the whole file, ending in a line feed. */
export function formatMetrics(facts: MetricsFacts): string {
  const metrics = [...tickMetrics(facts), ...boxMetrics(facts), ...applyMetrics(facts)];
  return metrics.flatMap(linesOf).map((line) => `${line}\n`).join("");
}

/** Takes such a file; gives when a tick ended well last, in epoch seconds, or null. */
export function lastSuccessIn(text: string): number | null {
  return secondsIn(text, LAST_SUCCESS);
}

/** Takes such a file; gives when the tick that wrote it ended, in epoch seconds, or null. */
export function lastTickIn(text: string): number | null {
  return secondsIn(text, "last_tick_timestamp_seconds");
}

/** Others may write to the file's folder: a moment that no date can name is none. */
function secondsIn(text: string, metric: string): number | null {
  const line = text.split("\n").find((each) => each.startsWith(`${PREFIX}${metric} `));
  const value = Number(line?.split(" ")[1]);
  return line !== undefined && value >= 0 && value * 1000 <= LAST_MOMENT_MS ? value : null;
}

function tickMetrics(facts: MetricsFacts): readonly Metric[] {
  const { envId: env_id, site, version, decision, code, now } = facts;
  const nowS = now / 1000;
  const isGood = code === null;
  return [
    one("info", "The agent and its box.", 1, { env_id, site, version }),
    one("last_tick_timestamp_seconds", "When the last tick ended.", nowS),
    one(LAST_SUCCESS, "When a tick ended well last.", isGood ? nowS : facts.lastSuccessS),
    one("last_tick_duration_seconds", "How long the last tick took.", facts.durationMs / 1000),
    one("last_tick_success", "Whether the last tick ended well.", isGood ? 1 : 0),
    one("last_tick_result", "What the last tick decided, and the code it failed with.", 1, {
      decision,
      code: code ?? "",
    }),
  ];
}

function boxMetrics(facts: MetricsFacts): readonly Metric[] {
  const { state, token, containers, now } = facts;
  const { applied, failed } = state;
  const counts = countServices(state.released, containers);
  const tokenLeft = token === null ? 0 : lifeLeftS(token, now);
  return [
    one("applied_serial", "Serial of the applied release.", applied?.serial ?? null),
    one(
      "applied_timestamp_seconds",
      "When the applied release was applied.",
      applied === null ? null : Date.parse(applied.at) / 1000,
    ),
    one("failed_attempts", "Failed applies of the desired release.", failed?.attempts ?? 0),
    one("token_seconds_left", "Life of the OpenBao token; 0: there is none.", tokenLeft),
    one("services_wanted", "Services of the applied release that have to run.", counts.wanted),
    one("services_up", "Those of them that run and are not unhealthy.", counts.up),
    one("outbox_reports", "Reports that tenancy does not have yet.", state.outbox.length),
  ];
}

function applyMetrics({ lastApply }: MetricsFacts): readonly Metric[] {
  if (lastApply === null) return [];
  const { result, code, steps, finished_at } = lastApply;
  // A label set may stand once only: were a step to run twice, its times add up.
  const times = new Map<string, number>();
  for (const { action, ms } of steps) times.set(action, (times.get(action) ?? 0) + ms);
  return [
    one(
      "last_apply_timestamp_seconds",
      "When the last apply ended.",
      Date.parse(finished_at) / 1000,
    ),
    one("last_apply_result", "How the last apply, repair or removal ended.", 1, {
      result,
      code: code ?? "",
    }),
    {
      name: "last_apply_step_seconds",
      help: "How long each step of the last apply took.",
      samples: [...times].map(([step, ms]) => ({ labels: { step }, value: ms / 1000 })),
    },
  ];
}

function one(
  name: string,
  help: string,
  value: number | null,
  labels: Readonly<Record<string, string>> = {},
): Metric {
  return { name, help, samples: [{ labels, value }] };
}

function linesOf({ name, help, samples }: Metric): readonly string[] {
  const known = samples.flatMap(({ labels = {}, value }) =>
    value === null || !Number.isFinite(value)
      ? []
      : [`${PREFIX}${name}${labelsOf(labels)} ${value}`]
  );
  if (known.length === 0) return [];
  return [`# HELP ${PREFIX}${name} ${help}`, `# TYPE ${PREFIX}${name} gauge`, ...known];
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** The format knows three escapes in a label's value. */
function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
