/**
 * From the config to what the HTTP port needs: the endpoints table and the dialer of the transport.
 * Nothing is read or dialled here; the CA's text comes from the caller.
 */

import type { Config } from "../model/config.ts";
import type { Log } from "../ports.ts";
import { createDialer } from "./create_dialer.ts";
import type { HttpOptions } from "./http.ts";

/**
 * Takes the config, the text of the file that `bao.ca` names (null: none), and where to warn of an
 * identity that expires; gives the options of createHttp.
 */
export function httpOptions(config: Config, caPem: string | null, log?: Log): HttpOptions {
  const { tenancy, bao } = config;
  return {
    endpoints: {
      tenancy: {
        scheme: tenancy.scheme,
        host: tenancy.host,
        port: tenancy.port,
        service: tenancy.service,
      },
      bao: { scheme: "https", host: bao.host, port: bao.port, service: bao.service },
      docker: { socket: config.docker.socket },
    },
    dialer: createDialer({
      transport: config.transport,
      mappings: [
        { name: { host: tenancy.host, port: tenancy.port }, address: tenancy.proxyAddr },
        { name: { host: bao.host, port: bao.port }, address: bao.proxyAddr },
      ],
      ipRange: config.system.ipRange,
      sdk: {
        ...config.sdk,
        identity: config.identity,
        // As core/permissions.ts grants it: bridgeSockets().
        folder: `${config.stateDir}/.run`,
        services: { tenancy: tenancy.service, bao: bao.service },
        onExpiring: (days) =>
          log?.write("warn", "identity expires", { in_days: days, file: config.identity }),
      },
    }),
    caPem,
  };
}
