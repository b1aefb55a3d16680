/**
 * What compose or the Engine refuses in the middle of an `up`, with the old containers stopped by
 * then, although `config` took it: seen from the resolved files, the images and the Engine's API
 * version (SPEC §4 "Before `up`"; measured on 2.26.1 with Engine 20.10).
 */

import { AgentError } from "../errors.ts";
import { listProblems } from "../model/bundle_problems.ts";
import type { ComposeModel, ComposeService } from "../model/compose_model.ts";
import { compareVersions } from "./versions.ts";

/** What the Engine says. */
export interface StartFacts {
  /** Null: not asked, since no service needs more than the oldest Engine has. */
  readonly apiVersion: string | null;
  /** References of the images on the box that bring a healthcheck of their own. */
  readonly checkedImages: ReadonlySet<string>;
}

/** The API of Engine 25, the first that knows `start_interval`; compose asks for no less. */
const START_INTERVAL_API = "1.44";

/** Says whether the judgement needs the Engine's API version. */
export function needsApiVersion(model: ComposeModel): boolean {
  return started(model).some((each) => each.setsStartInterval);
}

/** Takes the resolved files and the facts; gives COMPOSE_INVALID, DOCKER_TOO_OLD, or null. */
export function refuseUnstartable(model: ComposeModel, facts: StartFacts): AgentError | null {
  const problems = [...unwatched(model, facts), ...swarmOnly(model)];
  if (problems.length > 0) return new AgentError("COMPOSE_INVALID", listProblems(problems));
  const { apiVersion } = facts;
  if (apiVersion === null || compareVersions(apiVersion, START_INTERVAL_API) >= 0) return null;
  const names = started(model).filter((each) => each.setsStartInterval).map((each) => each.name);
  if (names.length === 0) return null;
  return new AgentError(
    "DOCKER_TOO_OLD",
    `${names.join(", ")}: healthcheck.start_interval needs Docker Engine 25 (API ` +
      `${START_INTERVAL_API}), this one speaks API ${apiVersion}`,
  );
}

/** Waiting for the health of what has no healthcheck fails at once. */
function unwatched(model: ComposeModel, { checkedImages }: StartFacts): readonly string[] {
  const services = new Map(started(model).map((each) => [each.name, each]));
  const isChecked = ({ healthTest, image }: ComposeService): boolean =>
    healthTest === "file" ||
    (healthTest === "image" && image !== null && checkedImages.has(image));
  return [...services.values()].flatMap(({ name, dependsOn }) =>
    dependsOn.filter((each) => each.required && each.condition === "service_healthy")
      .flatMap((each) => {
        const awaited = services.get(each.service);
        return awaited === undefined || isChecked(awaited)
          ? []
          : [`${name} waits for ${each.service} to be healthy, which has no healthcheck`];
      })
  );
}

/** External configs and secrets are a swarm's; compose has none. */
function swarmOnly(model: ComposeModel): readonly string[] {
  return (["configs", "secrets"] as const).flatMap((kind) => {
    const external = new Set(
      model[kind].filter((each) => each.source.kind === "external").map((each) => each.key),
    );
    return started(model).flatMap((service) =>
      service[kind].filter((key) => external.has(key))
        .map((key) =>
          `${kind}.${key}, which ${service.name} is given, is external, as only a swarm's can be`
        )
    );
  });
}

function started(model: ComposeModel): readonly ComposeService[] {
  return model.services.filter((each) => each.replicas > 0);
}
