/** What the see-env policy lets the box's token do (SPEC §5). Pure. */

import { AgentError } from "../../errors.ts";
import type { Config } from "../../model/config.ts";
import { fixOf } from "./fixes.ts";
import type { Place } from "./place.ts";
import { failedWith, notChecked, ok, type Verdict, warn } from "./verdict.ts";

/** What a tick asks of OpenBao with its token. */
export interface PolicyPaths {
  readonly secrets: string;
  readonly renew: string;
  readonly revoke: string;
}

/** Takes a config; gives the paths to ask about; the secret's name stands for any. */
export function policyPaths({ envId, bao }: Config): PolicyPaths {
  return {
    secrets: `${bao.kvMount}/data/${envId}/${bao.kvPrefix}/doctor`,
    renew: "auth/token/renew-self",
    revoke: "auth/token/revoke-self",
  };
}

/** Takes what OpenBao says the token may do at each path; null: it does not say. */
export function judgePolicy(
  may: ReadonlyMap<string, readonly string[]> | null,
  place: Place,
): Verdict {
  const paths = policyPaths(place.config);
  const { role } = place.config.bao;
  if (may === null) {
    const fix =
      `give the role the policy default: bao read auth/${place.config.bao.authMount}/role/` +
      role;
    return notChecked("OpenBao does not tell this token what it may do", fix);
  }
  const can = (path: string, what: string): boolean =>
    may.get(path)?.some((each) => each === what || each === "root") ?? false;
  if (!can(paths.secrets, "read")) {
    const where = paths.secrets.replace(/[^/]*$/, "*");
    const error = new AgentError("SECRET_FORBIDDEN", `the token may not read ${where}`);
    return failedWith(error, fixOf(error, place));
  }
  const missing = [paths.renew, paths.revoke].filter((path) => !can(path, "update"));
  if (missing.length > 0) {
    return warn(
      `the token may not ask for ${missing.join(" and ")}`,
      `bao policy read ${role}, and give update there`,
    );
  }
  return ok(`the token may read ${paths.secrets.replace(/[^/]*$/, "*")}, renew and end itself`);
}
