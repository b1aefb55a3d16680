/**
 * A part of a test as a process of its own. Test files that run side by side are threads of one
 * process: its umask, its environment and its memory belong to all of them.
 */

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;
/** Long enough for every such part on a slow machine. */
const LONGEST_MS = 120_000;

/**
 * Runs a program of the tests, with all permissions, to its end.
 *
 * @param program its URL
 * @param given what it gets, as JSON, as its only argument
 * @returns what it printed, read as JSON
 * @throws Error with its standard error when it failed
 */
export async function inOwnProcess<T>(program: URL, given: unknown): Promise<T> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "-A", "--no-check", "--config", CONFIG],
      program.pathname,
      JSON.stringify(given),
    ],
    stdin: "null",
    signal: AbortSignal.timeout(LONGEST_MS),
  }).output();
  const text = new TextDecoder();
  if (code !== 0) throw new Error(`${program.pathname} ended with ${code}: ${text.decode(stderr)}`);
  return JSON.parse(text.decode(stdout)) as T;
}

/** The most memory that this process has had at once, in bytes (VmHWM, proc(5)). */
export function peakBytes(): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024;
}
