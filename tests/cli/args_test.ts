import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { type Command, DEFAULT_CONFIG_PATH, parseCommand } from "../../src/cli/args.ts";
import { ALL_OPTIONS, COMMAND_NAMES } from "../../src/cli/command_table.ts";
import { completionScript } from "../../src/cli/completions.ts";
import { helpText } from "../../src/cli/help.ts";
import { AgentError, hasCode } from "../../src/errors.ts";

const COMMON = { config: DEFAULT_CONFIG_PATH, logFormat: "auto", logLevel: "info" } as const;

const GOOD: readonly (readonly [string, Command])[] = [
  ["tick", { name: "tick", now: false, ...COMMON }],
  ["tick --now", { name: "tick", now: true, ...COMMON }],
  ["--now tick", { name: "tick", now: true, ...COMMON }],
  ["run", { name: "run", ...COMMON }],
  ["plan", { name: "plan", json: false, ...COMMON }],
  ["status", { name: "status", json: false, ...COMMON }],
  ["status --json", { name: "status", json: true, ...COMMON }],
  ["history --json", { name: "history", json: true, ...COMMON }],
  ["doctor", { name: "doctor", json: false, ...COMMON }],
  ["doctor --json", { name: "doctor", json: true, ...COMMON }],
  ["permissions", { name: "permissions", format: "flags", of: "tick", ...COMMON }],
  ["permissions --format systemd", {
    name: "permissions",
    format: "systemd",
    of: "tick",
    ...COMMON,
  }],
  ["permissions --of doctor", { name: "permissions", format: "flags", of: "doctor", ...COMMON }],
  ["permissions --format=json", { name: "permissions", format: "json", of: "tick", ...COMMON }],
  ["config check", { name: "config", action: "check", ...COMMON }],
  ["config show", { name: "config", action: "show", ...COMMON }],
  ["render --names", { name: "render", names: true, ...COMMON }],
  ["version", { name: "version", json: false, ...COMMON }],
  ["version --json", { name: "version", json: true, ...COMMON }],
  ["--version", { name: "version", json: false, ...COMMON }],
  ["help", { name: "help", topic: null, ...COMMON }],
  ["help doctor", { name: "help", topic: "doctor", ...COMMON }],
  ["--help", { name: "help", topic: null, ...COMMON }],
  ["-h", { name: "help", topic: null, ...COMMON }],
  ["tick --help", { name: "help", topic: "tick", ...COMMON }],
  ["tick --bogus --help", { name: "help", topic: "tick", ...COMMON }],
  ["completions bash", { name: "completions", shell: "bash", ...COMMON }],
  ["completions zsh", { name: "completions", shell: "zsh", ...COMMON }],
  ["completions fish", { name: "completions", shell: "fish", ...COMMON }],
  ["--config /c.yaml tick", { name: "tick", now: false, ...COMMON, config: "/c.yaml" }],
  ["tick --config=a=b", { name: "tick", now: false, ...COMMON, config: "a=b" }],
  ["tick --config 5", { name: "tick", now: false, ...COMMON, config: "5" }],
  ["tick --config=--odd", { name: "tick", now: false, ...COMMON, config: "--odd" }],
  ["run --log-format json --log-level debug", {
    name: "run",
    ...COMMON,
    logFormat: "json",
    logLevel: "debug",
  }],
];

for (const [line, command] of GOOD) {
  Deno.test(`"${line}" is understood`, () => {
    assertEquals(parseCommand(line.split(" ")), command);
  });
}

const BAD: readonly (readonly [string, string])[] = [
  ["", `there is no command ""; known are ${COMMAND_NAMES.join(", ")}`],
  ["tik", 'there is no command "tik"; the nearest one is tick'],
  ["stat --json", 'there is no command "stat"; the nearest one is status'],
  ["Tick", 'there is no command "Tick"; the nearest one is tick'],
  ["--config /c.yaml", "no command is given"],
  ["tick now", 'tick does not take the word "now"'],
  ["tick -- --now", 'tick does not take the word "--now"'],
  ["tick -- --bogus", 'tick does not take the word "--bogus"'],
  ["0x10", `there is no command "0x10"; known are ${COMMAND_NAMES.join(", ")}`],
  ["config", "config needs one of the words check, show"],
  ["config chek", 'config does not know "chek"; known are check, show'],
  ["config check show", 'config does not take the word "show"'],
  ["help nonsense", `help does not know "nonsense"; known are ${COMMAND_NAMES.join(", ")}`],
  ["help tock", 'help does not know "tock"; the nearest one is tick'],
  ["completions", "completions needs one of the words bash, zsh, fish"],
  ["completions sh", 'completions does not know "sh"; known are bash, zsh, fish'],
  ["render", "render needs --names: values are never printed"],
  ["tick --nwo", 'there is no option "--nwo"; the nearest one is --now'],
  ["tick -n", 'there is no option "-n"; the nearest one is --now'],
  [
    "status -x",
    'there is no option "-x"; known are --json, --config, --log-format, --log-level, --help',
  ],
  [
    "tick --no-now",
    'there is no option "--no-now"; known are --now, --config, --log-format, --log-level, --help',
  ],
  ["-v", 'there is no option "-v"; known are --config, --log-format, --log-level, --help'],
  ["tick --confg=/secret", 'there is no option "--confg"; the nearest one is --config'],
  [
    "status --now",
    "status does not take --now; its options are --json, --config, --log-format, --log-level, --help",
  ],
  ["tick --now --now", "--now is given twice"],
  ["tick --config a --config=b", "--config is given twice"],
  ["tick --config", "--config needs a value"],
  ["tick --config=", "--config needs a value"],
  ["tick --config --now", "--config needs a value"],
  ["tick --config -- x", "--config needs a value"],
  ["tick --now=true", "--now takes no value"],
  ["status --json false", "--json takes no value"],
  ["permissions --format yaml", '--format does not know "yaml"; known are flags, systemd, json'],
  [
    "tick --log-level=warning",
    '--log-level does not know "warning"; known are debug, info, warn, error',
  ],
  [
    "tick --log-format pretty",
    '--log-format does not know "pretty"; known are auto, terminal, journal, json',
  ],
];

for (const [line, message] of BAD) {
  Deno.test(`"${line}" is refused`, () => {
    const error = assertThrows(() => parseCommand(line.split(" ")), AgentError);
    assertEquals(error.code, "USAGE");
    assertEquals(error.message, message);
  });
}

Deno.test("no words at all are a usage error", () => {
  assertEquals(assertThrows(() => parseCommand([]), AgentError).message, "no command is given");
});

Deno.test("any words give a command or USAGE, on one line and bounded", () => {
  const word = fc.oneof(
    fc.constantFrom(...COMMAND_NAMES, "check", "show", "bash", "--", "-", "--help=1", "true"),
    fc.constantFrom(
      ...[...ALL_OPTIONS.keys()].flatMap((name) => [`--${name}`, `--${name}=x`, `--no-${name}`]),
    ),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ maxLength: 6 }).map((tail) => `-${tail}`),
    fc.constantFrom(
      "--__proto__",
      "--constructor=1",
      "--config.x",
      "--_",
      "_",
      "__proto__",
      "toString",
    ),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      try {
        assertEquals(COMMAND_NAMES.includes(parseCommand(argv).name), true);
      } catch (thrown) {
        if (!hasCode(thrown, "USAGE")) throw thrown;
        assertEquals(/\p{Cc}/u.test(thrown.message) || thrown.message.length > 300, false);
      }
    }),
    { numRuns: 5000 },
  );
});

Deno.test("help names every command and option, in at most 80 columns", () => {
  const all = helpText(null);
  for (const name of COMMAND_NAMES) {
    assertStringIncludes(all, `\n  ${name}`);
    assertStringIncludes(helpText(name), `monky-deployd ${name}`);
    assertStringIncludes(helpText(name), "--config FILE");
  }
  for (const text of [all, ...COMMAND_NAMES.map(helpText)]) {
    for (const line of text.split("\n")) assertEquals(line.length <= 80, true, line);
    assertEquals(text.endsWith("\n"), true);
  }
});

Deno.test("help for a command is short and whole", () => {
  assertEquals(
    helpText("tick"),
    `monky-deployd tick: once: check in, apply what is asked for, report

Usage: monky-deployd tick [--now]

  Exits 0 when nothing is left to do, 75 when the next tick should try again.

Options:
  --now          do not wait for the next attempt of a failed bundle
  --config FILE  the config file (/etc/monky-deployd/config.yaml)
  --log-format auto|terminal|journal|json
                 how log lines look (auto)
  --log-level debug|info|warn|error
                 the least severe line (info)
  --help         say what the command does
`,
  );
});

Deno.test("completions know every command and option, and hold nothing a shell would run", () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const script = completionScript(shell);
    for (const name of COMMAND_NAMES) assertStringIncludes(script, name);
    for (const option of ALL_OPTIONS.keys()) assertStringIncludes(script, option);
    assertEquals(script.includes("`") || /\$\((?!\()/.test(script), false, shell);
  }
});

Deno.test({
  name: "bash completes commands, operands, options and their words",
  ignore: await isMissing("bash"),
  fn: async () => {
    const ask = async (...words: readonly string[]): Promise<string> => {
      const array = words.map((word) => `'${word}'`).join(" ");
      const { stdout } = await new Deno.Command("bash", {
        args: [
          "-c",
          `${completionScript("bash")}\nCOMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}
           _monky_deployd; echo "\${COMPREPLY[*]}"`,
        ],
      }).output();
      return new TextDecoder().decode(stdout).trim();
    };
    assertEquals(await ask("monky-deployd", "st"), "status");
    assertEquals(await ask("monky-deployd", "config", "s"), "show");
    assertEquals(await ask("monky-deployd", "tick", "--n"), "--now");
    assertEquals(await ask("monky-deployd", "tick", "--log-level", ""), "debug info warn error");
    assertEquals(await ask("monky-deployd", "--config", "/nowhere", "doc"), "doctor");
  },
});

async function isMissing(program: string): Promise<boolean> {
  try {
    return !(await new Deno.Command(program, { args: ["--version"], stdout: "null" }).output())
      .success;
  } catch {
    return true;
  }
}
