/** Running a program of the build: what it prints, or an error with the end of what it complained about. */

const MAX_COMPLAINT_CHARS = 2000;

/** What to run, and in what. */
export interface BuildCommand {
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to the surrounding environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program to its end.
 *
 * @returns what it printed, decoded
 * @throws Error when it cannot be started or fails
 */
export async function runProgram(program: string, command: BuildCommand): Promise<string> {
  const { success, code, stdout, stderr } = await new Deno.Command(program, {
    args: [...command.args],
    env: { ...command.env },
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  if (success) return text.decode(stdout);
  const complaint = text.decode(stderr).trim().slice(-MAX_COMPLAINT_CHARS);
  throw new Error(`${program} ${command.args[0] ?? ""} failed with code ${code}:\n${complaint}`);
}
