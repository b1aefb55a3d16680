/**
 * A bench for the bridge's tests: an installed bridge with a stand-in addon in a folder of its own,
 * an HTTP port that dials through it, and what can be seen of it from outside.
 */

import { assertEquals } from "@std/assert";
import { createDialer } from "../../src/io/create_dialer.ts";
import { createHttp, type HeldHttp } from "../../src/io/http.ts";
import { testHttpOptions, testRequest } from "../io/http_setup.ts";
import { plainReply, type RawServer, rawServer } from "../io/raw_server.ts";
import { AgentError } from "../../src/errors.ts";
import {
  changeStandin,
  identityText,
  installBridge,
  nodePath,
  type StandinOptions,
} from "./install.ts";

/** What a test changes; services are added to `t`, a server that answers `{}`. */
export interface BenchOptions extends Partial<StandinOptions> {
  readonly loginTimeoutMs?: number;
  readonly dialTimeoutMs?: number;
  readonly node?: string;
}

/** A bench that stands. */
export interface Bench {
  readonly folder: string;
  readonly identity: string;
  readonly server: RawServer;
  readonly http: HeldHttp;
  /** Days left that were warned of. */
  readonly warned: readonly number[];
  /** A second agent on the same folders. */
  another(): HeldHttp;
  /** Lets the server answer what asked for `/slow`. */
  answerSlow(): void;
  /** Asks a service (`t` unless told) for `/x`; gives the status, or the error. */
  ask(service?: string, timeoutMs?: number): Promise<number | AgentError>;
  /** The calls that the stand-in got. */
  calls(): Promise<readonly string[]>;
  change(standin: Partial<StandinOptions>): Promise<void>;
  /** The ids of the bench's processes, zombies included. */
  pids(): readonly number[];
  sockets(): readonly string[];
}

/** What no exchange and no dial of a slow machine takes, unless it waits for what never comes. */
const LONG_MS = 60_000;
const BRIDGE_MS = 20_000;

/** Makes a bench, lends it, closes it, and insists that nothing of it is left. */
export async function onBench(
  options: BenchOptions,
  test: (bench: Bench) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "bridge_" });
  const slow = Promise.withResolvers<void>();
  const server = rawServer(async (peer) => {
    for (let asked = await peer.request(); asked !== null; asked = await peer.request()) {
      if (asked.includes("/slow")) await slow.promise;
      await peer.send(plainReply("{}"));
    }
  });
  const full = (changes: Partial<StandinOptions>): StandinOptions => ({
    ...changes,
    services: { t: { port: server.port }, ...changes.services },
    marker: `${folder}/calls`,
  });
  const bridge = await installBridge(folder, full(options));
  const identity = `${folder}/identity.json`;
  await Deno.writeTextFile(identity, await identityText());
  const warned: number[] = [];
  const node = options.node ?? await nodePath();
  const open = (service = "t"): HeldHttp => {
    const { endpoints, ...rest } = testHttpOptions({});
    const sdk = {
      node,
      bridge,
      identity,
      folder: `${folder}/.run`,
      services: { tenancy: service, bao: "t" },
      onExpiring: (days: number): void => void warned.push(days),
      loginTimeoutMs: options.loginTimeoutMs ?? BRIDGE_MS,
      dialTimeoutMs: options.dialTimeoutMs ?? BRIDGE_MS,
    };
    const dialer = createDialer({ transport: "sdk", mappings: [], ipRange: "", sdk });
    return createHttp({ ...rest, endpoints, dialer });
  };
  const opened = new Map<string, HeldHttp>();
  const httpOf = (service: string): HeldHttp => {
    const http = opened.get(service) ?? open(service);
    opened.set(service, http);
    return http;
  };
  const bench: Bench = {
    folder,
    identity,
    server,
    http: httpOf("t"),
    warned,
    another: () => {
      const http = open();
      opened.set(`another ${opened.size}`, http);
      return http;
    },
    answerSlow: slow.resolve,
    ask: (service = "t", timeoutMs = LONG_MS) => ask(httpOf(service), timeoutMs),
    calls: async () =>
      (await Deno.readTextFile(`${folder}/calls`).catch(() => "")).split("\n").filter(Boolean),
    change: (changes) => changeStandin(folder, full(changes)),
    pids: () => pidsOf(folder),
    sockets: () => socketsIn(`${folder}/.run`),
  };
  try {
    await test(bench);
  } finally {
    slow.resolve();
    for (const http of opened.values()) await http.close();
    await server.close();
    const left = await whatStays(folder);
    await Deno.remove(folder, { recursive: true });
    assertEquals(left, { pids: [], sockets: [] }, "something of the bridge is left");
  }
}

/** Test files that run side by side share this process: their zombies last for a moment, ours stay. */
async function whatStays(folder: string): Promise<unknown> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const left = { pids: [...pidsOf(folder), ...zombies()], sockets: socketsIn(`${folder}/.run`) };
    if (left.pids.length === 0 || Date.now() > deadline) return left;
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Sends one request; gives the status, or the error. */
export async function ask(http: HeldHttp, timeoutMs = LONG_MS): Promise<number | AgentError> {
  try {
    return (await http.request(testRequest({ timeoutMs }))).status;
  } catch (thrown) {
    if (thrown instanceof AgentError) return thrown;
    throw thrown;
  }
}

/**
 * Looks again and again until it holds; throws after two seconds of looking. They are counted in
 * pauses: while a machine stands still nobody has a turn, neither the bridge nor who looks for it.
 */
export async function withinTwoSeconds(what: string, holds: () => boolean): Promise<void> {
  for (let turn = 0; !holds(); turn += 1) {
    if (turn === 40) throw new Error(`${what} did not come within 2 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Processes that run the bridge installed in the folder. */
export function pidsOf(folder: string): readonly number[] {
  return pidsThat((pid) => {
    const [, program = ""] = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
    return program.startsWith(`${folder}/bridge/`);
  });
}

/** Children of this process, of whichever test, that ended and were not waited for. */
function zombies(): readonly number[] {
  return pidsThat((pid) => {
    const [, state, parent] = /\) (\S) (\d+) /.exec(Deno.readTextFileSync(`/proc/${pid}/stat`)) ??
      [];
    return state === "Z" && Number(parent) === Deno.pid;
  });
}

function pidsThat(holds: (pid: number) => boolean): readonly number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    if (!Number.isInteger(pid) || pid === Deno.pid) return false;
    try {
      return holds(pid);
    } catch {
      // It ended while it was looked at.
      return false;
    }
  });
}

/** The names in the runtime folder. */
export function socketsIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
  } catch {
    return [];
  }
}
