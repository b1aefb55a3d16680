/**
 * An agent wired from stand-ins in memory: OpenBao, tenancy, Docker, disk, clock. A test can let it
 * die before any effect, start it again on the same disk, and count what it asked.
 */

import { parseConfig } from "../../src/config/parse.ts";
import type { Agent } from "../../src/engine/agent.ts";
import { readMemory } from "../../src/engine/load.ts";
import type { Memory } from "../../src/engine/memory.ts";
import { wireAgent } from "../../src/engine/wire.ts";
import { Mask } from "../../src/model/mask.ts";
import type { Http, HttpReply, HttpRequest, LogFields, Ports } from "../../src/ports.ts";
import { createFakeDocker } from "../fakes/docker.ts";
import { createFakeBao, type FakeBao } from "../fakes/openbao.ts";
import { type StillClock, stillClock } from "../fakes/openbao_clock.ts";
import { type MemoryFiles, memoryFiles } from "../fakes/memory_files.ts";
import { createFakeTenancy, type FakeTenancy } from "../fakes/tenancy.ts";

/** Where things lie on the box's disk. */
export const PLACES = { session: "/s/session.json", state: "/s/state.json", grant: "/b/grant.jwt" };

/** What a test sees when the process was killed. */
export class Killed extends Error {
  override readonly name = "Killed";
}

/** The box. */
export interface SessionBox {
  readonly agent: Agent;
  readonly clock: StillClock;
  readonly bao: FakeBao;
  readonly tenancy: FakeTenancy;
  readonly files: MemoryFiles;
  /** Lines of the log: `level event code`. */
  readonly lines: readonly string[];
  /** The agent's own effects since the start: `POST /v1/…`, `write /s/session.json`. */
  readonly effects: readonly string[];
  /** Sets this box's clock ahead of everybody else's, by so many seconds. */
  skew(seconds: number): void;
  /** Sets the fraction of chance that is drawn from now on; 0.5 at the start. */
  chance(draw: () => number): void;
  /** From now on, what is asked of OpenBao at targets that end so gets this instead; null: nothing does. */
  fail(ending: string, answer: HttpReply | Error | null): void;
  /** Kills the process before its n-th effect from now (0: the next); null: never. */
  killBefore(effect: number | null): void;
  /** Lays a fresh bootstrap grant on the disk. */
  reveal(claims?: Readonly<Record<string, string | number | undefined>>): Promise<void>;
  /** What the disk remembers, as a starting process reads it. */
  memory(): Promise<Memory>;
}

/** Makes a box whose renewal threshold is six hours. */
export async function sessionBox(options: { leasesPerHour?: number } = {}): Promise<SessionBox> {
  const envId = "env-a";
  const clock = stillClock();
  const bao = await createFakeBao(clock);
  const tenancy = createFakeTenancy(bao, clock, { envId, ...options });
  const docker = createFakeDocker();
  const files = memoryFiles();
  const lines: string[] = [];
  const effects: string[] = [];
  let left: number | null = null;
  let failing: { readonly ending: string; readonly answer: HttpReply | Error } | null = null;
  let skewMs = 0;
  let draw = (): number => 0.5;

  /** A dead process has no further effect, whatever its code still tries. */
  function effect(what: string): void {
    if (left !== null && left <= 0) throw new Killed(what);
    if (left !== null) left--;
    effects.push(what);
  }
  files.before((change, path) => effect(`${change} ${path}`));

  async function send(request: HttpRequest): ReturnType<Http["request"]> {
    if (request.peer === "docker") return await docker.http.request(request);
    effect(`${request.method} ${request.target}`);
    if (request.peer === "bao" && failing !== null && request.target.endsWith(failing.ending)) {
      if (failing.answer instanceof Error) throw failing.answer;
      return failing.answer;
    }
    return request.peer === "bao" ? await bao.http.request(request) : await tenancy.answer(request);
  }

  const ports: Ports = {
    clock: { ...clock, now: () => clock.now() + skewMs },
    random: { uuid: () => crypto.randomUUID(), fraction: () => draw() },
    digest: { sha256: () => Promise.resolve("") },
    files,
    lock: { acquire: () => Promise.resolve({ release: () => {} }) },
    exec: { run: () => Promise.reject(new Error("no program is run here")) },
    http: { request: send, many: (all) => Promise.all(all.map(send)) },
    log: {
      write: (level, event, fields: LogFields = {}) => {
        lines.push([level, event, fields["code"] ?? ""].join(" ").trim());
      },
    },
    out: { print: () => {} },
    signals: { stop: new AbortController().signal },
    box: { uid: () => 0, isTaken: () => null },
  };
  const { config } = parseConfig(
    `env_id: ${envId}\nsite: lab\ntransport: proxy\nstate_dir: /s\ndeploy_dir: /d\n` +
      `bootstrap_file: ${PLACES.grant}\n`,
  );
  const agent = wireAgent(config, { ports, mask: new Mask(), ownUid: 0 });
  return {
    agent,
    clock,
    bao,
    tenancy,
    files,
    lines,
    effects,
    skew: (seconds) => {
      skewMs = seconds * 1000;
    },
    chance: (next) => {
      draw = next;
    },
    fail: (ending, answer) => {
      failing = answer === null ? null : { ending, answer };
    },
    killBefore: (effect) => {
      left = effect;
    },
    async reveal(claims): Promise<void> {
      files.put(PLACES.grant, await tenancy.reveal(claims));
    },
    memory: () => readMemory(agent, { repair: true }),
  };
}
