/**
 * What the doctor may do that a tick may not: two programs that only look, its own user, and the
 * addresses by which a listener on every address gives itself away. It writes nothing, and is not
 * granted it. Pure.
 */

import type { Config, HostPort } from "../../model/config.ts";
import { listenerProbes } from "./listeners.ts";

/** Shows ACLs; where the package `acl` puts it on every distribution. */
export const GETFACL = "/usr/bin/getfacl";
/** Shows units; where every distribution with systemd has it. */
export const SYSTEMCTL = "/usr/bin/systemctl";

/** What is granted to the doctor alone. */
export interface DoctorGrants {
  readonly listen: readonly HostPort[];
  readonly run: readonly string[];
  readonly sys: readonly string[];
  /** In place of all that a tick may write: sockets, for to connect is to write. */
  readonly write: readonly string[];
}

/** Takes a config; gives what the doctor needs for it besides what a tick does. */
export function doctorGrants(config: Config): DoctorGrants {
  const sdk = config.transport === "sdk";
  return {
    listen: listenerProbes(config),
    run: sdk ? [GETFACL, SYSTEMCTL] : [SYSTEMCTL],
    sys: ["uid"],
    write: sdk ? [config.docker.socket, `${config.stateDir}/.run`] : [config.docker.socket],
  };
}
