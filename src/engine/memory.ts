/**
 * State and session of one tick: the values in use and their files, always changed together. Nothing
 * is written that did not change, so that a converged tick writes nothing.
 */

import type { SessionStore } from "../clients/session_store.ts";
import type { StateStore } from "../clients/state_store.ts";
import type { AgentState, Session } from "../model/state.ts";

/** The box's memory during a tick. */
export class Memory {
  /** What was odd about the files when they were read, in whole clauses. */
  readonly found: readonly string[];
  #state: AgentState;
  #session: Session;
  readonly #states: StateStore;
  readonly #sessions: SessionStore;

  constructor(
    stores: { readonly states: StateStore; readonly sessions: SessionStore },
    read: {
      readonly state: AgentState;
      readonly session: Session;
      readonly found: readonly string[];
    },
  ) {
    this.found = read.found;
    this.#states = stores.states;
    this.#sessions = stores.sessions;
    this.#state = read.state;
    this.#session = read.session;
  }

  /** What was applied, failed, is being applied. */
  get state(): AgentState {
    return this.#state;
  }

  /** The token and what belongs to it. */
  get session(): Session {
    return this.#session;
  }

  /** Makes the next state durable, then current. Throws DISK_FULL, FILE_UNWRITABLE. */
  async saveState(next: AgentState): Promise<void> {
    if (next === this.#state) return;
    await this.#states.write(next);
    this.#state = next;
  }

  /** Makes the next session durable, then current. Throws DISK_FULL, FILE_UNWRITABLE. */
  async saveSession(next: Session): Promise<void> {
    if (next === this.#session) return;
    await this.#sessions.write(next);
    this.#session = next;
  }
}
