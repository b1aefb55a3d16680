/** TLS against a private CA: names, issuers and dates are checked whatever address is dialled. */

import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { testHttp, testRequest } from "./http_setup.ts";
import { plainReply, rawServer } from "./raw_server.ts";
import { type CertName, testCerts } from "./tls_setup.ts";

const ASK = testRequest({ peer: "bao", target: "/v1/sys/health" });

/** Serves one reply over TLS per connection; gives what the client got and how many requests arrived. */
async function askOver(name: CertName, caPem: string | null): Promise<{
  readonly outcome: unknown;
  readonly requests: number;
}> {
  const certs = await testCerts();
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...certs.pair(name) });
  let requests = 0;
  const serving = (async (): Promise<void> => {
    for await (const conn of listener) {
      try {
        const count = await conn.read(new Uint8Array(4096));
        if (count !== null) requests += 1;
        await conn.write(new TextEncoder().encode(plainReply("{}")));
      } catch {
        // The client refused the handshake.
      }
      conn.close();
    }
  })();
  const { port } = listener.addr as Deno.NetAddr;
  const outcome = await testHttp({ baoPort: port, caPem }).request(ASK).catch((e) => e);
  listener.close();
  await serving.catch(() => {});
  return { outcome, requests };
}

Deno.test("a certificate of the configured CA for the URL's host is accepted at a mapped address", async () => {
  const { caPem } = await testCerts();
  const { outcome, requests } = await askOver("good", caPem);
  assert(!(outcome instanceof Error), String(outcome));
  assertEquals(requests, 1);
});

interface Refused {
  readonly cert: CertName;
  readonly withCa: boolean;
  readonly code: string;
  readonly says: string;
}

const REFUSED: readonly Refused[] = [
  { cert: "other", withCa: true, code: "TLS_REFUSED", says: 'another name than "vault.internal"' },
  { cert: "good", withCa: false, code: "TLS_REFUSED", says: "an issuer that is not trusted here" },
  { cert: "stranger", withCa: true, code: "TLS_REFUSED", says: "an issuer that is not trusted" },
  { cert: "expired", withCa: true, code: "CLOCK_OR_CERT", says: "expired, seen from this box's" },
  { cert: "future", withCa: true, code: "CLOCK_OR_CERT", says: "is not valid yet, seen from this" },
];

for (const { cert, withCa, code, says } of REFUSED) {
  const ca = withCa ? "with" : "without";
  Deno.test(`a ${cert} certificate ${ca} the CA is ${code}, and no byte of a request leaves`, async () => {
    const certs = await testCerts();
    const { outcome, requests } = await askOver(cert, withCa ? certs.caPem : null);
    assertInstanceOf(outcome, AgentError);
    assertEquals([outcome.code, outcome.data["phase"], requests], [code, "tls", 0]);
    assertStringIncludes(outcome.message, says);
  });
}

Deno.test("a port that speaks no TLS is BAO_BAD_ANSWER in phase tls", async () => {
  const server = rawServer(async (peer) => {
    await peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    await peer.drain();
  });
  const failure = await testHttp({ baoPort: server.port }).request(ASK).catch((e) => e);
  await server.close();
  assertInstanceOf(failure, AgentError);
  assertEquals([failure.code, failure.data["phase"]], ["BAO_BAD_ANSWER", "tls"]);
});

Deno.test("a proxy that drops the connection during the handshake is BAO_UNAVAILABLE", async () => {
  const server = rawServer(() => Promise.resolve());
  const failure = await testHttp({ baoPort: server.port }).request(ASK).catch((e) => e);
  await server.close();
  assertInstanceOf(failure, AgentError);
  assertEquals([failure.code, failure.data["phase"]], ["BAO_UNAVAILABLE", "tls"]);
  assertStringIncludes(failure.message, "the proxy took the connection and let it go");
});

Deno.test("a handshake that nobody answers is BAO_TIMEOUT in phase tls", async () => {
  const server = rawServer((peer) => peer.drain());
  const http = testHttp({ baoPort: server.port });
  const failure = await http.request({ ...ASK, timeoutMs: 1_200 }).catch((e) => e);
  await server.close();
  assertInstanceOf(failure, AgentError);
  assertEquals([failure.code, failure.data["phase"]], ["BAO_TIMEOUT", "tls"]);
});

for (
  const caPem of ["", "garbage", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----"]
) {
  Deno.test(`a CA of ${caPem.length} characters without a certificate is CONFIG_INVALID`, () => {
    let failure: unknown = null;
    try {
      testHttp({ caPem });
    } catch (thrown) {
      failure = thrown;
    }
    assertInstanceOf(failure, AgentError);
    assertEquals(failure.code, "CONFIG_INVALID");
  });
}

Deno.test("a CA that is cut in the middle is CONFIG_INVALID", async () => {
  const { caPem } = await testCerts();
  const lines = caPem.split("\n");
  const broken = [...lines.slice(0, 3), ...lines.slice(5)].join("\n");
  const { outcome } = await askOver("good", broken);
  assertInstanceOf(outcome, AgentError);
  assertEquals(outcome.code, "CONFIG_INVALID");
});
