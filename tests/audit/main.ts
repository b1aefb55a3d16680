/**
 * `deno task audit`: plays a life of a box on each transport and writes where each grant was used
 * into docs/SECURITY.md. Exits 1 when a grant was never used, or an access never granted.
 */

import { replaceAudit } from "../../scripts/audit/table.ts";
import { down, ensureLab, sayOnStderr } from "../../scripts/lab/mod.ts";
import { auditAll } from "./audit.ts";

const DOCS = new URL("../../docs/SECURITY.md", import.meta.url);

const { lab, started } = await ensureLab();
try {
  const { parts, faults } = await auditAll(lab, ["proxy", "system", "sdk"]);
  const docs = replaceAudit(await Deno.readTextFile(DOCS), parts);
  if (docs === null) throw new Error("the marks of the audit are missing in docs/SECURITY.md");
  await Deno.writeTextFile(DOCS, docs);
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? "granted = used, and written down" : "granted is not used");
  if (faults.length > 0) Deno.exitCode = 1;
} finally {
  if (started) await down(sayOnStderr);
}
