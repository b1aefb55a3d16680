/**
 * The doctor's checks of grant and token. The planner of the session says what a tick would do with
 * them (core/plan_session.ts); nothing of it is done.
 */

import { fixOf } from "../../core/doctor/fixes.ts";
import { octal, shellWords } from "../../core/doctor/place.ts";
import {
  fail,
  failedWith,
  notChecked,
  notNeeded,
  ok,
  type Verdict,
  warn,
} from "../../core/doctor/verdict.ts";
import { planSession, type SessionPlan } from "../../core/plan_session.ts";
import { saySpan } from "../../core/say_time.ts";
import { lifeLeftS, type SessionDone } from "../../core/session_facts.ts";
import { AgentError } from "../../errors.ts";
import { factsOfToken, sessionFacts } from "../session.ts";
import type { Lookout } from "./lookout.ts";

/** The bootstrap grant: needed until it was exchanged. */
export async function lookAtGrant(lookout: Lookout): Promise<Verdict> {
  const { agent, memory } = lookout;
  const path = agent.config.bootstrapFile;
  const { session } = await memory();
  const stat = await agent.ports.files.stat(path);
  const isLoose = stat?.kind === "file" && (stat.mode & 0o077) !== 0;
  if (session.token === null) {
    const plan = await planOf(lookout, {});
    if (plan.kind === "stop") return stopped(lookout, plan);
  } else if (stat === null) {
    return notNeeded("it was exchanged for the token");
  }
  if (isLoose) {
    return warn(
      `${path} has mode ${octal(stat.mode)}: others of this box may read it`,
      shellWords("chmod", "600", path),
    );
  }
  if (session.token === null) return ok(`${path}: a grant for the next tick to log in with`);
  return ok(`${path} is there; the token works without it`);
}

/** The token: whether OpenBao knows it, and for how long. */
export async function lookAtToken(lookout: Lookout): Promise<Verdict> {
  const { agent, memory, way } = lookout;
  const { token } = (await memory()).session;
  if (token === null) return notChecked("none yet: the next tick logs in with the grant");
  const asked = await way();
  if (typeof asked === "string") return notChecked(asked);
  const lookup = await agent.bao.lookupSelf(token.value);
  if (lookup === null) {
    const plan = await planOf(lookout, { verified: "dead" });
    if (plan.kind === "stop") return stopped(lookout, plan);
    return warn(
      "OpenBao does not know the token; the next tick logs in with the grant",
      "systemctl start monky-deployd.service",
    );
  }
  const { envId, bao } = agent.config;
  if (lookup.envId !== envId) {
    const whose = lookup.envId === null ? "no env_id" : "another env_id";
    const error = new AgentError("BAO_ENV_MISMATCH", `the token carries ${whose}, not ${envId}`);
    return failedWith(error, fixOf(error, lookout.place));
  }
  const leftS = lifeLeftS(factsOfToken(token), agent.ports.clock.now());
  const seen = `from a ${token.source}, alive, ${saySpan(lookup.ttlS)} left`;
  if (lookup.renewable || lookup.ttlS >= bao.renewBelowS) {
    const doubt = Math.abs(leftS - lookup.ttlS) > 60
      ? ` (the session file says ${saySpan(leftS)})`
      : "";
    return ok(`${seen}${doubt}`);
  }
  return warn(
    `${seen}, and it cannot be renewed`,
    `nothing to do while tenancy gives leases; else ${fixOf(noToken(), lookout.place)}`,
  );
}

/** What a tick would do, asked with what is known of the clocks. */
async function planOf(
  { agent, memory, way }: Lookout,
  done: SessionDone,
): Promise<SessionPlan> {
  const found = await agent.grants.read({ repair: false });
  const facts = sessionFacts(agent, await memory(), { found, done, tokenRejected: false });
  const plan = planSession(facts);
  if (plan.kind !== "measureClock") return plan;
  const asked = await way();
  const clockSkewS = typeof asked === "string" ? 0 : asked.bao.value?.clockSkewS ?? 0;
  return planSession({ ...facts, done: { ...done, clockSkewS } });
}

function stopped(
  { place }: Lookout,
  { code, message }: SessionPlan & { readonly kind: "stop" },
): Verdict {
  return fail(code, message, fixOf(new AgentError(code, message), place));
}

function noToken(): AgentError {
  return new AgentError("GRANT_MISSING", "there is no bootstrap grant");
}
