/**
 * The one door of src/io: every effect of ports.ts, made real. Only src/app.ts opens it. What needs
 * no config comes first (createLocalPorts), so that the config can be read with it.
 */

import type { LogLevel, Ports, Screen } from "../ports.ts";
import { createBox } from "./box.ts";
import { createClock } from "./clock.ts";
import { createDigest } from "./digest.ts";
import { createExec } from "./exec.ts";
import { createFiles } from "./files.ts";
import { createLock } from "./lock.ts";
import { createLog, type LogFormat } from "./log.ts";
import { createOut } from "./out.ts";
import { createRandom } from "./random.ts";
import { createScreen } from "./screen.ts";
import { type HeldReloads, type HeldSignals, listenReloads, listenSignals } from "./signals.ts";

export { absolutePath } from "./working_folder.ts";
export { httpOptions } from "./http_options.ts";
export { createHttp, type HeldHttp, type HttpOptions } from "./http.ts";
export type { LogFormat } from "./log.ts";

/** What the local ports need to know. */
export interface LocalOptions {
  /** `auto`: `terminal` when standard error is one, else `journal`. */
  readonly logFormat: LogFormat | "auto";
  /** Lines below this level are not written. */
  readonly logLevel: LogLevel;
  /** Takes text that is about to be logged; gives it without revealed secrets (Mask.apply). */
  readonly mask: (text: string) => string;
}

/** Every port but HTTP. `signals.close()` ends listening; a process may just end. */
export interface LocalPorts extends Omit<Ports, "http"> {
  readonly signals: HeldSignals;
  readonly reloads: HeldReloads;
  /** Null: standard error is no terminal, or its lines are for a machine. */
  readonly screen: Screen | null;
}

/** Gives every port but HTTP, which needs the config; signals are heard once they are asked for. */
export function createLocalPorts(options: LocalOptions): LocalPorts {
  const isDrawn = options.logFormat === "auto" || options.logFormat === "terminal";
  const screen = isDrawn ? createScreen() : null;
  return {
    box: createBox(),
    clock: createClock(),
    random: createRandom(),
    digest: createDigest(),
    files: createFiles(),
    lock: createLock(),
    exec: createExec(),
    log: createLog({ ...options, screen }),
    screen,
    out: createOut(),
    signals: listenSignals(),
    reloads: listenReloads(),
  };
}
