/**
 * THE table of commands and options (SPEC §8). args.ts reads command lines by it, help.ts and
 * completions.ts are made from it. Words only: what a command does stands elsewhere.
 */

/** One option of the command line. */
export interface Option {
  /** `null`: a switch. A list: the words it takes. A text: any value, under this name in help. */
  readonly takes: null | string | readonly string[];
  readonly doc: string;
}

/** A word that follows the command. */
export interface Operand {
  readonly name: string;
  readonly words: readonly string[];
  readonly required: boolean;
}

/** One command. */
export interface CommandSpec {
  readonly summary: string;
  /** A few lines for `help COMMAND`; may be empty. */
  readonly detail: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly operand: Operand | null;
}

/** Where the config stands when `--config` is not given. */
export const DEFAULT_CONFIG_PATH = "/etc/monky-deployd/config.yaml";

/** The options that every command takes. */
export const COMMON_OPTIONS = {
  config: { takes: "FILE", doc: `the config file (${DEFAULT_CONFIG_PATH})` },
  "log-format": {
    takes: ["auto", "terminal", "journal", "json"],
    doc: "how log lines look (auto)",
  },
  "log-level": { takes: ["debug", "info", "warn", "error"], doc: "the least severe line (info)" },
  help: { takes: null, doc: "say what the command does" },
} as const satisfies Readonly<Record<string, Option>>;

const JSON_SWITCH: Option = { takes: null, doc: "for machines" };

function spec(
  summary: string,
  more: {
    readonly detail?: readonly string[];
    readonly options?: Readonly<Record<string, Option>>;
    readonly operand?: Operand;
  } = {},
): CommandSpec {
  return {
    summary,
    detail: more.detail ?? [],
    options: more.options ?? {},
    operand: more.operand ?? null,
  };
}

/** Command → what it takes, in the order of help. */
export const COMMANDS = {
  tick: spec("once: check in, apply what is asked for, report", {
    detail: ["Exits 0 when nothing is left to do, 75 when the next tick should try again."],
    options: { now: { takes: null, doc: "do not wait for the next attempt of a failed bundle" } },
  }),
  run: spec("tick every interval_s seconds, until SIGTERM"),
  plan: spec("say what a tick would do and why; change nothing", {
    options: { json: JSON_SWITCH },
  }),
  status: spec("what runs, what was applied last, what went wrong", {
    options: { json: JSON_SWITCH },
  }),
  history: spec("the applies of the past", { options: { json: JSON_SWITCH } }),
  doctor: spec("check everything a tick needs; name the fix for each fault", {
    detail: [
      "Changes nothing. Checks in the order in which a tick would fail.",
      "Exits 0 when a tick has all it needs, 78 for the config, else 1.",
    ],
    options: { json: JSON_SWITCH },
  }),
  permissions: spec("what the config lets this process touch", {
    options: {
      format: {
        takes: ["flags", "systemd", "json"],
        doc: "Deno's flags, a systemd drop-in, or JSON (flags)",
      },
      of: { takes: ["tick", "doctor"], doc: "doctor asks a little more of the box (tick)" },
    },
  }),
  config: spec("check the config, or show the effective values", {
    detail: [
      "check  prints OK, or every problem with its key",
      "show   prints each value and where it came from",
    ],
    operand: { name: "ACTION", words: ["check", "show"], required: true },
  }),
  render: spec("the names of the variables that .env would hold", {
    detail: ["Values are never printed: --names is required, and stands for that."],
    options: { names: { takes: null, doc: "names alone" } },
  }),
  version: spec("the version", { options: { json: JSON_SWITCH } }),
  help: spec("this text, or a command's", {
    operand: { name: "COMMAND", words: [], required: false },
  }),
  completions: spec("completions for a shell", {
    detail: ["bash: monky-deployd completions bash > /etc/bash_completion.d/monky-deployd"],
    operand: { name: "SHELL", words: ["bash", "zsh", "fish"], required: true },
  }),
} as const satisfies Readonly<Record<string, CommandSpec>>;

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The commands, in the order of help. */
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS) as CommandName[];

/** Takes any text; says whether it is a command's name. */
export function isCommandName(text: string): text is CommandName {
  return Object.hasOwn(COMMANDS, text);
}

/** Takes a command; gives its row, typed alike for all. */
export function commandSpec(name: CommandName): CommandSpec {
  return COMMANDS[name];
}

/** Takes a command; gives its options, the common ones last. */
export function optionsOf(name: CommandName): ReadonlyMap<string, Option> {
  return new Map<string, Option>([
    ...Object.entries(commandSpec(name).options),
    ...Object.entries(COMMON_OPTIONS),
  ]);
}

/** Takes a command; gives the words its operand may be: for `help` those are the commands. */
export function operandWords(name: CommandName): readonly string[] {
  return name === "help" ? COMMAND_NAMES : commandSpec(name).operand?.words ?? [];
}

/** Every option of any command by name. Options of one name are of one sort everywhere. */
export const ALL_OPTIONS: ReadonlyMap<string, Option> = new Map(
  COMMAND_NAMES.flatMap((name) => [...optionsOf(name)]),
);
