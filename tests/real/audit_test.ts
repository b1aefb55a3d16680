/**
 * Granted = used (SPEC §10): a life of a box on each transport, under the grants that its config
 * yields, with the runtime's audit on. docs/SECURITY.md tells where each grant was used.
 */

import { assertEquals } from "@std/assert";
import { defaultConfig } from "../../scripts/audit/default_install.ts";
import { AUDIT_MARKS, renderAudit } from "../../scripts/audit/table.ts";
import { readLab } from "../../scripts/lab/mod.ts";
import { GRANT_KINDS } from "../../src/core/grants.ts";
import { permissionsOf } from "../../src/core/permissions.ts";
import { auditAll } from "../audit/audit.ts";

const TRANSPORTS = ["proxy", "system", "sdk"] as const;

Deno.test("every grant is used, every access is granted, and docs/SECURITY.md tells it as it is", async () => {
  const lab = await readLab();
  if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  const { parts, faults } = await auditAll(lab, TRANSPORTS);
  assertEquals(faults, []);

  // What was told as a default install is what a default install is granted, neither more nor less.
  const configPath = "/etc/monky-deployd/config.yaml";
  for (const [index, of] of (["tick", "doctor"] as const).entries()) {
    for (const { transport, uses } of parts[index]?.lives ?? []) {
      const permissions = permissionsOf(defaultConfig(transport), { configPath, of });
      const granted = GRANT_KINDS.flatMap((kind) =>
        permissions[kind].map((value) => `${kind} ${value}`)
      );
      const told = uses.map(({ kind, value }) => `${kind} ${value}`);
      assertEquals(told.toSorted(), granted.toSorted(), `${transport}, ${of}`);
    }
  }

  const docs = await Deno.readTextFile(new URL("../../docs/SECURITY.md", import.meta.url));
  const committed = docs.slice(
    docs.indexOf(AUDIT_MARKS.begin),
    docs.indexOf(AUDIT_MARKS.end) + AUDIT_MARKS.end.length,
  );
  assertEquals(committed, renderAudit(parts), `run "deno task audit" and look at what changed`);
});
