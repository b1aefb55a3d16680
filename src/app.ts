/**
 * The composition root: argv → command → config → real ports → agent. The only importer of src/io;
 * holds no decision. Whatever is thrown ends here, as one line and an exit code.
 */

import { type Command, parseCommand } from "./cli/args.ts";
import { runCommand } from "./cli/commands.ts";
import { reportError } from "./cli/report_error.ts";
import { bundleKeyFiles, withBundleKeys } from "./config/bundle_keys.ts";
import { parseConfig } from "./config/parse.ts";
import type { Agent } from "./engine/agent.ts";
import { wireAgent } from "./engine/wire.ts";
import { AgentError, asAgentError, EXIT_BY_KIND } from "./errors.ts";
import {
  absolutePath,
  createHttp,
  createLocalPorts,
  type HeldHttp,
  httpOptions,
  type LocalPorts,
} from "./io/mod.ts";
import type { Config } from "./model/config.ts";
import { Mask } from "./model/mask.ts";
import "./model/no_jit.ts";
import type { Clock, Ports, Screen, Watch } from "./ports.ts";

const MAX_CONFIG_BYTES = 1 << 20;
const MAX_PEM_BYTES = 1 << 20;

/** Takes the words after the program's name; gives the exit code (SPEC §8). Throws nothing. */
export async function run(argv: readonly string[]): Promise<number> {
  const mask = new Mask();
  const look = { logFormat: "auto", logLevel: "info" } as const;
  let command: Command;
  try {
    command = parseCommand(argv);
  } catch (thrown) {
    const { log, signals } = createLocalPorts({ ...look, mask: (text) => text });
    signals.close();
    return ended(log, thrown);
  }
  const local = createLocalPorts({ ...command, mask: (text) => mask.apply(text) });
  let http: HeldHttp | null = null;
  let read: ReadConfig | null = null;
  const open = async ({ parsed, named }: ReadConfig): Promise<Agent> => {
    const { config, caPem } = withNamed(parsed, named);
    const next = createHttp(httpOptions(config, caPem, local.log));
    const { screen, clock } = local;
    const watch = screen === null ? {} : { watch: await watchOn(screen, clock) };
    const agent = await openAgent(config, { ...local, ...watch, http: next }, mask);
    // Not before all else went well: with a CA that is none, the one before stays in use.
    await http?.close();
    http = next;
    return agent;
  };
  try {
    return await runCommand(command, {
      ports: local,
      reloads: local.reloads,
      absolute: absolutePath,
      readConfigText: () => readConfigText(local, command.config),
      openAgent: async (accept) => {
        const { config: parsed } = parseConfig(await readConfigText(local, command.config));
        accept?.(parsed);
        const next = { parsed, named: await readNamed(local, parsed) };
        const agent = await open(next);
        // A config that is not taken now is not taken later, when one of its files comes back.
        read = next;
        return agent;
      },
      refreshAgent: async () => {
        if (read === null) return null;
        const named = await readNamed(local, read.parsed);
        if ([...named].every(([path, text]) => read?.named.get(path) === text)) return null;
        read = { ...read, named };
        return await open(read);
      },
    });
  } catch (thrown) {
    return ended(local.log, thrown);
  } finally {
    await (http as HeldHttp | null)?.close();
    local.signals.close();
    local.reloads.close();
  }
}

/** Loaded for a person alone: a tick of the timer draws nothing. */
async function watchOn(screen: Screen, clock: Clock): Promise<Watch> {
  const { createWatch } = await import("./cli/watch.ts");
  return createWatch(screen, clock);
}

function ended(log: LocalPorts["log"], thrown: unknown): number {
  const error = asAgentError(thrown);
  reportError(log, error);
  return EXIT_BY_KIND[error.kind];
}

async function readConfigText(local: LocalPorts, path: string): Promise<string> {
  const bytes = await local.files.read(path, MAX_CONFIG_BYTES, { followLink: true });
  if (bytes === null) throw new AgentError("CONFIG_MISSING", `there is no config file ${path}`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AgentError("CONFIG_INVALID", `the config file ${path} is not UTF-8`);
  }
}

/** Path → text of a file that the config names; null: it is not there. */
type NamedFiles = ReadonlyMap<string, string | null>;

/** A config as parsed, and the files that it names as they were when they were read. */
interface ReadConfig {
  readonly parsed: Config;
  readonly named: NamedFiles;
}

async function readNamed(local: LocalPorts, parsed: Config): Promise<NamedFiles> {
  const { ca } = parsed.bao;
  const texts = new Map<string, string | null>();
  for (const path of [...bundleKeyFiles(parsed), ...ca === null ? [] : [ca]]) {
    texts.set(path, await readPem(local, path));
  }
  return texts;
}

function withNamed(
  parsed: Config,
  named: NamedFiles,
): { readonly config: Config; readonly caPem: string | null } {
  const config = withBundleKeys(parsed, named);
  const { ca } = config.bao;
  const caPem = ca === null ? null : named.get(ca) ?? null;
  if (ca !== null && caPem === null) {
    throw new AgentError("CONFIG_INVALID", `bao.ca: the file ${ca} is not there`);
  }
  return { config, caPem };
}

async function openAgent(config: Config, ports: Ports, mask: Mask): Promise<Agent> {
  const own = await ports.files.stat(config.stateDir);
  return wireAgent(config, { ports, mask, ownUid: own?.uid ?? null });
}

async function readPem(local: LocalPorts, path: string): Promise<string | null> {
  const bytes = await local.files.read(path, MAX_PEM_BYTES, { followLink: true });
  return bytes === null ? null : new TextDecoder().decode(bytes);
}
