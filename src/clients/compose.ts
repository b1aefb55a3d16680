/**
 * Runs docker compose (its plugin, directly: half the cost, and signals arrive; facts: docker §6).
 * The command lines come from core/compose_argv.ts; how an outcome is to be read is for
 * core/compose_failure.ts. Decides nothing.
 */

import { AgentError } from "../errors.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import { parseComposeModel } from "../model/compose_model_parse.ts";
import type { CommandResult, Exec } from "../ports.ts";

/** One run of compose. */
export interface ComposeCall {
  readonly args: readonly string[];
  /** The child's whole environment: core/compose_argv.ts composeEnvironment(). */
  readonly env: Readonly<Record<string, string>>;
  /** A folder that exists; compose reads nothing from it. */
  readonly cwd: string;
  /** Exec's lifeline; the environment names the same path. */
  readonly lifeline?: string;
  readonly timeoutMs: number;
  /** Receives each line of progress as it came: unmasked, with whatever escapes it has. */
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** How a run ended. Exit code 0 is a success and no proof (facts: docker §11). */
export type ComposeOutcome = Pick<CommandResult, "code" | "stderrTail" | "timedOut" | "aborted">;

/** The resolved files, or why there are none. */
export type ConfigOutcome =
  | {
    readonly ok: true;
    readonly model: ComposeModel;
    /** The whole resolved form, for the policy: holds secrets, is never logged or written. */
    readonly resolved: unknown;
  }
  | { readonly ok: false; readonly outcome: ComposeOutcome };

/** The ways compose is run. Each may throw COMPOSE_MISSING or PERMISSION_MISSING (Exec's). */
export interface Compose {
  /** Runs pull, up, down and their like to the end. */
  run(call: ComposeCall): Promise<ComposeOutcome>;
  /** Runs `config --format json`. Throws COMPOSE_INVALID when its output is too large or odd. */
  config(call: ComposeCall): Promise<ConfigOutcome>;
  /** Runs `version --short`; gives `2.26.1-4`. Throws COMPOSE_MISSING when the file is no compose. */
  version(call: ComposeCall): Promise<string>;
}

const GRACE_MS = 10_000;
/** A bundle is at most 16 MiB; what compose makes of a usual one is some ten kilobytes. */
const MAX_CONFIG_BYTES = 16 << 20;
const MAX_VERSION_BYTES = 4 << 10;

/** Makes the client for the plugin at the path; throws nothing. */
export function createCompose(exec: Exec, { plugin }: { readonly plugin: string }): Compose {
  const spawn = (call: ComposeCall, maxStdoutBytes: number): Promise<CommandResult> =>
    exec.run({
      program: plugin,
      args: call.args,
      env: call.env,
      cwd: call.cwd,
      timeoutMs: call.timeoutMs,
      graceMs: GRACE_MS,
      ...(call.lifeline === undefined ? {} : { lifeline: call.lifeline }),
      maxStdoutBytes,
      ...(call.onProgress === undefined ? {} : { onLine: call.onProgress }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });

  return {
    async run(call): Promise<ComposeOutcome> {
      return outcomeOf(await spawn(call, 0));
    },

    async config(call): Promise<ConfigOutcome> {
      const result = await spawn(call, MAX_CONFIG_BYTES);
      if (result.code !== 0 || result.timedOut || result.aborted) {
        return { ok: false, outcome: outcomeOf(result) };
      }
      if (result.stdoutTruncated) {
        const message = `the resolved compose files are larger than ${MAX_CONFIG_BYTES} bytes`;
        throw new AgentError("COMPOSE_INVALID", message);
      }
      const resolved = readResolved(result.stdout);
      const model = parseComposeModel(resolved);
      if (model !== null) return { ok: true, model, resolved };
      throw new AgentError(
        "COMPOSE_INVALID",
        "docker compose printed no model this agent can read",
      );
    },

    async version(call): Promise<string> {
      const result = await spawn(call, MAX_VERSION_BYTES);
      const text = new TextDecoder().decode(result.stdout).trim();
      if (result.code === 0 && /^v?\d+\.\d+[\w.+~-]*$/.test(text)) return text.replace(/^v/, "");
      throw new AgentError("COMPOSE_MISSING", `"${plugin}" does not tell a compose version`);
    },
  };
}

function outcomeOf({ code, stderrTail, timedOut, aborted }: CommandResult): ComposeOutcome {
  return { code, stderrTail, timedOut, aborted };
}

/** compose doubles every `$` of its output, keys included (facts: docker §4). */
function readResolved(stdout: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(stdout);
    return JSON.parse(text.replaceAll("$$", () => "$"));
  } catch {
    // The parser's message quotes the text, which holds secrets.
    return null;
  }
}
