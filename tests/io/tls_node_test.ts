/**
 * TLS over a unix socket says what TLS over TCP says: the same rows for both, since the runtime does
 * the one and Node's module the other (tls.ts, tls_node.ts).
 */

import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { startForwarder } from "../../scripts/lab/forwarder.ts";
import { AgentError } from "../../src/errors.ts";
import type { Dialer } from "../../src/io/dialer.ts";
import { createHttp } from "../../src/io/http.ts";
import { shownCertificate } from "../../src/io/tls_shown.ts";
import { answerAsBao } from "./exchanges.ts";
import { testHttpOptions, testRequest } from "./http_setup.ts";
import { type RawPeer, type RawServer, rawServer } from "./raw_server.ts";
import { type CertName, testCerts } from "./tls_setup.ts";

const ASK = testRequest({ peer: "bao", target: "/v1/sys/health", timeoutMs: 20_000 });

interface Row {
  readonly name: string;
  /** The certificate, or what a server that is no TLS server does. */
  readonly server: CertName | ((peer: RawPeer) => Promise<void>);
  readonly host?: string;
  readonly ca?: (caPem: string) => string | null;
  readonly timeoutMs?: number;
  /** `ok`, or the code. */
  readonly right: string;
  readonly says?: string;
}

const ROWS: readonly Row[] = [
  { name: "the right certificate", server: "good", right: "ok" },
  { name: "an address in the URL", server: "address", host: "127.0.0.1", right: "ok" },
  {
    name: "an address that the certificate does not carry",
    server: "good",
    host: "127.0.0.1",
    right: "TLS_REFUSED",
    says: 'another name than "127.0.0.1"',
  },
  {
    name: "another name",
    server: "other",
    right: "TLS_REFUSED",
    says: 'another name than "vault.internal"',
  },
  { name: "an unknown issuer", server: "stranger", right: "TLS_REFUSED", says: "not trusted here" },
  {
    name: "no CA",
    server: "good",
    ca: () => null,
    right: "TLS_REFUSED",
    says: "an issuer that is not trusted here",
  },
  { name: "an expired one", server: "expired", right: "CLOCK_OR_CERT", says: "expired, seen from" },
  { name: "one of the future", server: "future", right: "CLOCK_OR_CERT", says: "is not valid yet" },
  {
    name: "a CA that is cut in the middle",
    server: "good",
    ca: (pem) => pem.split("\n").filter((_, line) => line !== 3 && line !== 4).join("\n"),
    right: "CONFIG_INVALID",
    says: "bao.ca names holds a broken certificate",
  },
  {
    name: "a server that speaks no TLS",
    server: async (peer) => {
      await peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
      await peer.drain();
    },
    right: "BAO_BAD_ANSWER",
    says: "is not TLS",
  },
  {
    name: "a server that goes in the handshake",
    server: async (peer) => void await peer.conn.read(new Uint8Array(4096)),
    right: "BAO_UNAVAILABLE",
    says: "let it go",
  },
  {
    name: "a server that declines by an alert",
    server: async (peer) => {
      await peer.conn.read(new Uint8Array(4096));
      await peer.send(Uint8Array.of(21, 3, 3, 0, 2, 2, 40));
    },
    right: "TLS_REFUSED",
    says: "the server declined the handshake",
  },
  {
    name: "a handshake that nobody answers",
    server: (peer) => peer.drain(),
    timeoutMs: 1_200,
    right: "BAO_TIMEOUT",
  },
];

async function serverOf({ server }: Row): Promise<RawServer> {
  if (typeof server === "function") return rawServer(server);
  const pair = (await testCerts()).pair(server);
  return rawServer(answerAsBao, Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...pair }));
}

async function askOver(row: Row, dialer: Dialer): Promise<void> {
  const { host = "vault.internal", ca = (pem): string => pem, right, says = "" } = row;
  const { caPem } = await testCerts();
  const options = testHttpOptions({ baoHost: host, caPem: ca(caPem) });
  const http = createHttp({ ...options, dialer });
  const asked = http.request({ ...ASK, timeoutMs: row.timeoutMs ?? ASK.timeoutMs });
  const outcome = await asked.catch((thrown) => thrown);
  if (right === "ok") {
    assert(!(outcome instanceof Error), String(outcome));
    return;
  }
  assertInstanceOf(outcome, AgentError);
  assertEquals([outcome.code, outcome.data["phase"]], [right, "tls"], outcome.message);
  assertStringIncludes(outcome.message, says);
}

for (const row of ROWS) {
  Deno.test(`TLS over TCP and over a unix socket: ${row.name}: ${row.right}`, async () => {
    const server = await serverOf(row);
    const folder = await Deno.makeTempDir({ prefix: "tls_" });
    const path = `${folder}/s`;
    const target = { hostname: "127.0.0.1", port: server.port };
    const forwarder = startForwarder({ listen: { path }, target });
    const dropped = "let it go";
    try {
      await askOver(row, { dropped, dial: () => Deno.connect(target) });
      await askOver(row, { dropped, dial: () => Deno.connect({ transport: "unix", path }) });
      const right = row.right === "ok" ? 2 : 0;
      assertEquals(server.requests.length, right, "a request left before the handshake was good");
    } finally {
      await forwarder.close();
      await server.close();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("a server that shows no certificate in clear, or none at all, is given up", async () => {
  for (
    const answer of [
      "",
      "HTTP/1.1 400\r\n\r\n",
      Uint8Array.of(22, 3, 3, 0, 4, 2, 0, 0, 0),
      Uint8Array.of(22, 3, 3, 0, 8, 11, 0, 0, 4, 0, 0, 1, 0),
      new Uint8Array(100_000).fill(22),
    ]
  ) {
    const server = rawServer(async (peer) => {
      await peer.conn.read(new Uint8Array(4096));
      await peer.send(answer);
    });
    const conn = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    assertEquals(await shownCertificate(conn, "vault.internal"), null);
    await server.close();
  }
});
