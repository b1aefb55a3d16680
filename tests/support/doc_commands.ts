/** The command lines that the documents tell people to type, found and held against the real parsers. */

import { parseTestOptions } from "../../scripts/test/options.ts";
import { COMMANDS as TENANCY_COMMANDS } from "../../scripts/tenancy/cli/usage.ts";
import { parseCommand } from "../../src/cli/args.ts";

/** One command line of a document. */
export interface DocCommand {
  readonly line: number;
  readonly words: readonly string[];
}

const PROGRAMS =
  /(?:^|[;&|(])\s*(?:sudo (?:-u \S+ )?)?((?:monky-deployd|deno task|npx -y deno@\S+ task|sh install\.sh|systemctl) [^;&|>]*)/g;

/**
 * Takes a Markdown text; gives the command lines in fenced blocks and code spans. Outlines with
 * brackets or an ellipsis are no command lines.
 */
export function commandsIn(markdown: string): readonly DocCommand[] {
  const found: DocCommand[] = [];
  let fence = false;
  for (const [index, text] of markdown.split("\n").entries()) {
    if (/^\s*```/.test(text)) {
      fence = !fence;
      continue;
    }
    const parts = fence || text.startsWith("    ")
      ? [text]
      : [...text.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
    for (const part of parts) {
      const typed = part.replace(/(?:^|\s)#.*$/, "");
      for (const [, command = ""] of typed.matchAll(PROGRAMS)) {
        if (!/[[\]…]|COMMAND/.test(command)) found.push({ line: index + 1, words: split(command) });
      }
    }
  }
  return found;
}

/** Splits as a shell does what documents hold: words, some in quotes. */
function split(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) =>
    a ?? b ?? c ?? ""
  );
}

/** What the command lines may name besides the agent's own words. */
export interface Known {
  /** The tasks of deno.json. */
  readonly tasks: readonly string[];
  /** The text of install.sh's options. */
  readonly installOptions: string;
  /** File names below packaging/systemd. */
  readonly units: readonly string[];
  /** Says whether a path of the project is there. */
  readonly isThere: (path: string) => boolean;
}

/** Takes a command line; gives what is wrong with it, or null. */
export function wrongIn(words: readonly string[], known: Known): string | null {
  const [program, ...rest] = words;
  switch (program) {
    case "monky-deployd":
      return wrongForAgent(rest);
    case "systemctl": {
      const own = rest.filter((word) => word.startsWith("monky-deployd"));
      const unknown = own.find((unit) => !known.units.includes(unit));
      return unknown === undefined ? null : `there is no unit ${unknown}`;
    }
    case "sh":
      return rest.filter((word) => word.startsWith("--"))
        .find((option) => !new RegExp(`^ +${option} `, "m").test(known.installOptions)) ?? null;
    default:
      return wrongTask(words.slice(words.indexOf("task") + 1), known);
  }
}

function wrongForAgent(words: readonly string[]): string | null {
  try {
    parseCommand(words);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function wrongTask([task = "", ...rest]: readonly string[], known: Known): string | null {
  if (!known.tasks.includes(task)) return `there is no task ${task}`;
  if (task === "agent") return rest.length === 0 ? null : wrongForAgent(rest);
  if (task === "tick") return wrongForAgent(["tick", ...rest]);
  if (task === "test") {
    const { wanted } = parseTestOptions(rest);
    return wanted.find((path) => !known.isThere(path)) ?? null;
  }
  if (task === "lab") {
    const words = ["up", "down", "secret", "status"];
    return rest.length === 0 || words.includes(rest[0] ?? "") ? null : `lab has no ${rest[0]}`;
  }
  return task === "tenancy" ? wrongForTenancy(rest) : null;
}

function wrongForTenancy([name = "--help", ...rest]: readonly string[]): string | null {
  if (name === "--help") return null;
  const help = Object.hasOwn(TENANCY_COMMANDS, name) ? TENANCY_COMMANDS[name] : undefined;
  if (help === undefined) return `tenancy has no ${name}`;
  const options = [...help.values, ...help.switches, "dir", "help"];
  return rest.filter((word) => word.startsWith("--"))
    .find((word) => !options.includes(word.slice(2).replace(/=.*/, ""))) ?? null;
}
