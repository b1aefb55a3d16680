/** What the tests of the session's engine do to a box again and again. */

import { assertEquals, assertRejects } from "@std/assert";
import { openSession } from "../../src/engine/session.ts";
import { AgentError, type Code } from "../../src/errors.ts";
import type { Session } from "../../src/model/state.ts";
import { type SessionBox, sessionBox } from "./session_box.ts";

/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000;

/** Opens the session as a tick does, on what the disk holds; gives what it holds afterwards. */
export async function open(box: SessionBox, tokenRejected = false): Promise<Session> {
  const memory = await box.memory();
  await openSession(box.agent, memory, { tokenRejected });
  return memory.session;
}

/** Insists that opening the session stops with the code. */
export async function stops(
  box: SessionBox,
  code: Code,
  tokenRejected = false,
): Promise<AgentError> {
  const error = await assertRejects(() => open(box, tokenRejected), AgentError);
  assertEquals(error.code, code, error.message);
  return error;
}

/** A box that has logged in with its bootstrap grant. */
export async function bootedBox(options: { leasesPerHour?: number } = {}): Promise<SessionBox> {
  const box = await sessionBox(options);
  await box.reveal();
  await open(box);
  return box;
}

/** How often the agent asked OpenBao or tenancy for something whose target ends so. */
export function asked(box: SessionBox, ending: string): number {
  return box.effects.filter((effect) => effect.endsWith(ending)).length;
}

/** The living tokens of the box: all but tenancy's own. */
export function livingTokens(box: SessionBox): number {
  return box.bao.livingTokens() - 1;
}
