/** SIGTERM and SIGINT between steps: what runs is stopped by its own port; nothing new is begun. */

import { AgentError } from "../errors.ts";
import type { Ports } from "../ports.ts";

/** Throws INTERRUPTED once the process was told to stop. */
export function refuseWhenStopped(ports: Pick<Ports, "signals">): void {
  const { stop } = ports.signals;
  if (stop.aborted) throw new AgentError("INTERRUPTED", `${String(stop.reason)} stopped the tick`);
}
