/**
 * Looks at the services until the judgement of core/health.ts is in: an order of looks and waits,
 * and the last lines of what failed for the report.
 */

import {
  containersToInspect,
  type HealthVerdict,
  judgeHealth,
  type ServiceTrouble,
  startHealthWatch,
  untilNextLookMs,
} from "../core/health.ts";
import { hasFailed } from "../core/health_container.ts";
import { AgentError } from "../errors.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import type { Container } from "../model/containers.ts";
import type { Agent } from "./agent.ts";
import { refuseWhenStopped } from "./stop.ts";

const LOG_LINES = 50;
const LOG_BYTES = 8 << 10;
/** What the healthcheck itself said of its last look. */
const CHECK_LINES = 5;
const CHECK_BYTES = 1 << 10;
/** A project of hundreds of failing services needs no hundreds of logs. */
const SERVICES_WITH_LOGS = 5;

/** What the watch ended with. */
export interface WatchedHealth {
  readonly containers: readonly Container[];
  /** Null: everything is healthy. */
  readonly trouble: { readonly message: string; readonly evidence: string } | null;
}

/** Watches the model's services until they are healthy or are not. Throws DOCKER_*, INTERRUPTED. */
export async function watchHealth(agent: Agent, model: ComposeModel): Promise<WatchedHealth> {
  const { clock, signals, log } = agent.ports;
  const rules = {
    timeoutMs: agent.config.healthTimeoutS * 1000,
    settleMs: agent.config.settleS * 1000,
  };
  // A look counts from before it is made: what it shows at the start was there before the watch.
  let atMs = clock.monotonic();
  let watch = startHealthWatch(model.services, { rules, nowMs: atMs });
  let waitedFor = "";
  while (true) {
    refuseWhenStopped(agent.ports);
    const containers = await agent.docker.list(agent.config.composeProject);
    const details = await agent.docker.inspectAll(containersToInspect(watch, containers));
    const judged = judgeHealth(watch, { atMs, containers, details });
    watch = judged.watch;
    const { verdict } = judged;
    if (verdict.kind === "healthy") return { containers, trouble: null };
    if (verdict.kind === "unhealthy") {
      return { containers, trouble: await troubleOf(agent, verdict.services) };
    }
    waitedFor = sayWaiting(
      waitedFor,
      verdict,
      (text) => log.write("debug", "waiting", { for: text }),
    );
    await clock.sleep(untilNextLookMs(watch, clock.monotonic()), signals.stop);
    atMs = clock.monotonic();
  }
}

function sayWaiting(
  before: string,
  verdict: HealthVerdict & { readonly kind: "waiting" },
  say: (text: string) => void,
): string {
  const now = verdict.waitingFor.map((each) => `${each.service} ${each.cause}`).join(", ");
  if (now !== before) say(now);
  return now;
}

/** Gives the last lines of the project's containers that have failed, as far as they can be had. */
export async function linesOfFailed(agent: Agent): Promise<string> {
  let containers: readonly Container[];
  try {
    containers = await agent.docker.list(agent.config.composeProject);
  } catch (thrown) {
    if (thrown instanceof AgentError) return "";
    throw thrown;
  }
  const parts: string[] = [];
  for (const each of containers.filter(hasFailed).slice(0, SERVICES_WITH_LOGS)) {
    parts.push(await lastLines(agent, each.service, each.id));
  }
  return parts.join("\n");
}

async function troubleOf(
  agent: Agent,
  services: readonly ServiceTrouble[],
): Promise<{ readonly message: string; readonly evidence: string }> {
  const message = services.map((each) => `${each.service} ${each.cause}`).join(", ");
  return { message, evidence: await linesOfServices(agent, services) };
}

/** Takes services and their containers; gives the last lines of the first of each, of five at most. */
export async function linesOfServices(
  agent: Agent,
  services: readonly Pick<ServiceTrouble, "service" | "containerIds">[],
): Promise<string> {
  const parts: string[] = [];
  for (const each of services.slice(0, SERVICES_WITH_LOGS)) {
    const id = each.containerIds[0];
    if (id !== undefined) parts.push(await lastLines(agent, each.service, id));
  }
  return parts.filter((part) => part !== "").join("\n");
}

/** The report must go out even when the logs cannot be had. */
async function lastLines(agent: Agent, service: string, id: string): Promise<string> {
  const mask = (text: string): string => agent.mask.apply(text);
  try {
    const check = { tail: CHECK_LINES, maxBytes: CHECK_BYTES, mask };
    const looked = await agent.docker.healthOutput(id, check);
    const lines = await agent.docker.logs(id, { tail: LOG_LINES, maxBytes: LOG_BYTES, mask });
    return [
      ...(looked.length === 0 ? [] : [`${service}, its healthcheck:`, ...looked]),
      lines.length === 0 ? `${service}: (no output)` : `${service}, last lines:`,
      ...lines,
    ].join("\n");
  } catch (thrown) {
    if (!(thrown instanceof AgentError)) throw thrown;
    return `${service}: its log cannot be read (${thrown.code})`;
  }
}
