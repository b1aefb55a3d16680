/**
 * The bootstrap grant that the install kit leaves on the box (SPEC §2, `bootstrap_file`). It must be
 * a private regular file. It is removed only when the token it was exchanged for is on disk: losing
 * it before would cost a visit to the box (facts: openbao §4, last row).
 */

import { AgentError, asAgentError, hasCode } from "../errors.ts";
import { type GrantClaims, MAX_GRANT_BYTES, readGrant } from "../model/grant.ts";
import { Secret } from "../model/secret.ts";
import type { FileStat, Ports } from "../ports.ts";
import type { Mask } from "./openbao_call.ts";

const FILE_MODE = 0o600;
const ROOT_UID = 0;
/** A grant, a BOM and the newline that an editor leaves. */
const MAX_FILE_BYTES = MAX_GRANT_BYTES + 16;

/** Where the grant lies, who may own it, and who hides it. */
export interface GrantFileOptions {
  readonly path: string;
  /** The agent's own user; null: not known, and only the mode is checked. */
  readonly ownUid: number | null;
  readonly mask: Mask;
}

/** What lies at the path. */
export type GrantFileRead =
  | { readonly kind: "absent" }
  /** GRANT_UNREADABLE (the file) or GRANT_INVALID (its text). */
  | { readonly kind: "unusable"; readonly error: AgentError }
  | {
    readonly kind: "present";
    readonly grant: Secret;
    readonly claims: GrantClaims;
    /** What was odd about the file, in whole clauses. */
    readonly warnings: readonly string[];
  };

/** Reads and removes the bootstrap grant. */
export interface GrantFile {
  /**
   * Gives the grant, or why there is none; never throws for what lies there. With `repair` a loose
   * file is made private; without, only told.
   */
  read(options?: { readonly repair: boolean }): Promise<GrantFileRead>;
  /** Removes the file; gives false when the agent may not, which is no failure. */
  remove(): Promise<boolean>;
}

/** Makes the store; throws nothing. */
export function createGrantFile(
  ports: Pick<Ports, "files">,
  options: GrantFileOptions,
): GrantFile {
  const { files } = ports;
  const { path } = options;

  /** Gives what is odd; throws GRANT_UNREADABLE when the file is not private and cannot be made so. */
  async function insistPrivate(stat: FileStat, repair: boolean): Promise<readonly string[]> {
    if (stat.kind === "symlink") throw noGrant("is a symbolic link");
    if (stat.kind !== "file") throw noGrant("is no regular file");
    if (stat.size > MAX_FILE_BYTES) throw noGrant("is larger than a grant can be");
    const { ownUid } = options;
    if (ownUid !== null && stat.uid !== ownUid && stat.uid !== ROOT_UID) {
      throw unreadable(`belongs to user ${stat.uid}, who is neither the agent nor root`);
    }
    if ((stat.mode & 0o077) === 0) return [];
    // root's file that the agent's group may read: the group bits are also where an ACL shows.
    if (stat.uid === ROOT_UID && ownUid !== ROOT_UID && (stat.mode & 0o037) === 0) return [];
    const mode = (stat.mode & 0o7777).toString(8).padStart(4, "0");
    if (!repair) return [`${path} has mode ${mode}, so others may read it`];
    try {
      await files.chmod(path, FILE_MODE);
    } catch {
      throw unreadable(`has mode ${mode}, so others may read or replace it`);
    }
    return [`${path} had mode ${mode} and was set to 0600; the grant may have been read`];
  }

  function unreadable(problem: string): AgentError {
    const message = `the bootstrap grant ${path} ${problem}`;
    return new AgentError("GRANT_UNREADABLE", message, hintOf());
  }

  /** What no owner or mode mends. */
  function noGrant(problem: string): AgentError {
    const message = `the bootstrap grant ${path} ${problem}`;
    const hint =
      `Remove ${path} and re-run install.sh: it writes the grant there as a private file.`;
    return new AgentError("GRANT_UNREADABLE", message, { hint });
  }

  /** Names the file, and by number the user whose it must be: one of any name need not exist. */
  function hintOf(): { readonly hint?: string } {
    const { ownUid } = options;
    if (ownUid === null) return {};
    return {
      hint: `Run: chown ${ownUid} ${path} && chmod 600 ${path}; the agent is user ${ownUid}.`,
    };
  }

  async function readPrivate(repair: boolean): Promise<GrantFileRead> {
    const stat = await files.stat(path);
    if (stat === null) return { kind: "absent" };
    const warnings = await insistPrivate(stat, repair);
    const bytes = await files.read(path, MAX_FILE_BYTES);
    if (bytes === null) return { kind: "absent" };
    const text = textOf(bytes);
    const reading = readGrant(text);
    if (!reading.ok) {
      const message = `the bootstrap grant ${path} cannot be used: ${reading.problem}`;
      throw new AgentError("GRANT_INVALID", message);
    }
    const grant = new Secret(text);
    options.mask(grant);
    return { kind: "present", grant, claims: reading.claims, warnings };
  }

  return {
    async read({ repair } = { repair: true }): Promise<GrantFileRead> {
      try {
        return await readPrivate(repair);
      } catch (thrown) {
        const error = asAgentError(thrown);
        if (error.kind === "bug") throw error;
        if (hasCode(error, "GRANT_UNREADABLE", "GRANT_INVALID")) return { kind: "unusable", error };
        const message = `the bootstrap grant ${path} cannot be read`;
        return {
          kind: "unusable",
          error: new AgentError("GRANT_UNREADABLE", message, { cause: error, ...hintOf() }),
        };
      }
    },
    async remove(): Promise<boolean> {
      try {
        await files.remove(path);
        return true;
      } catch (thrown) {
        if (asAgentError(thrown).kind === "bug") throw thrown;
        return false;
      }
    },
  };
}

/** Gives the text without a BOM and the blanks around it; bytes that are no UTF-8 give a text that is no JWT. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8").decode(bytes).trim();
}
