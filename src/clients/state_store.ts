/**
 * state.json in the state folder, under the tick's lock. What an unreadable one held is rebuilt by
 * the tick, not here.
 */

import { AgentError } from "../errors.ts";
import { type AgentState, emptyState } from "../model/state.ts";
import { formatState, parseState } from "../model/state_parse.ts";
import type { Ports } from "../ports.ts";
import { createPrivateJson } from "./private_json.ts";

/** A full outbox with full details stays far below. */
const MAX_STATE_BYTES = 8 << 20;

/** Where the state lies and whose it is. */
export interface StateStoreOptions {
  readonly stateDir: string;
  readonly envId: string;
  readonly project: string;
}

/** What reading gave: the state, and whether it had to start anew. */
export interface StateRead {
  readonly state: AgentState;
  /** What was odd about the file, in whole clauses, for the log. */
  readonly warnings: readonly string[];
  /** There was no usable file. */
  readonly fresh: boolean;
}

/** Reads and writes state.json. */
export interface StateStore {
  /**
   * Gives the state; with `repair`, makes a loose file private and moves a broken one aside. Throws
   * STATE_ENV_MISMATCH or PROJECT_MISMATCH when it is another box's.
   */
  read(options: { readonly repair: boolean }): Promise<StateRead>;
  /** Replaces the state durably. Throws DISK_FULL, FILE_UNWRITABLE. */
  write(state: AgentState): Promise<void>;
}

/** Makes the store; throws nothing. */
export function createStateStore(
  ports: Pick<Ports, "files">,
  options: StateStoreOptions,
): StateStore {
  const file = createPrivateJson(ports, {
    dir: options.stateDir,
    name: "state.json",
    maxBytes: MAX_STATE_BYTES,
    parse: parseState,
  });
  return {
    async read(how): Promise<StateRead> {
      const { value, warnings } = await file.read(how);
      if (value === null) {
        return { state: emptyState(options.envId, options.project), warnings, fresh: true };
      }
      refuseForeign(value, options);
      return { state: value, warnings, fresh: false };
    },
    async write(state): Promise<void> {
      await file.write(formatState(state));
    },
  };
}

function refuseForeign(state: AgentState, options: StateStoreOptions): void {
  if (state.envId !== options.envId) {
    throw new AgentError(
      "STATE_ENV_MISMATCH",
      `the state in ${options.stateDir} is of ${JSON.stringify(state.envId.slice(0, 100))}, ` +
        `the config says ${options.envId}`,
    );
  }
  // Another project name would start a second copy with empty volumes beside the first (case 38).
  const inUse = state.applied !== null || state.applying !== null;
  if (inUse && state.project !== options.project) {
    throw new AgentError(
      "PROJECT_MISMATCH",
      `the applied release runs as project ${state.project}, the config says ${options.project}`,
    );
  }
}
