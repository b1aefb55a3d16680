/** Runs a child that floods both pipes, in a process of its own; prints what came of it, and the memory. */

import { createExec } from "../../src/io/exec.ts";
import { peakBytes } from "../support/own_process.ts";

const { script } = JSON.parse(Deno.args[0] ?? "{}") as { script: string };
const exec = createExec();
const before = peakBytes();
let lines = 0;
const { code, stdout, stderrTail } = await exec.run({
  program: "/bin/sh",
  args: ["-c", script],
  env: { PATH: "/usr/bin:/bin" },
  timeoutMs: 100_000,
  onLine: () => {
    lines += 1;
  },
});
const grown = peakBytes() - before;
const tail = stderrTail.map((line) => line.length);
console.log(JSON.stringify({ code, kept: stdout.length, lines, tail, grown }));
