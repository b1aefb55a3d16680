/** The part of docs/COMMANDS.md that is made from the table of commands. Pure. */

import {
  COMMAND_NAMES,
  type CommandName,
  commandSpec,
  COMMON_OPTIONS,
  type Option,
} from "./command_table.ts";
import { EXIT_CODES, synopsis, valueOf } from "./help.ts";

const BEGIN = "<!-- made from the table of commands: begin -->";
const END = "<!-- made from the table of commands: end -->";

/** Takes the page; gives it with the part between its marks made anew, or null without the marks. */
export function replaceCommandDocs(page: string): string | null {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) return null;
  return `${page.slice(0, begin + BEGIN.length)}\n\n${commandDocs()}\n${page.slice(end)}`;
}

function commandDocs(): string {
  return [
    ...COMMAND_NAMES.flatMap(commandPart),
    "### Options of every command",
    "",
    ...Object.entries(COMMON_OPTIONS).map(optionLine),
    "",
    "### Exit codes",
    "",
    ...EXIT_CODES.map(([code, meaning]) => `- \`${code}\`: ${meaning}`),
    "",
  ].join("\n");
}

function commandPart(name: CommandName): readonly string[] {
  const { summary, detail, options } = commandSpec(name);
  const own = Object.entries(options).map(optionLine);
  return [
    `### \`${synopsis(name)}\``,
    "",
    `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`,
    "",
    ...(detail.length === 0 ? [] : ["```", ...detail, "```", ""]),
    ...(own.length === 0 ? [] : [...own, ""]),
  ];
}

function optionLine([name, { takes, doc }]: readonly [string, Option]): string {
  return `- \`--${name}${takes === null ? "" : ` ${valueOf(takes)}`}\`: ${doc}`;
}
