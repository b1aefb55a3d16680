/**
 * A small model of a box for the convergence property: containers, state and releases on disk, and
 * what each step of a plan does to them, in pieces between which everything can stop. It knows what
 * compose and the engine do, and nothing of how a tick decides: decide, plan and settle are the real
 * ones.
 */

import { takeReleased } from "../../src/core/as_released.ts";
import { decide, type Decision } from "../../src/core/decide.ts";
import { planApply, planRemove, planRepairSteps } from "../../src/core/plan.ts";
import { broughtUpBy } from "../../src/core/repair.ts";
import { type Ending, settle } from "../../src/core/settle.ts";
import type { Step, StepArgs } from "../../src/core/step.ts";
import type { ComposeModel } from "../../src/model/compose_model.ts";
import type { Container } from "../../src/model/containers.ts";
import type { AgentState, Report } from "../../src/model/state.ts";
import type { Desired } from "../../src/model/tenancy_wire.ts";
import { container, model, service } from "../fakes/docker_values.ts";

/** One service of a release. */
export interface ModelService {
  readonly replicas: number;
  readonly oneShot: boolean;
  /** A changed revision is a changed config hash and image. */
  readonly revision: number;
}

/** Service name → what the release asks for. */
export type ModelRelease = Readonly<Record<string, ModelService>>;

/** Thrown where a tick is killed. */
export class Killed extends Error {}

/** The box. Tests fill it with anything and tick. */
export class BoxModel {
  readonly releases: Readonly<Record<string, ModelRelease>>;
  containers: Container[] = [];
  readonly disk = new Set<string>();
  state: AgentState;
  now = Date.UTC(2026, 10, 30);
  /** How often the services will still turn out unhealthy after an up. */
  flaky = 0;
  readonly delivered: Report[] = [];
  #ids = 0;
  #pieces = Infinity;

  constructor(releases: Readonly<Record<string, ModelRelease>>, state: AgentState) {
    this.releases = releases;
    this.state = state;
  }

  /** Decides, and carries the decision out; null when the tick was killed, after so many pieces. */
  tick(desired: Desired, pieces = Infinity): Decision | null {
    this.#pieces = pieces;
    this.#engineGoesOn();
    const { containers, now } = this;
    try {
      this.#deliver();
      const { state } = this;
      const releaseOnDisk = state.applied !== null && this.disk.has(state.applied.sha);
      const decision = decide({
        ...{ now, force: false, desired, state, containers, releaseOnDisk },
        restores: false,
      });
      this.#carryOut(decision);
      this.#deliver();
      return decision;
    } catch (thrown) {
      if (thrown instanceof Killed) return null;
      throw thrown;
    }
  }

  /** The files of a release as compose resolves them. */
  modelOf(sha: string): ComposeModel {
    const services = Object.entries(this.releases[sha] ?? {}).map(([name, each]) =>
      service({ name, replicas: each.replicas, restart: each.oneShot ? "on-failure" : "always" })
    );
    return model(services);
  }

  /** A container as the release asks for it. */
  asReleased(sha: string, name: string): Container {
    const { revision = 0, oneShot = false } = this.releases[sha]?.[name] ?? {};
    return container({
      id: `c${++this.#ids}`,
      service: name,
      state: oneShot ? "exited" : "running",
      exitCode: oneShot ? 0 : null,
      configHash: `${name}-${revision}`,
      imageId: `sha256:${revision}`,
    });
  }

  /** A restart and a removal end by themselves between two ticks. */
  #engineGoesOn(): void {
    this.containers = this.containers
      .filter((each) => each.state !== "removing")
      .map((each) =>
        each.state === "restarting" ? { ...each, state: "running", exitCode: null } : each
      );
  }

  #piece(): void {
    if (this.#pieces-- <= 0) throw new Killed();
  }

  #deliver(): void {
    for (const report of this.state.outbox) {
      this.#piece();
      if (!this.delivered.some((each) => each.report_id === report.report_id)) {
        this.delivered.push(report);
      }
      this.#piece();
      const outbox = this.state.outbox.filter((each) => each.report_id !== report.report_id);
      this.state = { ...this.state, outbox };
    }
  }

  #carryOut(decision: Decision): void {
    switch (decision.kind) {
      case "apply":
        return this.#apply(decision.sha);
      case "repair": {
        const sha = this.state.applied?.sha ?? "";
        const healthy = this.#run(planRepairSteps(sha, decision.repair), sha);
        const released = takeReleased(this.containers, this.modelOf(sha));
        const broughtUp = broughtUpBy(decision.repair);
        return this.#settle(
          healthy ? { kind: "repaired", released, broughtUp } : this.#failed(sha, false),
        );
      }
      case "flapping":
        return this.#settle(this.#failed(this.state.applied?.sha ?? "", false));
      case "remove":
        this.#run(planRemove(false), "");
        return this.#settle({ kind: "removed" });
      default:
        return;
    }
  }

  #apply(sha: string): void {
    const meta = { envId: null, serial: null, createdAt: null, images: [] };
    const bundle = {
      ...{ sha, serial: 1, signature: null, files: [], template: null, compose: "" },
      manifest: { entries: [], registries: [] },
      meta: { ...meta, allowRollback: false, minVersion: null },
    };
    const plan = planApply(bundle, { state: this.state, releasesKept: 2 });
    if (!this.#run(plan, sha)) return this.#settle(this.#failed(sha, true));
    const released = takeReleased(this.containers, this.modelOf(sha));
    this.#settle({ kind: "applied", sha, serial: 1, released, secrets: [] });
  }

  #failed(sha: string, touched: boolean): Ending {
    const facts = { sha, serial: 1, code: "UNHEALTHY", detail: "UNHEALTHY", hint: "", secrets: [] };
    return { kind: "failed", ...facts, touched };
  }

  #settle(ending: Ending): void {
    this.#piece();
    this.state = settle(this.state, ending, {
      reportId: `r${++this.#ids}`,
      ...{ agentVersion: "0.2.0", tokenSource: "lease", steps: [], services: [] },
      ...{ startedAt: this.now, finishedAt: this.now },
    });
  }

  /** Gives false when a step failed. */
  #run(steps: readonly Step[], sha: string): boolean {
    for (const step of steps) {
      this.#piece();
      if (!this.#step(step, sha)) return false;
    }
    return true;
  }

  #step(step: Step, sha: string): boolean {
    const mark = (): void => {
      const since = new Date(this.now).toISOString();
      this.state = { ...this.state, applying: { sha, step: step.action, since } };
    };
    switch (step.action) {
      case "stage":
        mark();
        this.#piece();
        this.disk.add(sha);
        return true;
      case "up":
        mark();
        this.#up(sha, Object.keys(this.releases[sha] ?? {}), { orphans: true, force: false });
        return true;
      case "repair":
        this.#repair(sha, step.args);
        return true;
      case "health":
        return this.flaky-- <= 0;
      case "prune":
        for (const each of [...this.disk].filter((other) => other !== sha)) {
          this.#piece();
          this.disk.delete(each);
        }
        return true;
      case "down":
        for (const each of [...this.containers]) this.#remove(each);
        return true;
      case "forget":
        this.disk.clear();
        return true;
      default:
        return true;
    }
  }

  #repair(sha: string, { unpause, start, recreate }: StepArgs["repair"]): void {
    for (const id of unpause) this.#change(id, { state: "running" });
    this.#up(sha, start, { orphans: false, force: false });
    this.#up(sha, recreate, { orphans: false, force: true });
  }

  /** compose up: orphans go, then each service is created, its old containers stopped and removed, started. */
  #up(
    sha: string,
    services: readonly string[],
    options: { readonly orphans: boolean; readonly force: boolean },
  ): void {
    const release = this.releases[sha] ?? {};
    if (options.orphans) {
      const known = (each: Container): boolean => each.oneoff || each.service in release;
      for (const orphan of this.containers.filter((each) => !known(each))) this.#remove(orphan);
    }
    for (const name of services) this.#converge(sha, name, options.force);
  }

  #converge(sha: string, name: string, force: boolean): void {
    const wanted = this.releases[sha]?.[name];
    if (wanted === undefined) throw new Error(`compose: no such service: ${name}`);
    const fresh = this.asReleased(sha, name);
    const own = this.containers.filter((each) => each.service === name && !each.oneoff);
    const fits = (each: Container): boolean =>
      !force && each.configHash === fresh.configHash && each.imageId === fresh.imageId &&
      !["dead", "removing", "hovering"].includes(each.state);
    const kept = own.filter(fits).slice(0, wanted.replicas);
    const old = own.filter((each) => !kept.includes(each));
    const made = Array.from({ length: wanted.replicas - kept.length }, (): Container => ({
      ...this.asReleased(sha, name),
      state: "created",
      exitCode: null,
    }));
    for (const each of made) {
      this.#piece();
      this.containers.push(each);
    }
    for (const each of old) {
      this.#change(each.id, { state: "exited", exitCode: 137 });
      this.#remove(each);
    }
    const { state, exitCode, health } = fresh;
    for (const each of [...kept, ...made]) {
      // compose leaves an unhealthy container alone, and cannot start a paused one.
      if (each.state === "paused") this.#change(each.id, { state: "running" });
      else if (each.state !== "running") this.#change(each.id, { state, exitCode, health });
    }
  }

  #change(id: string, change: Partial<Container>): void {
    this.#piece();
    this.containers = this.containers.map((each) => each.id === id ? { ...each, ...change } : each);
  }

  #remove({ id }: Container): void {
    this.#piece();
    this.containers = this.containers.filter((each) => each.id !== id);
  }
}
