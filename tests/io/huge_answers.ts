/** Asks for answers that are too large, in a process of its own; prints the codes, and the memory. */

import { AgentError } from "../../src/errors.ts";
import { createHttp } from "../../src/io/http.ts";
import { peakBytes } from "../support/own_process.ts";
import { testHttpOptions, testRequest } from "./http_setup.ts";

const { port, asks } = JSON.parse(Deno.args[0] ?? "{}") as {
  readonly port: number;
  readonly asks: readonly (readonly [target: string, maxBodyBytes: number])[];
};
const http = createHttp(testHttpOptions({ tenancyPort: port }));
const before = peakBytes();
const codes: string[] = [];
for (const [target, maxBodyBytes] of asks) {
  const outcome: unknown = await http.request(testRequest({ target, maxBodyBytes }))
    .catch((thrown) => thrown);
  codes.push(outcome instanceof AgentError ? outcome.code : `believed: ${Deno.inspect(outcome)}`);
}
console.log(JSON.stringify({ codes, grown: peakBytes() - before }));
