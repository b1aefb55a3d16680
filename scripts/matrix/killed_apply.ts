/**
 * One apply, killed with -9 at a chosen moment, and all that must hold afterwards: the next tick
 * converges, leases at most once more, loses and doubles no report, exposes no secret (SPEC §4).
 */

import type { Box } from "../box/box.ts";
import { pause } from "../lab/wait.ts";
import { converge } from "./converge.ts";
import { exposed, leftovers, lookAtServices, wrongReports } from "./look.ts";
import { CANARY, publishRelease, type ReleaseOptions } from "./project.ts";

/** When the agent is killed. */
export type Moment =
  /** At the first log line that holds this text, and so many milliseconds later. */
  | { readonly line: string; readonly afterMs?: number }
  /** So many milliseconds after its start. */
  | { readonly afterMs: number }
  /** When this promise is fulfilled. */
  | { readonly when: Promise<unknown> }
  /** When a path that matches appears in the state or deploy folder. */
  | { readonly file: RegExp }
  /** At the so-manieth change of a file or folder there. */
  | { readonly change: number };

/** What a killed apply came to. */
export interface Outcome {
  /** Everything that does not hold; empty when all does. */
  readonly problems: readonly string[];
  /** The agent was dead before it ended by itself. */
  readonly killed: boolean;
  /** Last line that the killed agent logged. */
  readonly lastLine: string;
}

/** Prepares a box: a secret, the project deployed, tenancy's record empty. */
export async function deployFirst(box: Box): Promise<void> {
  await box.secret("key", { value: CANARY });
  await box.reveal();
  await publishRelease(box, { revision: "0" });
  const first = await box.tick();
  if (first.code !== 0) throw new Error(`the first deploy failed:\n${first.stderr}`);
  box.tenancy.record.clear();
}

/** Starts a tick, kills it at the moment, and gives its log and whether it died of that. */
export async function killAt(
  box: Box,
  moment: Moment,
): Promise<{ readonly killed: boolean; readonly log: string }> {
  const due = Promise.withResolvers<void>();
  if (!("line" in moment || "file" in moment || "change" in moment)) due.resolve();
  const watcher = "file" in moment || "change" in moment ? watchFiles(box, moment, due.resolve) : null;
  const agent = await box.start(["tick", "--log-level", "debug"], {
    onLine: (text) => {
      if ("line" in moment && text.includes(moment.line)) due.resolve();
    },
  });
  const ended = new AbortController();
  const killing = (async (): Promise<void> => {
    await due.promise;
    if ("when" in moment) await moment.when;
    if ("afterMs" in moment) await pause(moment.afterMs ?? 0, ended.signal);
    agent.kill("SIGKILL");
  })();
  const run = await agent.ended;
  ended.abort();
  due.resolve();
  watcher?.close();
  await killing;
  return { killed: run.code === 137, log: run.stderr };
}

function watchFiles(
  box: Box,
  moment: { readonly file: RegExp } | { readonly change: number },
  reached: () => void,
): Deno.FsWatcher {
  const watcher = Deno.watchFs([box.stateDir, box.deployDir], { recursive: true });
  void (async (): Promise<void> => {
    let seen = 0;
    for await (const { kind, paths } of watcher) {
      if (kind === "access") continue;
      seen += 1;
      const isReached = "file" in moment
        ? kind !== "remove" && paths.some((path) => moment.file.test(path))
        : seen >= moment.change;
      if (isReached) reached();
    }
  })();
  return watcher;
}

/** Publishes a release on a deployed box, kills its apply, lets the box converge, and looks. */
export async function killApply(
  box: Box,
  release: ReleaseOptions,
  moment: (box: Box) => Moment,
): Promise<Outcome> {
  // A new kit: the tick bootstraps, and the apply has a lease to take.
  await box.reveal();
  const worker = (await lookAtServices(box))["worker"];
  const leases = box.tenancy.record.leases.length;
  const since = box.tenancy.record.reports.length;
  const sha = await publishRelease(box, release);
  const { killed, log } = await killAt(box, moment(box));
  box.tenancy.faults.clear();
  const problems = exposed(box, [CANARY]).map((each) => `right after the kill: ${each}`);

  const { problem } = await converge(box);
  if (problem !== null) problems.push(problem);
  const services = await lookAtServices(box);
  const states = Object.entries(services).map(([name, { state, revision, exitCode }]) =>
    `${name} ${state} ${name === "web" ? revision : exitCode}`
  ).sort().join(", ");
  const wanted = `job exited 0, web running ${release.revision}, worker running 0`;
  if (states !== wanted) problems.push(`containers: ${states}`);
  if (services["web"]?.env.includes(`KEY=${CANARY}`) !== true) problems.push("web has no secret");
  if (services["worker"]?.id !== worker?.id) problems.push("worker was replaced");
  const leased = box.tenancy.record.leases.length - leases;
  if (leased > 2) problems.push(`${leased} leases`);
  problems.push(...wrongReports(box, { sha, since, results: ["applied"] }));
  problems.push(...exposed(box, [CANARY]), ...leftovers(box).map((each) => `left: ${each}`));
  return { problems, killed, lastLine: log.trimEnd().split("\n").at(-1) ?? "" };
}
