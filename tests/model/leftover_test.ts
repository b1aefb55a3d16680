/** Names of temporary files: made here, recognised here, and nothing else is. */

import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { isLeftover, leftoverName } from "../../src/model/leftover.ts";

const UUID = "0b8f2e0c-5a59-4c0e-9a55-3d1f1a2b3c4d";

Deno.test("every temporary name is recognised and fits into 255 bytes", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.uuid(), (name, uuid) => {
    const made = leftoverName(name.replaceAll("/", ""), uuid);
    assert(isLeftover(made));
    assert(new TextEncoder().encode(made).length <= 255);
  }));
});

const OTHERS = [
  ".env",
  "state.json",
  `x.${UUID}.tmp`,
  `.x.${UUID}`,
  ".x.tmp",
  `.x.${UUID}.tmp~`,
  "",
];

for (const name of OTHERS) {
  Deno.test(`"${name}" is no leftover`, () => assertEquals(isLeftover(name), false));
}
