/**
 * The one door of src/io: every effect of ports.ts, made real. Only src/app.ts opens it. What needs
 * no config comes first (createLocalPorts), so that the config can be read with it.
 */

import type { LogLevel, Ports } from "../ports.ts";
import { createClock } from "./clock.ts";
import { createDigest } from "./digest.ts";
import { createExec } from "./exec.ts";
import { createFiles } from "./files.ts";
import { createLock } from "./lock.ts";
import { createLog, type LogFormat } from "./log.ts";
import { createOut } from "./out.ts";
import { createRandom } from "./random.ts";
import { type HeldSignals, listenSignals } from "./signals.ts";

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
}

/** Gives every port but HTTP, which needs the config; signals are heard once they are asked for. */
export function createLocalPorts(options: LocalOptions): LocalPorts {
  return {
    clock: createClock(),
    random: createRandom(),
    digest: createDigest(),
    files: createFiles(),
    lock: createLock(),
    exec: createExec(),
    log: createLog(options),
    out: createOut(),
    signals: listenSignals(),
  };
}
