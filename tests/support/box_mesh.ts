/** The transport `system` for a box of the lab: a namespace where a tunneler seems to intercept. */

import type { Box } from "../../scripts/box/box.ts";
import { startForwarder } from "../../scripts/lab/forwarder.ts";
import { inNamespace } from "./namespace.ts";

/** A mesh that runs. */
export interface BoxMesh {
  /** The command line to run the agent behind. */
  readonly enter: readonly string[];
  readonly end: () => Promise<void>;
}

/** Starts tests/real/system_mesh.ts in a namespace of its own, led out to the box's remotes. */
export async function startMesh(box: Box): Promise<BoxMesh> {
  const outside = (["tenancy", "bao"] as const).map((peer) =>
    startForwarder({
      listen: { path: `${box.dir}/${peer}.out` },
      target: { hostname: "127.0.0.1", port: box.paths[peer].port },
    })
  );
  const resolvConf = `${box.dir}/resolv.conf`;
  await Deno.writeTextFile(resolvConf, "nameserver 127.0.0.1\noptions timeout:5 attempts:3\n");
  const program = new URL("../real/system_mesh.ts", import.meta.url).pathname;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const deno = [Deno.execPath(), "run", "-q", "-A", "--no-check", "--config", config];
  const [unshare = "", ...args] = inNamespace({ addresses: ["100.64.0.7/32"] }, {
    resolvConf,
    command: [...deno, program, box.dir],
  });
  const child = new Deno.Command(unshare, { args, stdin: "null", stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  if (!new TextDecoder().decode(value).includes("ready")) throw new Error("there is no mesh");
  const user = Deno.uid() === 0 ? [] : ["-U", "--preserve-credentials"];
  return {
    enter: ["nsenter", "-t", String(child.pid), ...user, "-n", "-m", "--"],
    end: async () => {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
      for (const forwarder of outside) await forwarder.close();
    },
  };
}
