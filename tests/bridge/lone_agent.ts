/** An agent to be killed: dials a service through the bridge and waits for an answer that never comes. */

import { createDialer } from "../../src/io/create_dialer.ts";
import { createHttp } from "../../src/io/http.ts";
import { testHttpOptions, testRequest } from "../io/http_setup.ts";

if (import.meta.main) {
  const { node, bridge, folder, service } = JSON.parse(Deno.args[0] ?? "{}");
  const http = createHttp({
    ...testHttpOptions({}),
    dialer: createDialer({
      transport: "sdk",
      mappings: [],
      ipRange: "",
      sdk: {
        node,
        bridge,
        identity: `${folder}/identity.json`,
        folder: `${folder}/.run`,
        services: { tenancy: service, bao: "t" },
        onExpiring: () => {},
      },
    }),
  });
  await http.request(testRequest({ timeoutMs: 30_000 })).catch(() => {});
}
