/**
 * The mesh as the transport `system` sees it, for a box of the lab: runs in a network namespace,
 * answers for the two names with an address of the mesh, and forwards what comes there to sockets
 * that lead out of the namespace. Prints a line when it is ready; ends when it is killed.
 */

import { startForwarder } from "../../scripts/lab/forwarder.ts";
import { startResolver } from "../support/lying_resolver.ts";

const ADDRESS = "100.64.0.7";

if (import.meta.main) {
  const [folder = ""] = Deno.args;
  await startResolver({ "monky.tenancy.deploy": [ADDRESS], "bao.cbs.tikali.net": [ADDRESS] });
  startForwarder({
    listen: { hostname: ADDRESS, port: 443 },
    target: { path: `${folder}/tenancy.out` },
  });
  startForwarder({
    listen: { hostname: ADDRESS, port: 8200 },
    target: { path: `${folder}/bao.out` },
  });
  console.log("ready");
}
