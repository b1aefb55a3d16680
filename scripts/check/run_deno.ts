import { PROJECT } from "./paths.ts";

/** How a program that was run ended. */
export interface Outcome {
  /** Whether it exited with 0. */
  readonly ok: boolean;
  /** What it wrote to stdout. */
  readonly stdout: string;
  /** What it wrote to stderr. */
  readonly stderr: string;
}

/** Takes arguments for this very Deno, runs it in the project's folder and gives how it ended. */
export async function runDeno(...args: string[]): Promise<Outcome> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: PROJECT,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", RUST_BACKTRACE: "0" },
  }).output();
  const decoder = new TextDecoder();
  return { ok: success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
