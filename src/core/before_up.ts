/**
 * What is looked at before `up` (SPEC §4): a failure in the middle of it leaves services that were
 * already recreated stopped (facts: docker §5, case 22). Bind sources are the policy's, which runs
 * earlier. Ports that a program outside docker holds cannot be seen from here: PORT_IN_USE then
 * comes from compose itself.
 */

import { AgentError } from "../errors.ts";
import { listProblems } from "../model/bundle_problems.ts";
import type { ComposeModel, ComposeService, PublishedPort } from "../model/compose_model.ts";
import type { HeldName, HeldPort } from "../model/docker_wire.ts";
import { type NetworkFacts, refuseChangedNetworks } from "./changed_networks.ts";
import { refuseUnstartable, type StartFacts } from "./unstartable.ts";

/** What the Engine says. */
export interface BeforeUpFacts extends StartFacts, NetworkFacts {
  /** Names of external networks that do not exist. */
  readonly missingNetworks: readonly string[];
  readonly missingVolumes: readonly string[];
  /** References of images that are not on the box. */
  readonly missingImages: readonly string[];
  /** Of running containers of any project. */
  readonly heldPorts: readonly HeldPort[];
  /** Of the containers of any project, in any state. */
  readonly heldNames: readonly HeldName[];
}

/** The names that the Engine must know before `up`, each once, sorted. */
export interface NeededNames {
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
  readonly images: readonly string[];
}

/** Takes the resolved files; gives what must be there. Services without containers need no image. */
export function neededBeforeUp(model: ComposeModel): NeededNames {
  const names = (all: readonly string[]): readonly string[] => [...new Set(all)].sort();
  const external = (all: ComposeModel["volumes"]): readonly string[] =>
    names(all.filter((each) => each.external).map((each) => each.name));
  return {
    networks: external(model.networks),
    volumes: external(model.volumes),
    images: names(
      model.services.filter((each) => each.replicas > 0).flatMap((each) => each.image ?? []),
    ),
  };
}

/** Takes the resolved files and the facts; gives what would make `up` fail half-way, or null. */
export function refuseBeforeUp(model: ComposeModel, facts: BeforeUpFacts): AgentError | null {
  const { missingNetworks, missingVolumes, missingImages } = facts;
  return refuseUnstartable(model, facts) ??
    refuseChangedNetworks(model, facts) ??
    missing("NETWORK_MISSING", "external networks", missingNetworks) ??
    missing("VOLUME_MISSING", "external volumes", missingVolumes) ??
    missing("IMAGE_NOT_FOUND", "images", missingImages) ??
    refuse("PORT_IN_USE", portProblems(model, facts.heldPorts)) ??
    refuse("NAME_CONFLICT", [...doubleNames(model), ...nameProblems(model, facts.heldNames)]);
}

function missing(
  code: "NETWORK_MISSING" | "VOLUME_MISSING" | "IMAGE_NOT_FOUND",
  what: string,
  names: readonly string[],
): AgentError | null {
  if (names.length === 0) return null;
  return new AgentError(code, `the box has no such ${what}: ${names.join(", ")}`);
}

function refuse(
  code: "PORT_IN_USE" | "NAME_CONFLICT",
  problems: readonly string[],
): AgentError | null {
  return problems.length === 0 ? null : new AgentError(code, listProblems(problems));
}

/**
 * A name that a container of somebody else has makes `up` fail when it has recreated others, and
 * called again it is content with containers under provisional names (measured on 2.26.1).
 */
function nameProblems(model: ComposeModel, held: readonly HeldName[]): readonly string[] {
  const foreign = new Map(
    held.filter((each) => each.project !== model.project).map((each) => [each.name, each]),
  );
  const started = new Set(
    held.filter((each) => each.project === model.project).map((each) => each.service),
  );
  return model.services.flatMap((service) =>
    namesOf(service, { project: model.project, started }).flatMap((name) => {
      const holder = foreign.get(name);
      if (holder === undefined) return [];
      const whose = holder.project === null ? "" : ` of ${holder.project}`;
      return [`${service.name} needs the name ${name}, which another container${whose} has`];
    })
  );
}

/** Compose 2.26 takes such files, and fails when it has made the first of the two (measured). */
function doubleNames(model: ComposeModel): readonly string[] {
  const users = new Map<string, string>();
  return model.services.flatMap(({ name, containerName, replicas }) => {
    if (containerName === null || replicas === 0) return [];
    const first = users.get(containerName);
    users.set(containerName, first ?? name);
    return first === undefined
      ? []
      : [`${name} needs the name ${containerName}, which ${first} needs too`];
  });
}

/** Compose numbers from 1; of a service that has containers already, no one knows the next number. */
function namesOf(
  { name, containerName, replicas }: ComposeService,
  { project, started }: { readonly project: string; readonly started: ReadonlySet<string | null> },
): readonly string[] {
  if (replicas === 0) return [];
  if (containerName !== null) return [containerName];
  if (started.has(name)) return [];
  return Array.from({ length: replicas }, (_, index) => `${project}-${name}-${index + 1}`);
}

/** A port that is needed, by whom, and how many containers need one of its range. */
interface Wish {
  readonly service: string;
  readonly containers: number;
  readonly port: PublishedPort;
  readonly first: number;
  readonly last: number;
}

function portProblems(model: ComposeModel, held: readonly HeldPort[]): readonly string[] {
  const wishes = model.services.filter((each) => each.replicas > 0).flatMap(wishesOf);
  const foreign = held.filter((each) => each.project !== model.project);
  return wishes.flatMap((wish, index) => {
    const holders = foreign.filter((each) => takes(wish, each));
    const rivals = wishes.slice(0, index).filter((other) => rival(wish, other));
    const taken = new Set(holders.map((each) => each.port));
    const free = wish.last - wish.first + 1 - taken.size;
    const name = `${wish.service} publishes ${portName(wish)}`;
    if (free < wish.containers) {
      const holder = holders[0];
      return holder === undefined
        ? [`${name} for ${wish.containers} containers`]
        : [`${name}, which ${holderName(holder)} holds`];
    }
    return rivals.slice(0, 1).map((other) => `${name}, which ${other.service} publishes too`);
  });
}

function wishesOf(service: ComposeService): readonly Wish[] {
  return service.ports.flatMap((port) =>
    port.published === null
      ? []
      : [{ service: service.name, containers: service.replicas, port, ...port.published }]
  );
}

function takes({ port, first, last }: Wish, held: HeldPort): boolean {
  return held.port >= first && held.port <= last && held.protocol === port.protocol &&
    sameAddress(port.hostIp, held.hostIp);
}

/** Only single ports: of two ranges that meet, docker may find a way through. */
function rival(one: Wish, other: Wish): boolean {
  return one.first === one.last && other.first === other.last && one.first === other.first &&
    one.port.protocol === other.port.protocol && sameAddress(one.port.hostIp, other.port.hostIp);
}

function sameAddress(one: string | null, other: string | null): boolean {
  return isEvery(one) || isEvery(other) || one === other;
}

function isEvery(address: string | null): boolean {
  return address === null || address === "0.0.0.0" || address === "::" || address === "[::]";
}

function portName({ first, last, port }: Wish): string {
  const range = first === last ? String(first) : `${first}-${last}`;
  return `${port.hostIp === null ? "" : `${port.hostIp}:`}${range}/${port.protocol}`;
}

function holderName({ container, project }: HeldPort): string {
  return project === null ? `container ${container}` : `container ${container} (${project})`;
}
