/** The commands that need no agent: config, permissions, help, completions. Each gives its text. */

import { parseConfig, readConfig } from "../config/parse.ts";
import { showCheck, showConfig } from "../config/show.ts";
import { permissionsOf, type Purpose, toFlags, toJson, toSystemd } from "../core/permissions.ts";
import { EXIT_BY_KIND } from "../errors.ts";
import type { PermissionFormat } from "./args.ts";

export { completionScript } from "./completions.ts";
export { helpText } from "./help.ts";

/** What `config check` gives: its text and the exit code. Throws nothing. */
export function checkText(text: string): { readonly text: string; readonly code: number } {
  const reading = readConfig(text);
  const problems = "problems" in reading ? reading.problems : [];
  return { text: showCheck(problems), code: problems.length === 0 ? 0 : EXIT_BY_KIND.config };
}

/** Takes the config's text; gives the effective values. Throws CONFIG_INVALID. */
export function configText(text: string): string {
  return showConfig(parseConfig(text));
}

/** How the permissions are printed. */
export interface PermissionsOptions {
  readonly format: PermissionFormat;
  readonly of: Purpose;
  /** The config file, absolute: flags are used from another folder than they are printed in. */
  readonly configPath: string;
}

/** Takes the config's text; gives what it lets the process touch. Throws CONFIG_INVALID. */
export function permissionsText(
  text: string,
  { format, of, configPath }: PermissionsOptions,
): string {
  const { config } = parseConfig(text);
  const permissions = permissionsOf(config, { configPath, of });
  switch (format) {
    case "flags":
      return `${toFlags(permissions, "package").join("\n")}\n`;
    case "systemd":
      return toSystemd(config);
    case "json":
      return toJson(permissions);
  }
}
