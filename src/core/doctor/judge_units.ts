/**
 * What starts the ticks: the timer, or the loop for boxes on `sdk` (SPEC §7). Reads what
 * `systemctl show` prints. Pure.
 */

import type { Config } from "../../model/config.ts";
import { fail, ok, type Verdict, warn } from "./verdict.ts";

/** The units that may start ticks, and the proxy's. */
export const UNITS = {
  timer: "monky-deployd.timer",
  tick: "monky-deployd.service",
  loop: "monky-deployd-run.service",
  proxy: "monky-deployd-proxy.service",
} as const;

/** The properties that are asked for. */
export const UNIT_PROPERTIES = ["Id", "LoadState", "ActiveState", "UnitFileState", "Result"];

/** A unit as systemd sees it. */
export interface UnitState {
  readonly id: string;
  /** `loaded`, `not-found`, `masked`, `bad-setting`. */
  readonly load: string;
  /** `active`, `inactive`, `failed`, `activating`. */
  readonly active: string;
  /** `enabled`, `disabled`, `static`, empty. */
  readonly file: string;
  readonly result: string;
}

/** Takes the output of `systemctl show`; gives a state for each unit in it. */
export function parseUnits(text: string): readonly UnitState[] {
  return text.split(/\n\n+/).flatMap((block) => {
    const of = (name: string): string =>
      new RegExp(`^${name}=(.*)$`, "m").exec(block)?.[1]?.trim() ?? "";
    const id = of("Id");
    if (id === "") return [];
    return [{
      id,
      load: of("LoadState"),
      active: of("ActiveState"),
      file: of("UnitFileState"),
      result: of("Result"),
    }];
  });
}

/** Takes the units' states; gives the verdict. */
export function judgeUnits(units: readonly UnitState[], config: Config): Verdict {
  const of = (id: string): UnitState =>
    units.find((each) => each.id === id) ??
      { id, load: "not-found", active: "inactive", file: "", result: "" };
  const [timer, loop, tick] = [of(UNITS.timer), of(UNITS.loop), of(UNITS.tick)];
  const wanted = config.transport === "sdk" ? loop : timer;
  const start = `systemctl enable --now ${wanted.id}`;
  if (timer.load === "not-found" && loop.load === "not-found") {
    return warn(
      "no unit of the agent is installed: nothing starts its ticks",
      "install the package, or start ticks yourself: monky-deployd run",
    );
  }
  const masked = [timer, loop].find(({ load }) => load === "masked");
  if (masked !== undefined && !isUp(timer) && !isUp(loop)) {
    return fail(
      null,
      `${masked.id} is masked: nothing starts ticks`,
      `systemctl unmask ${masked.id}; ${start}`,
    );
  }
  if (!isUp(timer) && !isUp(loop)) {
    const state = wanted.active === "failed" ? `failed (${wanted.result})` : wanted.active;
    return fail(null, `${wanted.id} is ${state}: nothing starts ticks`, start);
  }
  const running = isUp(loop) ? loop : timer;
  if (isUp(loop) && isUp(timer)) {
    return warn(
      `${timer.id} and ${loop.id} both start ticks`,
      `systemctl disable --now ${wanted === loop ? timer.id : loop.id}`,
    );
  }
  if (running.file === "disabled") {
    return warn(
      `${running.id} runs and is not enabled: nothing starts ticks after a reboot`,
      `systemctl enable ${running.id}`,
    );
  }
  if (running === timer && config.transport === "sdk") {
    return warn(
      `${timer.id} starts each tick with a login to the mesh; with transport sdk the loop is better`,
      `systemctl disable --now ${timer.id}; systemctl enable --now ${loop.id}`,
    );
  }
  const last = tick.active === "failed" ? `; the last tick failed (${tick.result})` : "";
  return ok(`${running.id} is ${running.active} and ${running.file}${last}`);
}

function isUp({ load, active }: UnitState): boolean {
  return load === "loaded" && ["active", "activating", "reloading"].includes(active);
}
