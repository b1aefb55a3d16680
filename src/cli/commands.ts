/**
 * One function a command: from the agent's parts to an exit code. What is printed as a result goes
 * to standard output; the journal of what happens goes to standard error.
 */

import { parseConfig, readConfig } from "../config/parse.ts";
import { showCheck, showConfig } from "../config/show.ts";
import { permissionsOf, toFlags, toJson, toSystemd } from "../core/permissions.ts";
import type { Agent } from "../engine/agent.ts";
import { runLoop } from "../engine/run_loop.ts";
import { tick } from "../engine/tick.ts";
import { AgentError, EXIT_BY_KIND } from "../errors.ts";
import type { Ports } from "../ports.ts";
import { VERSION } from "../version.ts";
import type { Command } from "./args.ts";
import { completionScript } from "./completions.ts";
import { helpText } from "./help.ts";
import { historyText, planText, renderNamesText, statusText } from "./look_commands.ts";
import { reportError } from "./report_error.ts";

/** What a command may ask for; each is made only when it is asked for. */
export interface Surroundings {
  readonly ports: Omit<Ports, "http">;
  /** Gives the config file's text. Throws CONFIG_MISSING, CONFIG_INVALID, FILE_UNREADABLE. */
  readonly readConfigText: () => Promise<string>;
  /** Gives the agent of the config. Throws CONFIG_MISSING, CONFIG_INVALID, FILE_UNREADABLE. */
  readonly openAgent: () => Promise<Agent>;
}

/** Runs a command; gives the exit code. Throws the AgentErrors of the command. */
export async function runCommand(command: Command, around: Surroundings): Promise<number> {
  const { out } = around.ports;
  switch (command.name) {
    case "tick":
      return await runTick(await around.openAgent(), { force: command.now });
    case "config":
      return command.action === "check"
        ? checkConfig(around, await around.readConfigText())
        : print(around, showConfig(parseConfig(await around.readConfigText())));
    case "permissions":
      return print(around, showPermissions(command, await around.readConfigText()));
    case "version":
      out.print(command.json ? `${JSON.stringify({ version: VERSION })}\n` : `${VERSION}\n`);
      return 0;
    case "completions":
      return print(around, completionScript(command.shell));
    case "help":
      return print(around, helpText(command.topic));
    case "run": {
      const agent = await around.openAgent();
      await runLoop(agent, (error) => reportError(agent.ports.log, error));
      return 0;
    }
    case "plan":
      return print(around, await planText(await around.openAgent()));
    case "status":
      return print(around, await statusText(await around.openAgent(), command.json));
    case "history":
      return print(around, await historyText(await around.openAgent(), command.json));
    case "render":
      return print(around, await renderNamesText(await around.openAgent()));
    case "doctor":
      throw new AgentError("USAGE", `${command.name} is not there yet`);
  }
}

function showPermissions(
  command: Command & { readonly name: "permissions" },
  text: string,
): string {
  const { config } = parseConfig(text);
  const permissions = permissionsOf(config, { configPath: command.config });
  switch (command.format) {
    case "flags":
      return `${toFlags(permissions, "package").join("\n")}\n`;
    case "systemd":
      return toSystemd(config);
    case "json":
      return toJson(permissions);
  }
}

function print(around: Surroundings, text: string): number {
  around.ports.out.print(text);
  return 0;
}

function checkConfig(around: Surroundings, text: string): number {
  const reading = readConfig(text);
  const problems = "problems" in reading ? reading.problems : [];
  around.ports.out.print(showCheck(problems));
  return problems.length === 0 ? 0 : EXIT_BY_KIND.config;
}

async function runTick(agent: Agent, options: { readonly force: boolean }): Promise<number> {
  const { error } = await tick(agent, options);
  if (error === null) return 0;
  reportError(agent.ports.log, error);
  return EXIT_BY_KIND[error.kind];
}
