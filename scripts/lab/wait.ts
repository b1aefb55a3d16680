/** Waiting with an end, and finding free ports. */

/**
 * Sleeps.
 *
 * @param ms milliseconds
 */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Sleeps until the time is over or somebody aborts, whichever is first; leaves no timer behind.
 *
 * @param ms milliseconds
 * @param signal ends the sleep early, without an error
 */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

/**
 * Asks again and again until there is an answer.
 *
 * @param what what is waited for, for the error's text
 * @param deadlineMs how long to ask in all
 * @param probe gives the answer, or null (or throws) while there is none; it must bound itself
 * @param pauseMs between two questions
 * @returns the first answer that is not null
 * @throws Error naming `what`, the time and the last failure, when the time is over
 */
export async function waitFor<T>(
  what: string,
  deadlineMs: number,
  probe: () => Promise<T | null>,
  pauseMs = 50,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  let last: unknown = null;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== null) return answer;
    } catch (cause) {
      if (cause instanceof GiveUp) throw cause;
      last = cause;
    }
    if (performance.now() > end) {
      const why = last instanceof Error ? `; last failure: ${last.message}` : "";
      throw new Error(`${what}: not there after ${deadlineMs / 1000} s${why}`);
    }
    await sleep(pauseMs);
  }
}

/** Thrown by a probe of `waitFor` when asking again is no use; it ends the wait at once. */
export class GiveUp extends Error {
  /** For stack traces. */
  override readonly name = "GiveUp";
}

/**
 * Finds TCP ports of 127.0.0.1 that nobody listens on, all different.
 *
 * Somebody else can take one before it is used: whoever starts a server on it tries again then.
 *
 * @param count how many
 * @returns the ports
 */
export function freePorts(count: number): number[] {
  const listeners = Array.from(
    { length: count },
    () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  );
  try {
    return listeners.map((listener) => listener.addr.port);
  } finally {
    for (const listener of listeners) listener.close();
  }
}

/**
 * Runs something that binds a free port, again when somebody else took the port meanwhile.
 *
 * @param run does it; called at most three times
 * @returns what `run` gives
 * @throws what `run` threw last
 */
export async function retryPortClash<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await run();
    } catch (cause) {
      const isClash = cause instanceof Error && /address already in use/.test(cause.message);
      if (!isClash || attempt === 3) throw cause;
    }
  }
}
