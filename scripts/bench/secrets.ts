/**
 * Secrets from an OpenBao that is far away (SPEC §13), in round trips: the agent's own client over
 * forwarders that delay every byte and every dial, on the real server. Round trips are counted on the
 * wire, which no busy machine can change, and timed: the time far away less the time next door.
 */

import { makeBox } from "../box/box.ts";
import type { Box } from "../box/box.ts";
import type { LabInfo } from "../lab/mod.ts";
import { createOpenBao } from "../../src/clients/openbao.ts";
import { readSecrets } from "../../src/clients/secrets.ts";
import { createTenancy } from "../../src/clients/tenancy.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { createClock } from "../../src/io/clock.ts";
import { createHttp, httpOptions } from "../../src/io/mod.ts";
import { createRandom } from "../../src/io/random.ts";
import { Secret } from "../../src/model/secret.ts";

const SECRETS = 200;
/** A distance at which this machine's own noise is small beside it. */
const FAR_MS = 400;

/** How one way to the secrets was measured: the best round of each distance; others were disturbed. */
export interface SecretsFigures {
  readonly name: string;
  /** How far away it is asked of, in milliseconds of a round trip. */
  readonly distanceMs: number;
  /** Milliseconds next door, at that distance and at 400 ms. */
  readonly nearMs: number;
  readonly givenMs: number;
  readonly farMs: number;
  /** Round trips along the longest chain of causes, as the forwarders saw them. */
  readonly counted: number;
  /** `farMs` less `nearMs`, in round trips of 400 ms. */
  readonly timed: number;
  /** What is allowed; null for a way that no promise names. */
  readonly allowed: number | null;
  /** What no client can go below: a dial, TLS 1.3, and each answer that the next request needs. */
  readonly limit: number;
  /** Connections to OpenBao in one round. */
  readonly connections: number;
}

/**
 * Measures each way at each distance, the distances in turn.
 *
 * @param lab whose OpenBao it is
 * @param rounds of each distance
 * @throws Error when a read gives fewer secrets than there are
 */
export async function measureSecrets(
  lab: LabInfo,
  rounds: number,
): Promise<readonly SecretsFigures[]> {
  await using box = await makeBox(lab, { leasesPerHour: 1000 });
  const figures: SecretsFigures[] = [];
  for (const way of await waysTo(box)) figures.push(await measureWay(box, way, rounds));
  return figures;
}

/** A way to the secrets, what it may cost, and how it is gone. */
export interface Way {
  readonly name: string;
  readonly distanceMs: number;
  readonly allowed: number | null;
  readonly limit: number;
  readonly secrets: number;
  /** Goes it; gives how many values it has. */
  readonly run: () => Promise<number>;
}

async function measureWay(box: Box, way: Way, rounds: number): Promise<SecretsFigures> {
  const least = { near: Infinity, given: Infinity, far: Infinity };
  // The first run reads the runtime's roots of trust, which is no matter of distance.
  await timed(box, 0, way);
  for (let round = 0; round < rounds; round++) {
    least.near = Math.min(least.near, await timed(box, 0, way));
    least.given = Math.min(least.given, await timed(box, way.distanceMs, way));
    least.far = Math.min(least.far, await timed(box, FAR_MS, way));
  }
  return {
    name: way.name,
    distanceMs: way.distanceMs,
    nearMs: least.near,
    givenMs: least.given,
    farMs: least.far,
    counted: countTrips(box),
    timed: (least.far - least.near) / FAR_MS,
    allowed: way.allowed,
    limit: way.limit,
    connections: box.paths.bao.counts.connections,
  };
}

/** Goes a way once with the given distance in between; gives its milliseconds. */
export async function timed({ paths }: Box, rttMs: number, way: Way): Promise<number> {
  for (const { faults } of [paths.bao, paths.tenancy]) {
    Object.assign(faults, { delayMs: rttMs / 2, connectMs: rttMs });
  }
  paths.bao.resetCounts();
  paths.tenancy.resetCounts();
  const begun = performance.now();
  const count = await way.run();
  const ms = performance.now() - begun;
  if (count !== way.secrets) throw new Error(`${count} of ${way.secrets} secrets were read`);
  return ms;
}

/** Gives the round trips of the last run: what tenancy is asked comes before what OpenBao is. */
export function countTrips({ paths }: Box): number {
  return paths.tenancy.trips.count + paths.bao.trips.count;
}

/** Writes the secrets; gives the ways that an apply takes to them, through the agent's own clients. */
export async function waysTo(box: Box): Promise<readonly Way[]> {
  await writeSecrets(box);
  const { config } = parseConfig(await Deno.readTextFile(box.configPath));
  const caPem = await Deno.readTextFile(box.bao.bao.caFile);
  const ports = {
    http: createHttp(httpOptions(config, caPem)),
    clock: createClock(),
    random: createRandom(),
  };
  const mask = (): void => {};
  const bao = createOpenBao(ports, config, { mask });
  const tenancy = createTenancy(ports, {
    envId: config.envId,
    timeoutMs: 10_000,
    fetchTimeoutMs: 10_000,
  });
  const entries = Array.from({ length: SECRETS }, (_, index) => ({
    var: `V${index}`,
    path: `some/path/${index}`,
    key: "value",
    version: 1,
  }));
  const read = async (token: Secret, count = SECRETS): Promise<number> => {
    const { values } = await readSecrets(ports, {
      config,
      token,
      entries: entries.slice(0, count),
      timeoutMs: 60_000,
      confirmToken: true,
      mask,
    });
    return values.size;
  };
  const login = async (grant: string, readsAfter = SECRETS): Promise<Secret> =>
    (await bao.login(new Secret(grant), { readsAfter })).token;
  const { grant } = await box.tenancy.issueBootstrapGrant(box.env);
  const token = await login(grant);
  const given = { distanceMs: 50, secrets: SECRETS };
  return [
    { ...given, name: "200, warm token", allowed: 4, limit: 3, run: () => read(token) },
    {
      ...given,
      name: "200, login first",
      allowed: 8,
      limit: 4,
      run: async () => await read(await login(grant)),
    },
    {
      ...given,
      name: "200, lease and login first",
      allowed: null,
      limit: 6,
      run: async () => await read(await login((await tenancy.lease(token, "apply")).grant)),
    },
    {
      name: "64, login first",
      distanceMs: 80,
      secrets: 64,
      allowed: 5,
      limit: 4,
      run: async () => await read(await login(grant, 64), 64),
    },
  ];
}

async function writeSecrets(box: Box): Promise<void> {
  for (let start = 0; start < SECRETS; start += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const value = `value ${start + index} `.padEnd(200, "x");
        return box.secret(`some/path/${start + index}`, { value });
      }),
    );
  }
}

/** Gives the figures as a table for people. */
export function showSecrets(figures: readonly SecretsFigures[]): string {
  const rows = figures.map((each) =>
    [
      each.name.padEnd(27),
      each.nearMs.toFixed(0).padStart(5),
      `${each.givenMs.toFixed(0)} at ${each.distanceMs}`.padStart(12),
      each.farMs.toFixed(0).padStart(8),
      String(each.counted).padStart(9),
      each.timed.toFixed(1).padStart(7),
      String(each.allowed ?? "-").padStart(9),
      String(each.limit).padStart(7),
      String(each.connections).padStart(13),
    ].join("")
  );
  const head =
    "                            0 ms  ms at ms of    400  counted  timed  allowed  limit  connections";
  return ["secrets, by the milliseconds of a round trip", "", head, ...rows].join("\n");
}
