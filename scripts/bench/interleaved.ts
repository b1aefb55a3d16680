/** Runs commands side by side, round by round, and gives medians: ratios are what is compared. */

/** A command to measure. */
export interface Measured {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What was measured of one command. */
export interface Figures {
  readonly medianMs: number;
  readonly leastMs: number;
  /** Peak resident size, the largest of all rounds. */
  readonly peakMib: number;
}

const MEASURE = new URL("measure.py", import.meta.url).pathname;

/**
 * Takes commands by name; gives the figures of each. Throws Error when one of them fails, or Python 3
 * is not there.
 */
export async function measure(
  commands: Readonly<Record<string, Measured>>,
  { rounds, warmup }: { readonly rounds: number; readonly warmup: number },
): Promise<Readonly<Record<string, Figures>>> {
  const child = new Deno.Command("python3", {
    args: ["-I", MEASURE],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify({ rounds, warmup, commands })));
  await writer.close();
  const output = await child.output();
  const text = new TextDecoder();
  if (!output.success) throw new Error(`the measurement failed: ${text.decode(output.stderr)}`);
  const found = JSON.parse(text.decode(output.stdout)) as Record<
    string,
    { readonly ms: readonly number[]; readonly rss_kib: readonly number[] }
  >;
  return Object.fromEntries(
    Object.entries(found).map(([name, { ms, rss_kib }]) => [name, {
      medianMs: median(ms),
      leastMs: Math.min(...ms),
      peakMib: Math.max(...rss_kib) / 1024,
    }]),
  );
}

/** Gives the interpreter itself: what is called python3 may be a script that looks for it. */
export async function findPython(): Promise<string> {
  const { stdout } = await new Deno.Command("python3", {
    args: ["-I", "-c", "import sys; print(sys.executable)"],
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
