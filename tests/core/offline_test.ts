/** Which failures are those of a box without its mesh: each degree of it, and no answer. */

import { assertEquals } from "@std/assert";
import { isOffline } from "../../src/core/offline.ts";
import { AgentError, type Code } from "../../src/errors.ts";

const TABLE: readonly (readonly [Code, boolean])[] = [
  ["TENANCY_UNAVAILABLE", true],
  ["TENANCY_TIMEOUT", true],
  ["BAO_UNAVAILABLE", true],
  ["BAO_TIMEOUT", true],
  ["TRANSPORT_NOT_INTERCEPTED", true],
  ["ZITI_UNAVAILABLE", true],
  ["ZITI_SERVICE_UNAVAILABLE", true],
  ["ZITI_TIMEOUT", true],
  ["ZITI_IDENTITY", false],
  ["ZITI_BRIDGE_FAILED", false],
  ["TLS_REFUSED", false],
  ["CLOCK_OR_CERT", false],
  ["TENANCY_BAD_ANSWER", false],
  ["TRANSPORT_UNMAPPED", false],
  ["DOCKER_UNAVAILABLE", false],
];

for (const [code, offline] of TABLE) {
  Deno.test(`${code} is ${offline ? "being" : "not being"} offline`, () => {
    assertEquals(isOffline(new AgentError(code, "x", { data: { phase: "dial" } })), offline);
    assertEquals(isOffline(new AgentError(code, "x", { data: { status: 503 } })), false);
  });
}
