/** A signal that ends a run of tests, and the way to let go of it. */
export interface StopSignal {
  /** Aborted by SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Gives these their usual effect back. */
  readonly release: () => void;
}

/** Turns the signals that end a program into one that lets it clean up first. */
export function stopSignal(): StopSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const signals: Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const name of signals) Deno.addSignalListener(name, stop);
  const release = (): void => {
    for (const name of signals) Deno.removeSignalListener(name, stop);
  };
  return { signal: controller.signal, release };
}
