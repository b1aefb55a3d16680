/**
 * argv → Command (SPEC §8). Pure: reads no environment, no file, no config. parseArgs takes a missing
 * value for "" and lets the last of two equal options win, so the words are checked first.
 */

import { parseArgs } from "@std/cli/parse-args";
import { nearestName } from "../config/nearest.ts";
import { quoted } from "../config/problem.ts";
import { AgentError } from "../errors.ts";
import type { Purpose } from "../core/permissions.ts";
import type { LogLevel } from "../ports.ts";
import {
  ALL_OPTIONS,
  COMMAND_NAMES,
  type CommandName,
  commandSpec,
  COMMON_OPTIONS,
  DEFAULT_CONFIG_PATH,
  isCommandName,
  operandWords,
  optionsOf,
} from "./command_table.ts";

export { DEFAULT_CONFIG_PATH } from "./command_table.ts";

/** How log lines look; `auto` is decided by what standard error is. */
export type LogFormat = "auto" | "terminal" | "journal" | "json";

/** How `permissions` prints. */
export type PermissionFormat = "flags" | "systemd" | "json";

/** What every command is told. */
export interface CommonArgs {
  /** As given: may be relative to the working folder. */
  readonly config: string;
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevel;
}

/** What is to be done. */
export type Action =
  | { readonly name: "tick"; readonly now: boolean }
  | { readonly name: "run" }
  | { readonly name: "plan"; readonly json: boolean }
  | { readonly name: "doctor"; readonly json: boolean }
  | { readonly name: "status"; readonly json: boolean }
  | { readonly name: "history"; readonly json: boolean }
  | { readonly name: "version"; readonly json: boolean }
  | { readonly name: "permissions"; readonly format: PermissionFormat; readonly of: Purpose }
  | { readonly name: "config"; readonly action: "check" | "show" }
  | { readonly name: "render"; readonly names: true }
  | { readonly name: "help"; readonly topic: CommandName | null }
  | { readonly name: "completions"; readonly shell: "bash" | "zsh" | "fish" };

/** A command line that was understood. */
export type Command = Action & CommonArgs;

/** What parseArgs gives: options by name, the other words under `_`. */
type Parsed = Readonly<Record<string, unknown>>;

/**
 * Takes the words after the program's name; gives the command. `--help` or `-h` anywhere gives help;
 * `--version` alone gives the version.
 * Throws USAGE, naming the nearest known word for an unknown one.
 */
export function parseCommand(argv: readonly string[]): Command {
  if (argv.length === 1 && argv[0] === "--version") return parseCommand(["version"]);
  if (asksForHelp(argv)) {
    const topic = argv.find(isCommandName) ?? null;
    return { name: "help", topic: topic === "help" ? null : topic, ...commonArgs({}) };
  }
  checkWords(argv);
  const strings = [...ALL_OPTIONS].filter(([, { takes }]) => takes !== null).map(([name]) => name);
  const booleans = [...ALL_OPTIONS].filter(([, { takes }]) => takes === null).map(([name]) => name);
  const parsed: Parsed = parseArgs(argv, {
    string: [...strings, "_"],
    boolean: booleans,
  });
  const [word, operand, ...others] = (parsed["_"] as readonly (string | number)[]).map(String);
  if (word === undefined) throw usage("no command is given");
  if (!isCommandName(word)) throw usage(`there is no command ${quoted(word)}`, word, COMMAND_NAMES);
  const surplus = commandSpec(word).operand === null ? operand : others[0];
  if (surplus !== undefined) throw usage(`${word} does not take the word ${quoted(surplus)}`);
  checkOptions(word, parsed);
  return {
    ...actionOf({ name: word, operand: operandOf(word, operand), parsed }),
    ...commonArgs(parsed),
  };
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.some((word, index) =>
    (word === "--help" || word === "-h") && (end === -1 || index < end)
  );
}

/** Refuses what parseArgs would guess at: unknown, repeated, valueless options; values of switches. */
function checkWords(argv: readonly string[]): void {
  const seen = new Set<string>();
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--") return;
    if (!word.startsWith("-") || word === "-") continue;
    const [, name = "", value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    const option = ALL_OPTIONS.get(name);
    if (option === undefined) {
      const command = argv.find(isCommandName);
      const own = command === undefined ? Object.keys(COMMON_OPTIONS) : optionsOf(command).keys();
      throw unknownOption(word, own);
    }
    if (seen.has(name)) throw usage(`--${name} is given twice`);
    seen.add(name);
    const next = argv[index + 1];
    if (option.takes === null) {
      const given = value !== undefined || next === "true" || next === "false";
      if (given) throw usage(`--${name} takes no value`);
    } else if (value === undefined) {
      if (next === undefined || next === "" || next.startsWith("-")) {
        throw usage(`--${name} needs a value`);
      }
      index++;
    } else if (value === "") throw usage(`--${name} needs a value`);
  }
}

/** Refuses options that another command takes, and words that an option does not know. */
function checkOptions(command: CommandName, parsed: Parsed): void {
  const known = optionsOf(command);
  for (const [name, { takes }] of ALL_OPTIONS) {
    const value = parsed[name];
    if (takes === null ? value !== true : value === undefined) continue;
    if (!known.has(name)) {
      const options = [...known.keys()].map((one) => `--${one}`).join(", ");
      throw usage(`${command} does not take --${name}; its options are ${options}`);
    }
    if (Array.isArray(takes) && !takes.includes(value)) {
      throw usage(`--${name} does not know ${quoted(String(value))}`, String(value), takes);
    }
  }
}

function operandOf(command: CommandName, word: string | undefined): string | undefined {
  const { operand } = commandSpec(command);
  const words = operandWords(command);
  if (operand === null) return undefined;
  if (word === undefined) {
    if (!operand.required) return undefined;
    throw usage(`${command} needs one of the words ${words.join(", ")}`);
  }
  if (words.includes(word)) return word;
  throw usage(`${command} does not know ${quoted(word)}`, word, words);
}

function actionOf(
  { name, operand, parsed }: {
    readonly name: CommandName;
    readonly operand: string | undefined;
    readonly parsed: Parsed;
  },
): Action {
  switch (name) {
    case "tick":
      return { name, now: parsed["now"] === true };
    case "run":
      return { name };
    case "plan":
    case "status":
    case "history":
    case "doctor":
    case "version":
      return { name, json: parsed["json"] === true };
    case "permissions":
      return {
        name,
        format: (parsed["format"] ?? "flags") as PermissionFormat,
        of: (parsed["of"] ?? "tick") as Purpose,
      };
    case "config":
      return { name, action: operand === "show" ? "show" : "check" };
    case "render":
      if (parsed["names"] === true) return { name, names: true };
      throw usage("render needs --names: values are never printed");
    case "help":
      return { name, topic: operand !== undefined && isCommandName(operand) ? operand : null };
    case "completions":
      return { name, shell: operand as "bash" | "zsh" | "fish" };
  }
}

/** The words of choices were checked before, so these casts only say so. */
function commonArgs(parsed: Parsed): CommonArgs {
  return {
    config: (parsed["config"] ?? DEFAULT_CONFIG_PATH) as string,
    logFormat: (parsed["log-format"] ?? "auto") as LogFormat,
    logLevel: (parsed["log-level"] ?? "info") as LogLevel,
  };
}

function unknownOption(word: string, known: Iterable<string>): AgentError {
  const given = word.replace(/=[\s\S]*$/, "");
  const names = [...known];
  const bare = given.replace(/^-+/, "");
  const what = `there is no option ${quoted(given)}`;
  // One letter is meant as the short form of a long name, as other programs have it.
  const nearest = bare.length === 1
    ? names.find((name) => name.startsWith(bare)) ?? null
    : nearestName(bare, names);
  if (nearest !== null) return usage(`${what}; the nearest one is --${nearest}`);
  return usage(`${what}; known are ${names.map((name) => `--${name}`).join(", ")}`);
}

/** A few words are all told; of many, the one nearest to what was given, if any is near. */
function usage(what: string, given?: string, known: readonly string[] = []): AgentError {
  if (given === undefined || known.length === 0) return new AgentError("USAGE", what);
  const nearest = known.length <= 4 ? null : nearestName(given, known);
  const clue = nearest === null ? `known are ${known.join(", ")}` : `the nearest one is ${nearest}`;
  return new AgentError("USAGE", `${what}; ${clue}`);
}
