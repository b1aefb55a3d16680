/** The man page monky-deployd(8), made from the table of commands. Pure; troff with man(7) macros. */

import {
  COMMAND_NAMES,
  type CommandName,
  commandSpec,
  COMMON_OPTIONS,
  type Option,
} from "./command_table.ts";
import { EXIT_CODES, synopsis, valueOf } from "./help.ts";

const DESCRIPTION = [
  "monky-deployd runs on a box that nobody can connect to. It asks the control plane what the box " +
  "should run, fetches that as a bundle, reads the box's own secrets from OpenBao, deploys with " +
  "docker compose, and reports. One run of all that is a tick; a timer or the command run makes one " +
  "every minute.",
  "Results go to standard output, the journal of what happens to standard error: on a terminal for " +
  "a person, in colour unless NO_COLOR is set; else as lines with priorities for journald.",
];

const FILES: readonly (readonly [string, string])[] = [
  ["/etc/monky-deployd/config.yaml", "The config. /usr/share/doc/monky-deployd has an example."],
  [
    "/etc/monky-deployd/bootstrap.jwt",
    "The bootstrap grant of the install kit; removed once used.",
  ],
  ["/var/lib/monky-deployd", "State, token, history, and the releases of the box."],
];

/** Gives the whole page, ending in a line feed. */
export function manPage(): string {
  return [
    '.TH MONKY\\-DEPLOYD 8 "" "monky\\-deployd" "System Administration"',
    ".SH NAME",
    "monky\\-deployd \\- pull what this box should run, and make it so",
    ".SH SYNOPSIS",
    ".B monky\\-deployd",
    ".I COMMAND",
    "[options]",
    ".SH DESCRIPTION",
    ...DESCRIPTION.flatMap((text, index) => [...(index === 0 ? [] : [".PP"]), plain(text)]),
    ".SH COMMANDS",
    ...COMMAND_NAMES.flatMap(commandLines),
    ".SH OPTIONS",
    "Every command takes these.",
    ...optionLines(Object.entries(COMMON_OPTIONS)),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => tagged(`.B ${code}`, sentence(meaning))),
    ".SH FILES",
    ...FILES.flatMap(([path, what]) => tagged(`.I ${plain(path)}`, what)),
    ".SH SEE ALSO",
    ".BR docker (1),",
    ".BR systemd.timer (5)",
    "",
  ].join("\n");
}

function commandLines(name: CommandName): readonly string[] {
  const { summary, detail, options } = commandSpec(name);
  const own = Object.entries(options);
  return [
    ".TP",
    `.B ${plain(synopsis(name))}`,
    plain(sentence(summary)),
    ...detail.flatMap((line) => [".br", plain(line)]),
    ...(own.length === 0 ? [] : [".RS", ...optionLines(own), ".RE"]),
  ];
}

function optionLines(options: readonly (readonly [string, Option])[]): readonly string[] {
  return options.flatMap(([name, { takes, doc }]) => {
    const value = takes === null ? "" : ` ${valueOf(takes)}`;
    return tagged(`.B ${plain(`--${name}${value}`)}`, sentence(doc));
  });
}

function tagged(tag: string, text: string): readonly string[] {
  return [".TP", tag, plain(text)];
}

function sentence(text: string): string {
  const upper = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return /[.!?)]$/.test(upper) ? upper : `${upper}.`;
}

/** A backslash escapes, a hyphen would be shown as another character, a leading dot is a macro. */
function plain(text: string): string {
  const escaped = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
