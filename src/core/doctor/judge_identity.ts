/**
 * The identity file of the transport `sdk`: what is in it, how long it holds, who may read it, and
 * whether that is still so after a renewal, which puts a new file in its place (facts: ziti §3).
 * Pure; the file's text goes through model/identity.ts and no part of it is quoted.
 */

import { type Acl, allows, inherits } from "../../model/acl.ts";
import {
  identityAge,
  identityModeProblem,
  readIdentity,
  WARN_BELOW_DAYS,
} from "../../model/identity.ts";
import { fail, ok, type Verdict, warn } from "./verdict.ts";
import { agentUser, folderOf, octal, type Place, shellWords } from "./place.ts";

/** What was seen of the file. */
export interface IdentityFacts {
  readonly text: string;
  readonly mode: number;
  /** Of the file and of its folder; null: the program that tells was not there, or may not look. */
  readonly acls: { readonly file: Acl; readonly folder: Acl } | null;
  readonly now: number;
}

/** Takes what was seen; gives the verdict: what cannot work first, then what will not for long. */
export function judgeIdentity(facts: IdentityFacts, place: Place): Verdict {
  const path = place.config.identity;
  const bad = (wrong: string, fix: string): Verdict =>
    fail("ZITI_IDENTITY", `the identity file ${path} ${wrong}`, fix);
  const reading = readIdentity(facts.text);
  if ("wrong" in reading) return bad(reading.wrong, enrolAgain(path));
  const age = identityAge(reading.identity, facts.now);
  if ("wrong" in age) {
    const fix = `if timedatectl shows the right time, ${enrolAgain(path)}`;
    return bad(age.wrong, fix);
  }
  const access = judgeAccess(facts, place);
  if (access?.state === "fail") return access;
  if (age.daysLeft !== null && age.daysLeft < WARN_BELOW_DAYS) {
    return warn(
      `the certificate in ${path} ends in ${age.daysLeft} days, and nobody renewed it`,
      `let a tunneler renew it (systemctl restart ziti-edge-tunnel.service), or ${
        enrolAgain(path)
      }`,
    );
  }
  const mode = identityModeProblem(facts.mode);
  if (mode !== null) {
    return warn(
      `the identity file ${path} has mode ${octal(facts.mode)}: it ${mode}`,
      shellWords("chmod", "o=", path),
    );
  }
  if (access !== null) return access;
  const left = age.daysLeft === null ? "dates not known" : `${age.daysLeft} days left`;
  return ok(`${path}: certificate and key belong together, ${left}`);
}

function judgeAccess({ acls }: IdentityFacts, place: Place): Verdict | null {
  const uid = place.agentUid;
  if (acls === null || uid === null) return null;
  const path = place.config.identity;
  const folder = folderOf(path);
  if (!allows(acls.folder, uid, "x") || !allows(acls.file, uid, "r")) {
    return fail(
      "ZITI_IDENTITY",
      `the identity file ${path} may not be read by user ${uid}, as whom the agent runs`,
      aclCommands(place),
    );
  }
  if (inherits(acls.folder, uid, "r") || acls.folder.ownerUid === uid) return null;
  return warn(
    `a renewal replaces ${path}, and the new file will not be readable by user ${uid}: ${folder} ` +
      "has no default ACL for it",
    aclCommands(place),
  );
}

/** The three entries that survive a renewal (facts: ziti §3). */
export function aclCommands(place: Place): string {
  const user = agentUser(place);
  const path = place.config.identity;
  const folder = folderOf(path);
  return [
    shellWords("setfacl", "-m", `u:${user}:x`, folder),
    shellWords("setfacl", "-d", "-m", `u:${user}:r`, folder),
    shellWords("setfacl", "-m", `u:${user}:r`, path),
  ].join("; ");
}

/** Gives how an identity is made anew. */
export function enrolAgain(path: string): string {
  return `enrol this box again: ziti-edge-tunnel enroll -j NEW.jwt -i ${shellWords(path)}`;
}
