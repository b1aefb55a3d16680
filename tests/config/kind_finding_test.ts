/** Names of `policy.allow`, held against the policy's own documentation and findings. */

import { assertEquals } from "@std/assert";
import { findingName } from "../../src/config/kind_finding.ts";
import { FINDING_KIND_NAMES, FINDING_KINDS } from "../../src/model/finding_names.ts";

const POLICY = Deno.readTextFileSync(new URL("../../docs/POLICY.md", import.meta.url));

Deno.test("every kind of finding but the one that cannot be allowed may be allowed", () => {
  for (const kind of FINDING_KIND_NAMES) {
    const name = FINDING_KINDS[kind] === "alone" ? kind : `${kind}:A/b.c:1`;
    const reading = findingName.read(name);
    assertEquals("value" in reading, kind !== "bind_missing", name);
  }
});

Deno.test("docs/POLICY.md names every kind", () => {
  const missing = FINDING_KIND_NAMES.filter((kind) =>
    !new RegExp(`\`${kind.replaceAll(".", "\\.")}[\`:]`).test(POLICY)
  );
  assertEquals(missing, []);
});
