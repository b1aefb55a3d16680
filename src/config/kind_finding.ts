/** The names in `policy.allow`: what POLICY_DENIED prints, held against the kinds that there are. */

import { FINDING_KIND_NAMES, FINDING_KINDS, isFindingKind } from "../model/finding_names.ts";
import { type Kind, textKind } from "./kind.ts";
import { nearestName } from "./nearest.ts";
import { quoted } from "./problem.ts";

const SHAPE = /^([^\s,:]{1,64})(?::([^\s,]{1,255}))?$/;

/** A finding's name: `privileged`, `cap_add:SYS_ADMIN`. */
export const findingName: Kind<string> = textKind({
  type: "finding",
  allowed: "the name of a finding as POLICY_DENIED prints it, e.g. network_mode:host",
  read: (text) => {
    const [, kind, value] = SHAPE.exec(text) ?? [];
    if (kind === undefined) return { wrong: `${quoted(text)} does not fit` };
    if (!isFindingKind(kind)) {
      const nearest = nearestName(kind, FINDING_KIND_NAMES);
      const clue = nearest === null ? "" : `; the nearest kind is ${nearest}`;
      return { wrong: `${quoted(text)} is no finding${clue}` };
    }
    if (kind === "bind_missing") {
      return { wrong: "bind_missing cannot be allowed: the file is not there, whoever agrees" };
    }
    if (FINDING_KINDS[kind] === "alone" && value !== undefined) {
      return { wrong: `${kind} stands alone, without ${quoted(`:${value}`)}` };
    }
    if (FINDING_KINDS[kind] === "valued" && value === undefined) {
      return { wrong: `${kind} needs what it is about, as in ${kind}:NAME` };
    }
    return { value: text };
  },
  show: (value) => value,
});
