/**
 * What several of the doctor's checks look at, gathered once: the box's memory, and how tenancy and
 * OpenBao answer. Nothing is written, leased or logged in to.
 */

import type { BaoHealth } from "../../clients/openbao.ts";
import type { Place } from "../../core/doctor/place.ts";
import { type AgentError, asAgentError } from "../../errors.ts";
import { Secret } from "../../model/secret.ts";
import { type AgentState, emptyState, type Session } from "../../model/state.ts";
import type { CheckinReply } from "../../model/tenancy_wire.ts";
import type { Agent } from "../agent.ts";
import { checkIn } from "../check_in.ts";
import { observeContainers } from "../observe.ts";

/** A value, or the error in its place. */
export type Outcome<T> =
  | { readonly value: T; readonly error: null }
  | { readonly value: null; readonly error: AgentError };

/** How both remotes answered. */
export interface Way {
  readonly tenancy: Outcome<CheckinReply>;
  readonly bao: Outcome<BaoHealth>;
}

/** What the box remembers, and what was odd about the files. */
export interface Remembered {
  readonly state: AgentState;
  readonly session: Session;
  readonly warnings: readonly string[];
}

/** What the checks look through. */
export interface Lookout {
  readonly agent: Agent;
  readonly place: Place;
  /** Gives state and session. Throws STATE_ENV_MISMATCH, PROJECT_MISMATCH, FILE_UNREADABLE. */
  readonly memory: () => Promise<Remembered>;
  /** Gives how the remotes answer, or in a clause why they cannot be asked without a change to the box. */
  readonly way: () => Promise<Way | string>;
}

/** A bearer that tenancy refuses: its refusal proves that it was reached. */
const NO_TOKEN = new Secret("monky-deployd-doctor");

/** Makes the lookout; asks nothing yet. */
export function createLookout(agent: Agent, place: Place): Lookout {
  const memory = once(() => readMemory(agent));
  return { agent, place, memory, way: once(() => askRemotes(agent, place, memory)) };
}

async function readMemory({ states, sessions }: Agent): Promise<Remembered> {
  const state = await states.read({ repair: false });
  const session = await sessions.read({ repair: false });
  return {
    state: state.state,
    session: session.session,
    warnings: [...state.warnings, ...session.warnings],
  };
}

async function askRemotes(
  agent: Agent,
  place: Place,
  memory: () => Promise<Remembered>,
): Promise<Way | string> {
  const why = await whyNotAsked(agent, place);
  if (why !== null) return why;
  const { envId, composeProject } = agent.config;
  const remembered = (await outcomeOf(memory)).value;
  const state = remembered?.state ?? emptyState(envId, composeProject);
  const token = remembered?.session.token?.value ?? NO_TOKEN;
  const { containers } = await observeContainers(agent);
  const [tenancy, bao] = await Promise.all([
    outcomeOf(() => checkIn(agent, token, { state, containers })),
    outcomeOf(() => agent.bao.health()),
  ]);
  return { tenancy, bao };
}

/** The bridge lies in the runtime folder: made by another user, it would keep the agent out. */
async function whyNotAsked(agent: Agent, { agentUid }: Place): Promise<string | null> {
  const { transport, stateDir } = agent.config;
  if (transport !== "sdk") return null;
  if (agentUid === null) return `${stateDir} is not there yet, and the bridge to the mesh needs it`;
  const { files, box } = agent.ports;
  if (box.uid() === agentUid || await files.stat(`${stateDir}/.run`) !== null) return null;
  return `the bridge to the mesh is started by user ${agentUid} alone, as long as ${stateDir}/.run ` +
    "is not there";
}

/** Takes what may fail; gives its value or its error. */
export async function outcomeOf<T>(act: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await act(), error: null };
  } catch (thrown) {
    return { value: null, error: asAgentError(thrown) };
  }
}

function once<T>(act: () => Promise<T>): () => Promise<T> {
  let coming: Promise<T> | null = null;
  return () => coming ??= act();
}
