/**
 * A compose that did not end by itself: killed, as by the kernel when memory runs out, starved of
 * memory or threads, or crashed. Its last line is then a line of a stack, which tells an operator
 * nothing, and the files that it was given need not be at fault.
 */

/** How it ended. `line`: what the crash began with, unmasked; null when that was not kept. */
export type Crash =
  | { readonly kind: "killed"; readonly signal: number }
  | { readonly kind: "starved" }
  | { readonly kind: "crashed"; readonly line: string | null };

/** What an operator does about a compose that was killed or starved. */
export const STARVED_HINT =
  "Check memory and limits: free -m, and journalctl -k for what the kernel killed.";
/** What an operator does about a compose that crashed. */
export const CRASHED_HINT =
  "Install another version of the plugin: apt-get install --only-upgrade docker-compose-plugin.";

/** As Go's runtime says it (exit code 2, or SIGABRT where C starts the threads). */
const STARVED =
  /^(?:fatal error: |runtime: |runtime\/cgo: )?(?:runtime: )?(?:out of memory|cannot allocate memory|failed to (?:reserve|allocate) |failed to create new OS thread|newosproc|pthread_create failed)/;
const ABORTED = 128 + 6;
const LAST_SIGNAL = 64;
const PANICKED = 2;

/** Takes an exit code and the last lines of standard error; gives how compose broke down, or null. */
export function crashOf(
  { code, stderrTail }: { readonly code: number; readonly stderrTail: readonly string[] },
): Crash | null {
  if (code === PANICKED || code === ABORTED) {
    if (stderrTail.some((line) => STARVED.test(line))) return { kind: "starved" };
  }
  if (code > 128 && code <= 128 + LAST_SIGNAL) return { kind: "killed", signal: code - 128 };
  if (code !== PANICKED || !stderrTail.some((line) => /^goroutine \d+ \[/.test(line))) return null;
  const line = stderrTail.find((each) => /^(?:panic|fatal error): /.test(each));
  return { kind: "crashed", line: line ?? null };
}
