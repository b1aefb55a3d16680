/**
 * From a command to an exit code. What is printed as a result goes to standard output; the journal of
 * what happens goes to standard error. What a command needs is loaded when it is asked for, because a
 * tick runs each minute and uses none of the rest.
 */

import type { Agent } from "../engine/agent.ts";
import { forgiveOffline } from "../engine/laptop.ts";
import { endOf, tick } from "../engine/tick.ts";
import { EXIT_BY_KIND } from "../errors.ts";
import type { Config } from "../model/config.ts";
import type { Ports, Reloads } from "../ports.ts";
import { VERSION } from "../version.ts";
import type { Command } from "./args.ts";
import { reportError } from "./report_error.ts";

/** What a command may ask for; each is made only when it is asked for. */
export interface Surroundings {
  readonly ports: Omit<Ports, "http">;
  readonly reloads: Reloads;
  /** Takes a path as given on the command line; gives it absolute. */
  readonly absolute: (path: string) => string;
  /** Gives the config file's text. Throws CONFIG_MISSING, CONFIG_INVALID, FILE_UNREADABLE. */
  readonly readConfigText: () => Promise<string>;
  /**
   * Gives the agent of the config; what the one before kept open is closed. Throws CONFIG_MISSING,
   * CONFIG_INVALID, FILE_UNREADABLE, and what `accept` throws, which gets the config as parsed; the
   * agent before then stays as it is.
   */
  readonly openAgent: (accept?: (config: Config) => void) => Promise<Agent>;
  /**
   * Gives an agent of the same config when a file that it names (`bao.ca`, bundle keys) holds
   * something else than when it was looked at last, or null. Throws CONFIG_INVALID, FILE_UNREADABLE;
   * the agent before then stays as it is.
   */
  readonly refreshAgent: () => Promise<Agent | null>;
}

/** Runs a command; gives the exit code. Throws the AgentErrors of the command. */
export async function runCommand(command: Command, around: Surroundings): Promise<number> {
  switch (command.name) {
    case "tick":
      return await runTick(await around.openAgent(), { force: command.now });
    case "run":
      return await runUntilStopped(around, around.absolute(command.config));
    case "version": {
      const text = command.json ? JSON.stringify({ version: VERSION }) : VERSION;
      return print(around, `${text}\n`);
    }
    case "config":
    case "permissions":
    case "completions":
    case "help":
      return await runText(command, around);
    case "plan":
    case "status":
    case "history":
    case "render":
      return await runLook(command, around);
    case "doctor":
      return await runDoctor(around, command);
  }
}

async function runTick(agent: Agent, options: { readonly force: boolean }): Promise<number> {
  const { error: failure } = await tick(agent, options).catch(endOf);
  const error = await forgiveOffline(agent, failure);
  if (error === null) return 0;
  reportError(agent.ports.log, error);
  return EXIT_BY_KIND[error.kind];
}

async function runUntilStopped(around: Surroundings, configPath: string): Promise<number> {
  const { runLoop } = await import("../engine/run_loop.ts");
  const { reloads, openAgent, refreshAgent, ports } = around;
  await runLoop({
    configPath,
    say: (error) => reportError(ports.log, error),
    reloads,
    open: openAgent,
    refresh: refreshAgent,
  });
  return 0;
}

type TextCommand = Command & {
  readonly name: "config" | "permissions" | "completions" | "help";
};

async function runText(command: TextCommand, around: Surroundings): Promise<number> {
  const texts = await import("./text_commands.ts");
  switch (command.name) {
    case "config": {
      const text = await around.readConfigText();
      if (command.action === "show") return print(around, texts.configText(text));
      const checked = texts.checkText(text);
      // A config is no good either when a file that it names is not there or holds no certificate.
      if (checked.code === 0) await around.openAgent();
      print(around, checked.text);
      return checked.code;
    }
    case "permissions": {
      const configPath = around.absolute(command.config);
      const text = await around.readConfigText();
      return print(around, texts.permissionsText(text, { ...command, configPath }));
    }
    case "completions":
      return print(around, texts.completionScript(command.shell));
    case "help":
      return print(around, texts.helpText(command.topic));
  }
}

type LookCommand = Command & {
  readonly name: "plan" | "status" | "history" | "render";
};

async function runLook(command: LookCommand, around: Surroundings): Promise<number> {
  const looks = await import("./look_commands.ts");
  const agent = await around.openAgent();
  switch (command.name) {
    case "plan": {
      const { text, code } = await looks.planText(agent, command.json);
      print(around, text);
      return code;
    }
    case "status":
      return print(around, await looks.statusText(agent, command.json));
    case "history":
      return print(around, await looks.historyText(agent, command.json));
    case "render":
      return print(around, await looks.renderNamesText(agent));
  }
}

async function runDoctor(
  around: Surroundings,
  { config, json }: Command & { readonly name: "doctor" },
): Promise<number> {
  const { doctorText } = await import("./doctor_command.ts");
  const configPath = around.absolute(config);
  const openAgent = (): Promise<Agent> => around.openAgent();
  const { text, code } = await doctorText({ configPath, json, openAgent });
  print(around, text);
  return code;
}

function print(around: Surroundings, text: string): number {
  around.ports.out.print(text);
  return 0;
}
