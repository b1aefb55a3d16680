/** An agent whose bridge writes without end, in a process of its own; prints how that ended, and the memory. */

import { AgentError } from "../../src/errors.ts";
import { createDialer } from "../../src/io/create_dialer.ts";
import { createHttp } from "../../src/io/http.ts";
import { testHttpOptions, testRequest } from "../io/http_setup.ts";
import { peakBytes } from "../support/own_process.ts";

const { node, folder, timeoutMs } = JSON.parse(Deno.args[0] ?? "{}");
const dialer = createDialer({
  transport: "sdk",
  mappings: [],
  ipRange: "",
  sdk: {
    node,
    bridge: `${folder}/bridge/bridge.cjs`,
    identity: `${folder}/identity.json`,
    folder: `${folder}/.run`,
    services: { tenancy: "t", bao: "t" },
    onExpiring: () => {},
  },
});
const http = createHttp({ ...testHttpOptions({}), dialer });
const before = peakBytes();
const failure: unknown = await http.request(testRequest({ timeoutMs })).catch((thrown) => thrown);
const grown = peakBytes() - before;
await http.close();
const code = failure instanceof AgentError ? failure.code : `believed: ${Deno.inspect(failure)}`;
console.log(JSON.stringify({ code, grown }));
