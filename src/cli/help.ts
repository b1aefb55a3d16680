/** Texts of `help`, made from the table of commands. Pure; at most 80 columns wide. */

import {
  COMMAND_NAMES,
  type CommandName,
  commandSpec,
  COMMON_OPTIONS,
  type Option,
  optionsOf,
} from "./command_table.ts";

const COLUMNS = 80;

/** Exit code → what it means (SPEC §8). */
export const EXIT_CODES: readonly (readonly [string, string])[] = [
  ["0", "done, or nothing to do"],
  ["1", "a person is needed: failed, refused, or the identity is not accepted"],
  ["64", "the command line is wrong"],
  ["70", "a bug"],
  ["75", "try again later"],
  ["78", "the config is wrong"],
];

/** Takes a command, or null for the whole; gives the text, ending in a line feed. */
export function helpText(topic: CommandName | null): string {
  return topic === null ? overview() : commandHelp(topic);
}

function overview(): string {
  return [
    "monky-deployd pulls what this box should run, and makes it so.",
    "",
    "Usage: monky-deployd COMMAND [OPTIONS]",
    "",
    "Commands:",
    ...table(COMMAND_NAMES.map((name) => [synopsis(name), commandSpec(name).summary])),
    "",
    "Options of every command:",
    ...table(optionRows(Object.entries(COMMON_OPTIONS))),
    "",
    "Exit codes:",
    ...table(EXIT_CODES),
    "",
  ].join("\n");
}

function commandHelp(name: CommandName): string {
  const { summary, detail } = commandSpec(name);
  return [
    `monky-deployd ${name}: ${summary}`,
    "",
    ...usageLines(name),
    "",
    ...(detail.length === 0 ? [] : [...detail.map((line) => `  ${line}`), ""]),
    "Options:",
    ...table(optionRows([...optionsOf(name)])),
    "",
  ].join("\n");
}

/** What does not fit goes on below the first option. */
function usageLines(name: CommandName): readonly string[] {
  const head = `Usage: monky-deployd ${name} `;
  const whole = `Usage: monky-deployd ${synopsis(name)}`;
  if (whole.length <= COLUMNS) return [whole];
  const parts = synopsis(name).slice(name.length + 1).split(/ (?=\[)/);
  return parts.map((part, index) => `${index === 0 ? head : " ".repeat(head.length)}${part}`);
}

/** Takes a command; gives it with its own options and operand, as one types it. */
export function synopsis(name: CommandName): string {
  const { options, operand } = commandSpec(name);
  const words = operand === null ? "" : operand.words.join("|") || operand.name;
  const shown = operand === null || operand.required ? words : `[${words}]`;
  const flags = Object.entries(options).map(([option, { takes }]) => {
    if (name === "render") return `--${option}`;
    return `[--${option}${takes === null ? "" : ` ${valueOf(takes)}`}]`;
  });
  return [name, shown, ...flags].filter((part) => part !== "").join(" ");
}

function optionRows(options: readonly (readonly [string, Option])[]): [string, string][] {
  return options.map(([name, { takes, doc }]) => [
    takes === null ? `--${name}` : `--${name} ${valueOf(takes)}`,
    doc,
  ]);
}

/** Takes what an option takes; gives it as help shows it. */
export function valueOf(takes: string | readonly string[]): string {
  return typeof takes === "string" ? takes : takes.join("|");
}

/** A left column too wide for the page gets a line of its own. */
function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= 24));
  return rows.flatMap(([left, right]) =>
    left.length > width
      ? [`  ${left}`, `  ${" ".repeat(width)}  ${right}`]
      : [`  ${left.padEnd(width)}  ${right}`]
  );
}
