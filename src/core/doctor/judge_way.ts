/**
 * The way to the two remotes: from how two questions ended to which part of the way is broken (DNS,
 * mesh, TLS), and how far this box's clock is off. Pure.
 */

import type { AgentError } from "../../errors.ts";
import { fail, failedWith, notChecked, notNeeded, ok, type Verdict } from "./verdict.ts";
import { fixOf } from "./fixes.ts";
import type { Place } from "./place.ts";

/** How a remote's answer came back: null when it came whole, whatever it said. */
export interface WayFacts {
  readonly tenancy: AgentError | null;
  readonly bao: AgentError | null;
}

/** Which part of the way an error is about; `server`: the way is good, the remote itself is not. */
type Part = "dns" | "mesh" | "tls" | "server";

/** OpenBao gives a grant this leeway (facts: openbao §0.7). */
export const MAX_SKEW_S = 60;

function partOf(error: AgentError): Part {
  if (error.code === "TLS_REFUSED" || error.code === "CLOCK_OR_CERT") return "tls";
  if (error.code === "TRANSPORT_NOT_INTERCEPTED") return "dns";
  if (/^nobody knows the name|: nobody knows the name/.test(error.message)) return "dns";
  const isWay = /^(?:ZITI_|TRANSPORT_)/.test(error.code) ||
    /_(?:UNAVAILABLE|TIMEOUT)$/.test(error.code) && error.data["status"] === undefined;
  return isWay || error.code === "PERMISSION_MISSING" ? "mesh" : "server";
}

/** Takes how both questions ended; gives the verdict on DNS, which the transport `system` alone uses. */
export function judgeDns(facts: WayFacts, place: Place): Verdict {
  if (place.config.transport !== "system") {
    return notNeeded(`transport ${place.config.transport} asks no resolver`);
  }
  const failed = ofPart(facts, "dns");
  if (failed !== null) return failedWith(failed, fixOf(failed, place));
  const { tenancy, bao, system } = place.config;
  return ok(`${tenancy.host} and ${bao.host} lead into ${system.ipRange}`);
}

/** Takes how both questions ended; gives the verdict on the mesh. */
export function judgeMesh(facts: WayFacts, place: Place): Verdict {
  const failed = ofPart(facts, "mesh");
  if (failed !== null) {
    const verdict = failedWith(failed, fixOf(failed, place));
    // OpenBao answered by a way of its own, so what it says can be looked at.
    return facts.bao === null ? { ...verdict, spares: ["clock", "tls"] } : verdict;
  }
  return ok(`tenancy and OpenBao are reached (transport ${place.config.transport})`);
}

/** Takes how both questions ended; gives the verdict on TLS. */
export function judgeTls(facts: WayFacts, place: Place): Verdict {
  const failed = ofPart(facts, "tls");
  if (failed !== null) return failedWith(failed, fixOf(failed, place));
  return ok(`${place.config.bao.host} shows a certificate that holds`);
}

/** Seconds by which this box's clock is ahead of a remote's; null: it did not tell its time. */
export interface Skews {
  readonly bao: number | null;
  readonly tenancy: number | null;
}

/** Takes how far this box's clock is from each remote's; gives the verdict. */
export function judgeClock({ bao, tenancy }: Skews): Verdict {
  const skews = [["OpenBao", bao], ["tenancy", tenancy]] as const;
  const seen: readonly string[] = skews.flatMap(([who, skewS]) =>
    skewS === null ? [] : [`${Math.abs(skewS)} s ${skewS < 0 ? "behind" : "ahead of"} ${who}'s`]
  );
  if (seen.length === 0) return notChecked("no remote told its time");
  const detail = `this box's clock is ${seen.join(", ")}`;
  const off = skews.filter(([, skewS]) => skewS !== null && Math.abs(skewS) > MAX_SKEW_S);
  if (off.length === 0) return ok(detail);
  // One remote agrees with this box: then it is the other whose clock is wrong.
  const [wrong] = off.length === 1 && seen.length === 2 ? off : [];
  const where = wrong === undefined ? "" : `on ${wrong[0]}'s host: `;
  return fail("CLOCK_OR_CERT", detail, `${where}timedatectl set-ntp true; timedatectl status`);
}

/** Tenancy's error stands first: every tick asks it, OpenBao only some. */
function ofPart({ tenancy, bao }: WayFacts, part: Part): AgentError | null {
  return [tenancy, bao].find((error) => error !== null && partOf(error) === part) ?? null;
}
