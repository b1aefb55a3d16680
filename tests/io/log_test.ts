/** Log lines: one event is one line, masked, escaped and cut, in each format. */

import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { createLog, type LogFormat } from "../../src/io/log.ts";
import { LINE_BY_FORMAT, type LogEvent } from "../../src/io/log_line.ts";
import type { LogFields, LogLevel } from "../../src/ports.ts";

const AT = new Date(2026, 10, 30, 3, 4, 5);

function line(format: LogFormat, event: Partial<LogEvent>): string {
  const whole = { level: "info", at: AT, event: "x", fields: [], colour: false, ...event } as const;
  return LINE_BY_FORMAT[format](whole);
}

/** Runs code with a log in a process of its own; gives its standard error. */
async function logged(
  script: string,
  options: { readonly env?: Record<string, string>; readonly redirect?: string } = {},
): Promise<{ readonly stderr: string; readonly code: number }> {
  const url = new URL("../../src/io/log.ts", import.meta.url).href;
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/main.ts`, `import { createLog } from "${url}";\n${script}`);
  const deno = `"${Deno.execPath()}" run --no-prompt --no-config --no-check "${folder}/main.ts"`;
  const ran = await new Deno.Command("/bin/sh", {
    args: ["-c", `${deno} ${options.redirect ?? ""}`],
    env: options.env ?? {},
  }).output();
  await Deno.remove(folder, { recursive: true });
  return { stderr: new TextDecoder().decode(ran.stderr), code: ran.code };
}

Deno.test("journal: priority, event, key=value, quoted only where needed, no time", () => {
  const fields = [["sha", "ab12"], ["ms", 40], ["why", 'a "b"'], ["none", null], [
    "e",
    "",
  ]] as const;
  assertEquals(
    line("journal", { event: "tick converged", fields }),
    '<6>tick converged sha=ab12 ms=40 why="a \\"b\\"" none=null e=""',
  );
  const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];
  assertEquals(levels.map((level) => line("journal", { level }).slice(0, 3)), [
    "<7>",
    "<6>",
    "<4>",
    "<3>",
  ]);
});

Deno.test("terminal: local time, level, event, fields; coloured only when allowed", () => {
  const event = { level: "error", event: "apply failed", fields: [["code", "X"]] } as const;
  assertEquals(line("terminal", event), "03:04:05 error apply failed  code=X");
  const coloured = line("terminal", { ...event, colour: true });
  assert(coloured.includes("\x1b[1;31m"));
  // deno-lint-ignore no-control-regex
  assertEquals(coloured.replace(/\x1b\[[0-9;]*m/g, ""), line("terminal", event));
});

Deno.test("json: one object with the line's own names kept", () => {
  const parsed = JSON.parse(line("json", { fields: [["level", "mine"], ["n", 1], ["t", true]] }));
  assertEquals(parsed, {
    time: AT.toISOString(),
    level: "info",
    event: "x",
    level_: "mine",
    n: 1,
    t: true,
  });
});

Deno.test("whatever a value holds, an event stays one line without control characters", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  const format = fc.constantFrom<LogFormat[]>("journal", "terminal", "json");
  fc.assert(
    fc.property(format, text, text, text, (how, event, name, value) => {
      const made = line(how, { event, fields: [[name, value]] });
      assert(!/[\p{Cc}\u2028\u2029\u202e]/u.test(made), JSON.stringify(made));
      if (how === "json" && name !== "__proto__") {
        assert(Object.values(JSON.parse(made)).includes(value));
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("a value cannot pretend to be another field or another line", () => {
  const made = line("journal", { fields: [["a", "1 b=2\n<3>fake"]] });
  assertEquals(made, '<6>x a="1 b=2\\n<3>fake"');
});

Deno.test("values are masked before they are cut, undefined ones are left out", async () => {
  const { stderr } = await logged(`
    const mask = (text: string) => text.replaceAll("SECRETS", "[redacted]");
    const log = createLog({ logFormat: "auto", logLevel: "info", mask });
    log.write("info", "SECRETS out", { a: "x".repeat(4092) + "SECRETS", b: undefined, c: 1 });
    log.write("debug", "too low");
    log.write("warn", "next");`);
  const lines = stderr.split("\n");
  assertEquals(lines.length, 3);
  assert(lines[0]?.startsWith("<6>[redacted] out a="));
  assert(lines[0]?.includes("[red… (6 more characters)") && lines[0]?.endsWith(" c=1"), lines[0]);
  assertEquals(lines[1], "<4>next");
});

Deno.test("a closed or full standard error ends nothing", async () => {
  const script = `
    const log = createLog({ logFormat: "journal", logLevel: "info", mask: (text) => text });
    for (let index = 0; index < 1000; index += 1) log.write("info", "x", { index });
    Deno.exit(7);`;
  for (const redirect of ["2>&-", "2>/dev/full"]) {
    assertEquals((await logged(script, { redirect })).code, 7);
  }
});

Deno.test("a terminal gets the terminal format, coloured unless NO_COLOR is set", async () => {
  const url = new URL("../../src/io/log.ts", import.meta.url).href;
  const code = `import { createLog } from "${url}";
    createLog({ logFormat: "auto", logLevel: "info", mask: (t) => t }).write("warn", "hello");`;
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/main.ts`, code);
  const deno = `${Deno.execPath()} run -q --no-prompt --no-config --no-check ${folder}/main.ts`;
  // Not this process's own NO_COLOR: other files' tests run in it.
  const { NO_COLOR: _, ...inherited } = Deno.env.toObject();
  const onTerminal = async (env: Record<string, string>): Promise<string> => {
    // script(1) of util-linux gives the command a terminal of its own.
    const ran = await new Deno.Command("script", {
      args: ["-qec", deno, "/dev/null"],
      clearEnv: true,
      env: { ...inherited, ...env, TERM: "xterm" },
      stdin: "null",
    }).output();
    return new TextDecoder().decode(ran.stdout);
  };
  const coloured = await onTerminal({});
  const plain = await onTerminal({ NO_COLOR: "1" });
  await Deno.remove(folder, { recursive: true });
  assert(coloured.includes("\x1b[33m") && coloured.includes("hello"), JSON.stringify(coloured));
  assert(/^\d\d:\d\d:\d\d warn {2}hello\r?\n$/.test(plain), JSON.stringify(plain));
});

Deno.test("lines below the level are not even formatted", () => {
  let masked = 0;
  const log = createLog({
    logFormat: "journal",
    logLevel: "error",
    mask: (text) => {
      masked += 1;
      return text;
    },
  });
  const fields: LogFields = { a: "b" };
  for (const level of ["debug", "info", "warn"] as const) log.write(level, "x", fields);
  assertEquals(masked, 0);
});
