/**
 * session.json in the state folder: the token and what belongs to it, 0600, atomic, under the tick's
 * lock (SPEC §5; facts: openbao §5 row 28). A file that cannot be used is kept aside and said; the
 * box then starts from the bootstrap grant, if there is one.
 */

import { AgentError } from "../errors.ts";
import { formatSession, parseSession } from "../model/session_parse.ts";
import { emptySession, type Session } from "../model/state.ts";
import type { Ports } from "../ports.ts";
import { createPrivateJson } from "./private_json.ts";
import type { Mask } from "./openbao_call.ts";

const NAME = "session.json";
/** Eight old tokens and 32 used grants stay far below. */
const MAX_SESSION_BYTES = 256 * 1024;

/** Where the session lies, whose it is, and who hides its tokens. */
export interface SessionStoreOptions {
  readonly stateDir: string;
  readonly envId: string;
  readonly mask: Mask;
}

/** What reading gave. */
export interface SessionRead {
  readonly session: Session;
  /** What was odd about the file, in whole clauses, for the log. */
  readonly warnings: readonly string[];
}

/** Reads and writes session.json. */
export interface SessionStore {
  /**
   * Gives the session, an empty one when there is none; with `repair`, makes a loose file private and
   * moves a broken one aside. Throws STATE_ENV_MISMATCH, FILE_UNREADABLE.
   */
  read(options: { readonly repair: boolean }): Promise<SessionRead>;
  /** Replaces the session durably. Throws DISK_FULL, FILE_UNWRITABLE. */
  write(session: Session): Promise<void>;
}

/** Makes the store; throws nothing. */
export function createSessionStore(
  ports: Pick<Ports, "files">,
  options: SessionStoreOptions,
): SessionStore {
  const file = createPrivateJson(ports, {
    dir: options.stateDir,
    name: NAME,
    maxBytes: MAX_SESSION_BYTES,
    parse: parseSession,
  });
  return {
    async read(how): Promise<SessionRead> {
      const { value, warnings } = await file.read(how);
      if (value === null) return { session: emptySession(options.envId), warnings };
      if (value.envId !== options.envId) {
        throw new AgentError(
          "STATE_ENV_MISMATCH",
          `${options.stateDir}/${NAME} is of ${JSON.stringify(value.envId.slice(0, 100))}, ` +
            `the config says ${options.envId}`,
        );
      }
      if (value.token !== null) options.mask(value.token.value);
      for (const old of value.revoke) options.mask(old.value);
      if (value.unspent !== null) options.mask(value.unspent.value);
      return { session: value, warnings };
    },
    async write(session: Session): Promise<void> {
      await file.write(formatSession(session));
    },
  };
}
