/** A server that answers so many requests on a connection and ends it, as proxies do, under the reads of secrets. */

import { assertEquals, assertRejects } from "@std/assert";
import { readSecrets, type SecretsRead } from "../../src/clients/secrets.ts";
import { AgentError } from "../../src/errors.ts";
import { createClock } from "../../src/io/clock.ts";
import { createRandom } from "../../src/io/random.ts";
import { testHttp } from "./http_setup.ts";
import { plainReply, type RawServer, rawServer } from "./raw_server.ts";
import { BAO_CONFIG, TOKEN } from "./remote_clients.ts";
import { testCerts } from "./tls_setup.ts";

const LOOKUP = JSON.stringify({ data: { ttl: 3600, expire_time: "2099-01-01T00:00:00Z" } });

function json(body: string, more: string): string {
  return plainReply(body).replace("\r\n\r\n", `\r\ncontent-type: application/json${more}\r\n\r\n`);
}

/** Answers `each` requests on a connection; says so in the last answer when it is honest. */
async function closing(each: number, honest: boolean): Promise<RawServer> {
  const certs = await testCerts();
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...certs.pair("good") });
  return rawServer(async (peer) => {
    for (let left = each; left > 0; left--) {
      const request = await peer.request();
      if (request === null) return;
      const path = /secret-([0-9]+)/.exec(request)?.[1];
      const data = { data: { value: `value ${path}` }, metadata: { version: 1 } };
      const more = left === 1 && honest ? "\r\nconnection: close" : "";
      await peer.send(json(path === undefined ? LOOKUP : JSON.stringify({ data }), more));
    }
    // As servers do: closing over unread requests would make the kernel take the answers back.
    if (honest) await peer.drain();
  }, listener);
}

async function read(server: RawServer, count: number, confirmToken: boolean): Promise<SecretsRead> {
  const { caPem } = await testCerts();
  const http = testHttp({ baoPort: server.port, caPem });
  const entries = Array.from({ length: count }, (_, index) => ({
    var: `V${index}`,
    path: `secret-${index}`,
    key: "value",
    version: null,
  }));
  return await readSecrets({ http, clock: createClock(), random: createRandom() }, {
    config: BAO_CONFIG,
    token: TOKEN,
    entries,
    timeoutMs: 30_000,
    confirmToken,
    mask: () => {},
  });
}

const ROWS: readonly (readonly [count: number, each: number, confirmToken: boolean])[] = [
  [1, 1, true],
  [2, 1, false],
  [20, 1, true],
  [20, 3, false],
];

for (const [count, each, confirmToken] of ROWS) {
  const beside = confirmToken ? " beside lookup-self" : "";
  Deno.test(`field: ${count} secrets${beside} are read from a server that ends a connection after ${each}`, async () => {
    const server = await closing(each, true);
    const { values } = await read(server, count, confirmToken);
    await server.close();
    const texts = [...values].map(([name, { value }]) => [name, value.reveal()]);
    assertEquals(
      texts.toSorted(),
      Array.from({ length: count }, (_, at) => [`V${at}`, `value ${at}`]).toSorted(),
    );
  });
}

Deno.test("field: what a server dropped without a word is asked for no second time", async () => {
  const server = await closing(1, false);
  const error = await assertRejects(() => read(server, 2, false), AgentError);
  await server.close();
  assertEquals([error.code, server.connections], ["BAO_UNAVAILABLE", 1]);
});
