/** Ctrl-C and its kin: the first one lets the demo clean up, the second one does not wait for that. */

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Whether the demo was told to stop. Release it at the end. */
export interface Stop {
  readonly signal: AbortSignal;
  /** What a program that a signal ended exits with; null when none came. */
  readonly exitCode: number | null;
  /** Lets signals end the program at once again. */
  [Symbol.dispose](): void;
}

/** Takes what to say to whoever pressed Ctrl-C; gives the switch that signals turn. */
export function listenForStop(say: (line: string) => void): Stop {
  const controller = new AbortController();
  let exitCode: number | null = null;
  let stoppedAt = 0;
  const listeners = (Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[]).map((name) => {
    const onSignal = (): void => {
      // A terminal signals the whole group, and those in between pass it on once more.
      if (exitCode !== null && performance.now() - stoppedAt > 500) Deno.exit(EXIT_CODES[name]);
      if (exitCode !== null) return;
      stoppedAt = performance.now();
      exitCode = EXIT_CODES[name];
      say("Stopping: cleaning up. Once more ends it at once; deno task lab down cleans up then.");
      controller.abort();
    };
    Deno.addSignalListener(name, onSignal);
    return { name, onSignal };
  });
  return {
    signal: controller.signal,
    get exitCode(): number | null {
      return exitCode;
    },
    [Symbol.dispose](): void {
      for (const { name, onSignal } of listeners) Deno.removeSignalListener(name, onSignal);
    },
  };
}
