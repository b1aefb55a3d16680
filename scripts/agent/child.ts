/** Runs a child to its end as if it were this process: same terminal, its exit code, our signals. */

import { withoutCore } from "./no_core.ts";

/** What to run: this Deno, with arguments, in a folder, under exactly this environment. */
export interface ChildOptions {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Gives the child's exit code, 128 plus the number when a signal ended it. Passes SIGTERM, SIGINT and SIGHUP on. */
export async function runChild({ args, cwd, env }: ChildOptions): Promise<number> {
  const start = withoutCore({ program: Deno.execPath(), args });
  let child: Deno.ChildProcess | null = null;
  const pass = (signal: Deno.Signal): void => {
    try {
      child?.kill(signal);
    } catch {
      // It has ended already; its exit code is on the way.
    }
  };
  const onTerm = (): void => pass("SIGTERM");
  const onHangup = (): void => pass("SIGHUP");
  // A terminal sends SIGINT to the whole group, the child included: once more would count as a second.
  const onInt = Deno.stdin.isTerminal() ? (): void => {} : (): void => pass("SIGINT");
  // Before the child is there: a signal that came in between would end this process and leave it.
  // What listens is called when this function waits, and by then there is a child.
  Deno.addSignalListener("SIGTERM", onTerm);
  Deno.addSignalListener("SIGHUP", onHangup);
  Deno.addSignalListener("SIGINT", onInt);
  try {
    child = new Deno.Command(start.program, {
      args: [...start.args],
      cwd,
      clearEnv: true,
      env: { ...env },
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
    return (await child.status).code;
  } finally {
    Deno.removeSignalListener("SIGTERM", onTerm);
    Deno.removeSignalListener("SIGHUP", onHangup);
    Deno.removeSignalListener("SIGINT", onInt);
  }
}
