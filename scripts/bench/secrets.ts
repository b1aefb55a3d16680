/**
 * 200 secrets from an OpenBao that is far away (SPEC §13), in round trips: the agent's own client over
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
/** What the HTTP port opens for so many reads. */
const READ_CONNECTIONS = 8;
/** The distance of SPEC §13, and one at which this machine's own noise is small beside it. */
const RTT_MS = { given: 50, far: 400 } as const;

/** How one way to the secrets was measured: the best round of each distance; others were disturbed. */
export interface SecretsFigures {
  readonly name: string;
  /** Milliseconds next door, at 50 ms and at 400 ms. */
  readonly nearMs: number;
  readonly givenMs: number;
  readonly farMs: number;
  /** Dials, and turns from listening to speaking, as the forwarders saw them. */
  readonly counted: number;
  /** `farMs` less `nearMs`, in round trips of 400 ms. */
  readonly timed: number;
  /** What SPEC §13 allows; null for a way that it does not name. */
  readonly allowed: number | null;
  /** Connections to OpenBao in one round. */
  readonly connections: number;
}

/** One way to the secrets; gives how many values it has. */
type Way = () => Promise<number>;

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
export interface NamedWay {
  readonly name: string;
  readonly allowed: number | null;
  readonly run: Way;
}

async function measureWay(
  box: Box,
  { name, allowed, run }: NamedWay,
  rounds: number,
): Promise<SecretsFigures> {
  const least = { near: Infinity, given: Infinity, far: Infinity };
  // The first run reads the runtime's roots of trust, which is no matter of distance.
  await timed(box, 0, run);
  for (let round = 0; round < rounds; round++) {
    least.near = Math.min(least.near, await timed(box, 0, run));
    least.given = Math.min(least.given, await timed(box, RTT_MS.given, run));
    least.far = Math.min(least.far, await timed(box, RTT_MS.far, run));
  }
  return {
    name,
    nearMs: least.near,
    givenMs: least.given,
    farMs: least.far,
    counted: countTrips(box),
    timed: (least.far - least.near) / RTT_MS.far,
    allowed,
    connections: box.paths.bao.counts.connections,
  };
}

/** Goes a way once with the given distance in between; gives its milliseconds. */
export async function timed({ paths }: Box, rttMs: number, run: Way): Promise<number> {
  for (const { faults } of [paths.bao, paths.tenancy]) {
    Object.assign(faults, { delayMs: rttMs / 2, connectMs: rttMs });
  }
  paths.bao.resetCounts();
  paths.tenancy.resetCounts();
  const begun = performance.now();
  const count = await run();
  const ms = performance.now() - begun;
  if (count !== SECRETS) throw new Error(`${count} of ${SECRETS} secrets were read`);
  return ms;
}

/** Gives the round trips of the last run: the reads share theirs, what came before them had its own. */
export function countTrips({ paths }: Box): number {
  const trips = (turns: readonly number[]): number =>
    turns.reduce((sum, count) => sum + 1 + count, 0);
  const reads = Math.min(paths.bao.turns.length, READ_CONNECTIONS);
  const before = paths.bao.turns.slice(0, -reads);
  return trips(paths.tenancy.turns) + trips(before) + 1 +
    Math.max(...paths.bao.turns.slice(-reads));
}

/** Writes the secrets; gives the ways that an apply takes to them, through the agent's own clients. */
export async function waysTo(box: Box): Promise<readonly NamedWay[]> {
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
  const read = async (token: Secret): Promise<number> => {
    const { values } = await readSecrets(ports, {
      config,
      token,
      entries,
      timeoutMs: 60_000,
      confirmToken: true,
      mask,
    });
    return values.size;
  };
  const login = async (grant: string): Promise<Secret> =>
    (await bao.login(new Secret(grant))).token;
  const { grant } = await box.tenancy.issueBootstrapGrant(box.env);
  const token = await login(grant);
  return [
    { name: "warm token", allowed: 4, run: () => read(token) },
    { name: "login first", allowed: 8, run: async () => await read(await login(grant)) },
    {
      name: "lease and login first",
      allowed: null,
      run: async () => await read(await login((await tenancy.lease(token, "apply")).grant)),
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
      each.name.padEnd(23),
      each.nearMs.toFixed(0).padStart(9),
      each.givenMs.toFixed(0).padStart(10),
      each.farMs.toFixed(0).padStart(11),
      String(each.counted).padStart(9),
      each.timed.toFixed(1).padStart(7),
      String(each.allowed ?? "-").padStart(9),
      String(each.connections).padStart(13),
    ].join("")
  );
  const head =
    "                          0 ms     50 ms     400 ms  counted  timed  allowed  connections";
  return [`${SECRETS} secrets, by the milliseconds of a round trip`, "", head, ...rows].join("\n");
}
