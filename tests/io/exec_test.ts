/** Children on a real system: their output is bounded, their end is certain (case 62). */

import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { createExec } from "../../src/io/exec.ts";
import type { Command, CommandResult } from "../../src/ports.ts";
import { inOwnProcess } from "../support/own_process.ts";

const exec = createExec();
const CASE = new URL("../cases/62-child-not-really-killed/", import.meta.url).pathname;

function sh(script: string, changes: Partial<Command> = {}): Promise<CommandResult> {
  const env = { PATH: "/usr/bin:/bin" };
  return exec.run({
    program: "/bin/sh",
    args: ["-c", script],
    env,
    timeoutMs: 20_000,
    ...changes,
  });
}

/** What exec_flood.ts prints. */
interface Flooded {
  readonly code: number;
  readonly kept: number;
  readonly lines: number;
  readonly tail: readonly number[];
  readonly grown: number;
}

function text(result: CommandResult): string {
  return new TextDecoder().decode(result.stdout);
}

async function timed<T>(work: Promise<T>): Promise<readonly [T, number]> {
  const begun = performance.now();
  return [await work, performance.now() - begun];
}

Deno.test("a child's code, output and last error lines come back", async () => {
  const result = await sh("echo out; echo one >&2; printf two >&2; exit 3");
  assertEquals(
    [result.code, text(result), result.stdoutTruncated, result.timedOut, result.aborted],
    [3, "out\n", false, false, false],
  );
  assertEquals(result.stderrTail, ["one", "two"]);
});

Deno.test("a child's environment is what it was given and nothing else", async () => {
  assert(Deno.env.get("PATH") !== undefined, "there is nothing that could leak");
  const ran = await exec.run({
    program: "/usr/bin/env",
    args: [],
    env: { A: "b c", EMPTY: "" },
    cwd: "/",
    timeoutMs: 20_000,
  });
  assertEquals(text(ran).trim().split("\n").sort(), ["A=b c", "EMPTY="]);
});

Deno.test("a child reads an empty standard input", async () => {
  assertEquals(text(await sh("cat; echo end")), "end\n");
});

Deno.test("error lines are handed on while the child runs", async () => {
  const seen: string[] = [];
  let before = -1;
  const stop = new AbortController();
  const result = await sh("echo first >&2; sleep 10; echo never >&2", {
    signal: stop.signal,
    onLine: (line) => {
      seen.push(line);
      before = performance.now();
      stop.abort();
    },
  });
  assertEquals([seen, result.aborted], [["first"], true]);
  assert(before > 0);
});

/** Time for a shell to set its trap, on a slow machine too: TERM would end it before that. */
const TRAP_MS = 2_500;
/** The children sleep for 30 s: whoever waited for that would take so long at least. */
const SLEEP_MS = 30_000;

Deno.test("case 62: a child that traps TERM is killed after the grace, and that is a timeout", async () => {
  const command = { program: `${CASE}fake-docker-traps-term.sh`, args: [], env: {} };
  const [result, ms] = await timed(
    exec.run({ ...command, env: { PATH: "/usr/bin:/bin" }, timeoutMs: TRAP_MS, graceMs: 300 }),
  );
  assertEquals([result.timedOut, result.aborted], [true, false]);
  // The child's own `sleep` holds the pipes: a second for them is part of the time.
  assert(ms >= TRAP_MS + 300 && ms < SLEEP_MS / 2, `${ms} ms`);
});

Deno.test("case 62: a child that answers TERM with code 0 was still timed out", async () => {
  const result = await sh("trap 'exit 0' TERM; sleep 30 & wait", { timeoutMs: TRAP_MS });
  assertEquals([result.code, result.timedOut], [0, true]);
});

Deno.test("case 62: a grandchild that holds the pipes is not waited for", async () => {
  const command = { program: `${CASE}fake-docker-grandchild.sh`, args: [], timeoutMs: 20_000 };
  const [result, ms] = await timed(exec.run({ ...command, env: { PATH: "/usr/bin:/bin" } }));
  assertEquals([result.code, result.timedOut, result.aborted], [0, false, false]);
  assert(ms >= 900 && ms < SLEEP_MS / 2, `${ms} ms`);
});

Deno.test("case 62: a child that prints 50 MB is read to its end and kept in part", async () => {
  const result = await exec.run({
    program: `${CASE}fake-docker-chatty.sh`,
    args: [],
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: 60_000,
    maxStdoutBytes: 1000,
  });
  assertEquals([result.code, text(result), result.stdoutTruncated], [0, "x".repeat(1000), true]);
});

Deno.test("64 MiB on both pipes do not grow the process", async () => {
  const flood = "head -c 67108864 /dev/zero | tr '\\0' 'x'";
  const script = `${flood}; ${flood} | fold -w 100000 >&2`;
  const ran = await inOwnProcess<Flooded>(new URL("exec_flood.ts", import.meta.url), { script });
  assertEquals([ran.code, ran.kept], [0, 1024 * 1024]);
  assertEquals(ran.lines, Math.ceil(67108864 / 100_000));
  assertEquals([ran.tail.length, ran.tail[0]], [8, 8192]);
  assert(ran.grown < 64 * 1024 * 1024, `${ran.grown} bytes`);
});

Deno.test("the tail keeps the last 200 lines and 64 KiB", async () => {
  const many = await sh("seq 1 1000 >&2");
  assertEquals([many.stderrTail.length, many.stderrTail[0]], [200, "801"]);
  const wide = await sh("for i in $(seq 1 30); do printf '%08000d\\n' $i >&2; done");
  assertEquals(wide.stderrTail.length, 8);
  assert(wide.stderrTail.at(-1)?.endsWith("30"));
});

Deno.test("invalid UTF-8 is replaced, CRLF and empty lines are kept apart", async () => {
  const result = await sh("printf 'a\\377b\\r\\n\\nc' >&2");
  assertEquals(result.stderrTail, ["a\ufffdb", "", "c"]);
});

Deno.test("a stop before the start starts nothing", async () => {
  const folder = await Deno.makeTempDir();
  const signal = AbortSignal.abort("SIGTERM");
  const failure = await sh(`touch ${folder}/started`, { signal }).catch((thrown) => thrown);
  assertInstanceOf(failure, AgentError);
  assertEquals(failure.code, "INTERRUPTED");
  assertEquals(await Array.fromAsync(Deno.readDir(folder)), []);
  await Deno.remove(folder);
});

Deno.test("a listener that throws ends the child and passes its error on", async () => {
  const [failure, ms] = await timed(
    sh("echo x >&2; sleep 30", {
      graceMs: 200,
      onLine: () => {
        throw new Error("from the listener");
      },
    }).catch((thrown) => thrown),
  );
  assertInstanceOf(failure, Error);
  assertEquals(failure.message, "from the listener");
  assert(ms < SLEEP_MS / 2, `${ms} ms`);
});

interface Unstartable {
  readonly name: string;
  readonly change: Partial<Command>;
  readonly code: string;
}

const SECRET = "TOPSECRET";
/** Whatever HOME somebody made up for a program, here nobody can have made a folder. */
const NOWHERE = "/proc/nowhere";
const UNSTARTABLE: readonly Unstartable[] = [
  { name: "no program", change: { program: `${NOWHERE}/compose` }, code: "COMPOSE_MISSING" },
  { name: "a folder", change: { program: "/usr" }, code: "PERMISSION_MISSING" },
  { name: "a file without x", change: { program: "/etc/passwd" }, code: "PERMISSION_MISSING" },
  { name: "no working folder", change: { cwd: NOWHERE }, code: "FILE_UNREADABLE" },
  {
    name: "a value larger than the kernel takes",
    change: { env: { A: SECRET.repeat(30_000) } },
    code: "ENV_TOO_LARGE",
  },
  { name: "a NUL in a value", change: { env: { A: `${SECRET}\0` } }, code: "INTERNAL" },
];

for (const { name, change, code } of UNSTARTABLE) {
  Deno.test(`${name} is ${code}, and no value is shown`, async () => {
    const failure = await sh("true", change).catch((thrown) => thrown);
    assertInstanceOf(failure, AgentError);
    assertEquals(failure.code, code);
    assert(!Deno.inspect(failure, { depth: 9 }).includes(SECRET));
  });
}

Deno.test("a program that the process may not run is PERMISSION_MISSING and named", {
  permissions: { run: ["/usr/bin/env"] },
}, async () => {
  const failure = await sh("true").catch((thrown) => thrown);
  assertInstanceOf(failure, AgentError);
  assertEquals(failure.code, "PERMISSION_MISSING");
  assert(failure.message.includes('"/bin/sh"'));
});
