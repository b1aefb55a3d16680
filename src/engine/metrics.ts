/** Writes the metrics of a tick for node_exporter, where `metrics_textfile` says. */

import { formatMetrics, lastSuccessIn, lastTickIn } from "../core/metrics.ts";
import { metricsTemporary } from "../core/permissions.ts";
import { type AgentError, asAgentError } from "../errors.ts";
import type { Container } from "../model/containers.ts";
import type { Agent } from "./agent.ts";
import type { Memory } from "./memory.ts";
import { factsOfToken } from "./session.ts";

/** node_exporter runs as a user of its own. */
const FILE_MODE = 0o644;
const MAX_BYTES = 1 << 20;

/** How a tick ended, the part that is kept. */
export interface KeptEnd {
  readonly decision: string;
  readonly error: AgentError | null;
}

/** What the metrics are made from. */
export interface MetricsFacts {
  readonly memory: Memory;
  /** Null: the Engine could not be asked. */
  readonly containers: readonly Container[] | null;
  readonly end: KeptEnd;
  readonly ms: number;
}

/** Replaces the file in one step. A write that fails is a warning. Throws nothing. */
export async function writeMetrics(agent: Agent, facts: MetricsFacts): Promise<void> {
  const { config, ports } = agent;
  const path = config.metricsTextfile;
  if (path === null) return;
  try {
    const { state, session } = facts.memory;
    // A tick that fails passes on what the one before it wrote.
    const earlier = await readText(agent);
    const text = formatMetrics({
      envId: config.envId,
      site: config.site,
      version: agent.version,
      now: ports.clock.now(),
      durationMs: facts.ms,
      decision: facts.end.decision,
      code: facts.end.error?.code ?? null,
      lastSuccessS: earlier === null ? null : lastSuccessIn(earlier),
      state,
      token: session.token === null ? null : factsOfToken(session.token),
      containers: facts.containers,
      lastApply: (await agent.journal.applies())?.at(-1) ?? null,
    });
    const bytes = new TextEncoder().encode(text);
    await ports.files.write(path, bytes, { mode: FILE_MODE, through: metricsTemporary(path) });
  } catch (thrown) {
    const { code, message } = asAgentError(thrown);
    ports.log.write("warn", "the metrics could not be written", { code, why: message });
  }
}

/** Gives when the last tick ended, in epoch seconds, as its metrics tell; null when there are none. */
export async function readLastTick(agent: Agent): Promise<number | null> {
  const text = await readText(agent);
  return text === null ? null : lastTickIn(text);
}

/** A file that cannot be read tells as much as none. */
async function readText({ config, ports }: Agent): Promise<string | null> {
  if (config.metricsTextfile === null) return null;
  const bytes = await ports.files.read(config.metricsTextfile, MAX_BYTES).catch(() => null);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}
