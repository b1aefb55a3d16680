/** The transport `system` in a network namespace of its own, with a resolver that may lie (SPEC §7). */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { NEEDS_NAMESPACE, runInNamespace } from "../support/namespace.ts";

const PROGRAM = new URL("system_scenarios.ts", import.meta.url).pathname;

const TESTS: Readonly<Record<string, string>> = {
  exchanges: "every exchange of the table ends right, POSTs arrive once, no token is seen",
  one_fewer:
    "the net grants are exactly what is dialled, with one fewer an exchange is PERMISSION_MISSING",
  public_answer: "a public answer is TRANSPORT_NOT_INTERCEPTED, and nobody is connected to",
  public_answer_without_denials: "a public answer without the sandbox's denials: no byte is sent",
  mixed_answer: "one public address among those of an answer is TRANSPORT_NOT_INTERCEPTED",
  mixed_answer_mesh_first: "… also when the address of the mesh would have been taken",
  public_ipv6_answer: "a public IPv6 answer is TRANSPORT_NOT_INTERCEPTED, and no byte is sent",
  literal_outside: "a config that names an address outside the range is refused undialled",
  unknown_name: "a name that nobody knows is X_UNAVAILABLE",
  nobody_listens: "an intercepted name whose dial failed is X_UNAVAILABLE",
  silent_resolver: "a resolver that never answers is X_TIMEOUT, and nobody waits for it at the end",
};

for (const [scenario, name] of Object.entries(TESTS)) {
  Deno.test({
    name: `system: ${name}`,
    ...NEEDS_NAMESPACE,
    fn: async () => {
      const { code, output } = await runInNamespace(
        {
          addresses: ["100.64.0.7/32", "203.0.113.7/32", "2001:db8::7/128"],
          timeoutMs: 90_000,
        },
        PROGRAM,
        [scenario],
      );
      assertEquals(code, 0, output);
      assertStringIncludes(output, `scenario ${scenario} ended`);
    },
  });
}
