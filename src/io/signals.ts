/**
 * SIGTERM and SIGINT as one AbortSignal, SIGHUP as one after the other. Ending the tick in order is the engine's business; this
 * file only tells that the wish was heard.
 */

import type { Reloads, Signals } from "../ports.ts";

/** The stop signal, and the way to stop listening (for tests; a process just ends). */
export interface HeldSignals extends Signals {
  /** Ends listening; the process's default handling is back. */
  close(): void;
}

/**
 * Gives the stop signal; listening begins when it is first asked for, because a converged tick has
 * nothing to end in order and listening costs it two milliseconds. `stop` aborts with the signal's
 * name as its reason at the first signal. A second SIGINT ends the process at once, as somebody who
 * presses ^C twice expects; a second SIGTERM is ignored, because children would be left running.
 */
export function listenSignals(): HeldSignals {
  let heard: { readonly signal: AbortSignal; readonly close: () => void } | null = null;
  return {
    get stop(): AbortSignal {
      heard ??= listen();
      return heard.signal;
    },
    close: (): void => heard?.close(),
  };
}

/** Hangups, and the way to stop listening. */
export interface HeldReloads extends Reloads {
  /** Ends listening; the process's default handling is back. */
  close(): void;
}

/**
 * Gives the wish for another look at the config. On a terminal a hangup says that the terminal is
 * gone: there it keeps its default, which ends the process, or an agent would live on unseen.
 */
export function listenReloads(): HeldReloads {
  const onTerminal = Deno.stderr.isTerminal();
  let controller: AbortController | null = null;
  const onHangup = (): void => controller?.abort("SIGHUP");
  return {
    next: (): AbortSignal => {
      if (controller === null && !onTerminal) Deno.addSignalListener("SIGHUP", onHangup);
      if (controller === null || controller.signal.aborted) controller = new AbortController();
      return controller.signal;
    },
    close: (): void => {
      if (controller !== null && !onTerminal) Deno.removeSignalListener("SIGHUP", onHangup);
    },
  };
}

function listen(): { readonly signal: AbortSignal; readonly close: () => void } {
  const controller = new AbortController();
  const onTerm = (): void => controller.abort("SIGTERM");
  const onInt = (): void => {
    controller.abort("SIGINT");
    Deno.removeSignalListener("SIGINT", onInt);
  };
  Deno.addSignalListener("SIGTERM", onTerm);
  Deno.addSignalListener("SIGINT", onInt);
  return {
    signal: controller.signal,
    close: (): void => {
      Deno.removeSignalListener("SIGTERM", onTerm);
      Deno.removeSignalListener("SIGINT", onInt);
    },
  };
}
