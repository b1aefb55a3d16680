/** What a login's reply tells of a role that will trouble the box later. */

import { assertEquals } from "@std/assert";
import { loginWarnings } from "../../src/clients/openbao_login.ts";
import { readAuth } from "../../src/model/bao_wire.ts";

function warningsFor(auth: Readonly<Record<string, unknown>>): readonly string[] {
  const read = readAuth({
    auth: { client_token: "t", lease_duration: 86_400, renewable: true, ...auth },
  });
  if (read?.kind !== "auth") throw new Error("no auth");
  return loginWarnings(read.auth);
}

Deno.test("field: a token that ends after so many requests is said at its login, not when it is used up", () => {
  assertEquals(warningsFor({ num_uses: 5 }), [
    "the token ends after 5 requests: the role has token_num_uses, which an agent cannot live with",
  ]);
  for (const none of [{}, { num_uses: 0 }, { num_uses: null }]) {
    assertEquals(warningsFor(none), []);
  }
});
