/** The doctor's checks of the way to the remotes, and of the remotes themselves. */

import { capabilitiesOf, probeRole } from "../../clients/openbao_probe.ts";
import { fixOf } from "../../core/doctor/fixes.ts";
import { judgePolicy, policyPaths } from "../../core/doctor/judge_policy.ts";
import {
  judgeClock,
  judgeDns,
  judgeMesh,
  judgeTls,
  type WayFacts,
} from "../../core/doctor/judge_way.ts";
import { failedWith, notChecked, ok, type Verdict } from "../../core/doctor/verdict.ts";
import { AgentError } from "../../errors.ts";
import type { Lookout, Way } from "./lookout.ts";

/** Whether the remotes' names lead into the mesh. */
export async function lookAtDns(lookout: Lookout): Promise<Verdict> {
  const { agent, place } = lookout;
  if (agent.config.transport !== "system") {
    return judgeDns({ tenancy: null, bao: null }, place);
  }
  return await onWay(lookout, (way) => judgeDns(errorsOf(way), place));
}

/** Whether an answer came back from both. */
export async function lookAtMesh(lookout: Lookout): Promise<Verdict> {
  return await onWay(lookout, (way) => judgeMesh(errorsOf(way), lookout.place));
}

/** Whether this box's clock can be believed. */
export async function lookAtClock(lookout: Lookout): Promise<Verdict> {
  const now = lookout.agent.ports.clock.now();
  return await onWay(lookout, ({ bao, tenancy }) =>
    judgeClock({
      bao: bao.value?.clockSkewS ?? null,
      tenancy: tenancy.value === null
        ? null
        : Math.round((now - tenancy.value.serverTimeMs) / 1000),
    }));
}

/** Whether OpenBao proves who it is. */
export async function lookAtTls(lookout: Lookout): Promise<Verdict> {
  return await onWay(lookout, (way) => judgeTls(errorsOf(way), lookout.place));
}

/** Whether OpenBao can serve. */
export async function lookAtOpenBao(lookout: Lookout): Promise<Verdict> {
  const { place } = lookout;
  const failed = (error: AgentError): Verdict => failedWith(error, fixOf(error, place));
  return await onWay(lookout, ({ bao }) => {
    if (bao.error !== null) return failed(bao.error);
    const { initialized, sealed, standby, version } = bao.value;
    if (!initialized) {
      return failed(new AgentError("BAO_UNAVAILABLE", "OpenBao was never initialised"));
    }
    if (sealed) return failed(new AgentError("BAO_SEALED", "OpenBao is sealed"));
    return ok(`OpenBao ${version} serves${standby ? " (a standby)" : ""}`);
  });
}

/** Whether the auth mount and the role that grants are exchanged at are there. */
export async function lookAtRole(lookout: Lookout): Promise<Verdict> {
  const { config, ports } = lookout.agent;
  return await onWay(lookout, async () => {
    await probeRole(ports.http, config);
    return ok(`role ${config.bao.role} at auth/${config.bao.authMount} takes grants`);
  });
}

/** What the token may read, and whether it may renew and end itself. */
export async function lookAtPolicy(lookout: Lookout): Promise<Verdict> {
  const { agent, place } = lookout;
  const { token } = (await lookout.memory()).session;
  if (token === null) return notChecked("there is no token yet to ask about");
  return await onWay(lookout, async () => {
    const paths = Object.values(policyPaths(agent.config));
    const { http } = agent.ports;
    const may = await capabilitiesOf(http, agent.config, { token: token.value, paths });
    return judgePolicy(may, place);
  });
}

/** Whether tenancy accepts the box. */
export async function lookAtTenancy(lookout: Lookout): Promise<Verdict> {
  const hasToken = (await lookout.memory()).session.token !== null;
  return await onWay(lookout, ({ tenancy: { value, error } }) => {
    if (value !== null) {
      const { desired } = value;
      return ok(
        desired.state === "absent"
          ? "tenancy wants nothing to run"
          : `tenancy wants ${desired.sha.slice(0, 12)}`,
      );
    }
    if (!hasToken && error.code === "AGENT_UNAUTHENTICATED") {
      return ok("tenancy answers, and will know this box after its first tick");
    }
    return failedWith(error, fixOf(error, lookout.place));
  });
}

function errorsOf({ tenancy, bao }: Way): WayFacts {
  return { tenancy: tenancy.error, bao: bao.error };
}

async function onWay(
  { way }: Lookout,
  judge: (way: Way) => Verdict | Promise<Verdict>,
): Promise<Verdict> {
  const asked = await way();
  return typeof asked === "string" ? notChecked(asked) : await judge(asked);
}
