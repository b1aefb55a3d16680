/** What being offline looks like (SPEC §6 `laptop_mode`): the way is not there, nobody refused. */

import type { AgentError, Code } from "../errors.ts";

const OFFLINE: ReadonlySet<Code> = new Set([
  "TENANCY_UNAVAILABLE",
  "TENANCY_TIMEOUT",
  "BAO_UNAVAILABLE",
  "BAO_TIMEOUT",
  "TRANSPORT_NOT_INTERCEPTED",
  "ZITI_UNAVAILABLE",
  "ZITI_SERVICE_UNAVAILABLE",
  "ZITI_TIMEOUT",
]);

/**
 * Takes a failure; says whether it is that of a box without its mesh. An answer, even one of 503, is
 * none: `status` stands in the data of those.
 */
export function isOffline(error: AgentError): boolean {
  return OFFLINE.has(error.code) && error.data["status"] === undefined;
}
