/**
 * The proxy's ports: OpenZiti's proxy listens on every address of the box unless its service says
 * otherwise (facts: ziti §4), and then anybody in the network can speak to tenancy through it. Told
 * without /proc, which Deno gives to nobody but `--allow-all`: who holds a port on every address keeps
 * others from taking it on an unused loopback address. Pure.
 */

import type { Config, HostPort } from "../../model/config.ts";
import { ok, type Verdict, warn } from "./verdict.ts";

/** Takes a config; gives, for each proxy address, an address that only a listener on all of them holds. */
export function listenerProbes(config: Config): readonly HostPort[] {
  if (config.transport !== "proxy") return [];
  return [config.tenancy.proxyAddr, config.bao.proxyAddr].map(({ host, port }) => ({
    host: host === "127.0.0.2" ? "127.0.0.3" : "127.0.0.2",
    port,
  }));
}

/** One of the proxy's addresses, and whether its port is taken where nobody should listen. */
export interface SeenListener {
  readonly address: HostPort;
  readonly takenElsewhere: boolean;
}

/** Takes what was seen; gives the verdict. */
export function judgeListeners(seen: readonly SeenListener[], configPath: string): Verdict {
  const far = seen.find(({ address }) => !isLoopback(address.host));
  if (far !== undefined) {
    return warn(
      `the proxy is dialled at ${far.address.host}:${far.address.port}, past this box: tenancy's ` +
        "bearer crosses the network in clear",
      `let the proxy listen on 127.0.0.1, and set proxy_addr in ${configPath}`,
    );
  }
  const open = seen.filter(({ takenElsewhere }) => takenElsewhere).map(({ address }) =>
    address.port
  );
  if (open.length > 0) {
    const ports = open.join(", ");
    return warn(
      `port ${ports} is open on every address of this box, not on loopback alone`,
      'give the service a proxy.v1 config with "binding": "127.0.0.1", or shut the port: ' +
        `nft add rule inet filter input iifname != lo tcp dport { ${ports} } drop`,
    );
  }
  const ports = seen.map(({ address }) => address.port).join(" and ");
  return ok(`ports ${ports} are not open to the network`);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
