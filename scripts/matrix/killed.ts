/**
 * What is killed, and all that must hold afterwards: the next ticks converge, lease at most once
 * more, lose and double no report, expose no secret, leave nothing lying about (SPEC §4).
 */

import type { Box } from "../box/box.ts";
import { dockerCall } from "../lab/docker_api.ts";
import { converge, type Convergence } from "./converge.ts";
import { killAt, type Moment } from "./kill_at.ts";
import { exposed, leftovers, lookAtServices, wrongReports } from "./look.ts";
import { CANARY, publishRelease, type ReleaseOptions } from "./project.ts";

/** What a killed tick came to. */
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

/** Publishes a release on a deployed box, kills its apply, lets the box converge, and looks. */
export async function killApply(
  box: Box,
  release: ReleaseOptions,
  moment: (box: Box) => Moment,
): Promise<Outcome> {
  const worker = (await lookAtServices(box))["worker"];
  const sha = await publishRelease(box, release);
  const outcome = await killTick(box, { moment, sha, results: ["applied"] });
  const services = await lookAtServices(box);
  const problems = [...outcome.problems, ...wrongServices(services, release.revision)];
  if (services["worker"]?.id !== worker?.id) problems.push("worker was replaced");
  return { ...outcome, problems };
}

/** Removes a service's container by hand, kills the repair, lets the box converge, and looks. */
export async function killRepair(
  box: Box,
  revision: string,
  moment: (box: Box) => Moment,
): Promise<Outcome> {
  const { web, job } = await lookAtServices(box);
  const target = `/containers/${web?.id}?force=1`;
  await dockerCall(box.lab.docker.socket, "DELETE", target);
  // A repair that was killed after its containers came up has nothing left to report.
  const results = ["repaired", ""];
  const outcome = await killTick(box, { moment, sha: desiredSha(box), results });
  const services = await lookAtServices(box);
  const problems = [...outcome.problems, ...wrongServices(services, revision)];
  if (services["job"]?.startedAt !== job?.startedAt) problems.push("the one-shot ran again");
  return { ...outcome, problems };
}

/** Wants nothing to run, kills the removal, lets the box converge, and looks. */
export async function killRemoval(box: Box, moment: (box: Box) => Moment): Promise<Outcome> {
  const sha = desiredSha(box);
  await box.tenancy.setAbsent(box.env);
  const outcome = await killTick(box, { moment, sha, results: ["removed"] });
  const left = await box.containers();
  return { ...outcome, problems: [...outcome.problems, ...left.map((each) => `left: ${each.Id}`)] };
}

interface Kill {
  readonly moment: (box: Box) => Moment;
  /** The release that reports are about, and what they may say in all. */
  readonly sha: string | null;
  readonly results: readonly string[];
}

async function killTick(box: Box, { moment, sha, results }: Kill): Promise<Outcome> {
  // A new kit: the tick bootstraps, and an apply has a lease to take.
  await box.reveal();
  const leases = box.tenancy.record.leases.length;
  const since = box.tenancy.record.reports.length;
  const { killed, log } = await killAt(box, moment(box));
  box.tenancy.faults.clear();
  const problems = exposed(box, [CANARY]).map((each) => `right after the kill: ${each}`);
  const convergence: Convergence = await converge(box);
  if (convergence.problem !== null) problems.push(convergence.problem);
  const leased = box.tenancy.record.leases.length - leases;
  if (leased > 2) problems.push(`${leased} leases`);
  problems.push(...wrongReports(box, { sha, since, results }));
  problems.push(...exposed(box, [CANARY]), ...leftovers(box).map((each) => `left: ${each}`));
  return { problems, killed, lastLine: log.trimEnd().split("\n").at(-1) ?? "" };
}

function wrongServices(
  services: Awaited<ReturnType<typeof lookAtServices>>,
  revision: string,
): readonly string[] {
  const states = Object.entries(services).map(([name, { state, exitCode, ...each }]) =>
    `${name} ${state} ${name === "web" ? each.revision : exitCode}`
  ).sort().join(", ");
  const wanted = `job exited 0, web running ${revision}, worker running 0`;
  const hasSecret = services["web"]?.env.includes(`KEY=${CANARY}`) === true;
  return [
    ...(states === wanted ? [] : [`containers: ${states}`]),
    ...(hasSecret ? [] : ["web has no secret"]),
  ];
}

function desiredSha(box: Box): string | null {
  const desired = box.tenancy.desired(box.env);
  return desired.state === "present" ? desired.sha : null;
}
