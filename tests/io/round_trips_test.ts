/** SPEC §13: what secrets that are far away cost on the wire, in round trips. */

import { assert, assertEquals } from "@std/assert";
import { type Forwarder, startForwarder } from "../../scripts/lab/forwarder.ts";
import { createHttp, type HeldHttp } from "../../src/io/http.ts";
import type { HttpRequest } from "../../src/ports.ts";
import { testHttpOptions, testRequest } from "./http_setup.ts";
import { plainReply } from "./raw_server.ts";
import { testCerts } from "./tls_setup.ts";

/** Far enough that this machine's own work hides between two trips. */
const ROUND_TRIP_MS = 160;

/** A TLS server that answers pipelined GETs in order, as Go's does. Its handshake takes one round trip, OpenBao's two. */
async function tlsServer(body: string): Promise<{ port: number; close(): Promise<void> }> {
  const certs = await testCerts();
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...certs.pair("good") });
  const running: Promise<void>[] = [];
  const serve = async (conn: Deno.TlsConn): Promise<void> => {
    const chunk = new Uint8Array(65536);
    let text = "";
    for (let done = false; !done;) {
      const count = await conn.read(chunk).catch(() => null);
      if (count === null) break;
      text += new TextDecoder().decode(chunk.subarray(0, count));
      const parts = text.split("\r\n\r\n");
      text = parts.pop() ?? "";
      const reply = new TextEncoder().encode(parts.map(() => plainReply(body)).join(""));
      for (let at = 0; at < reply.length;) at += await conn.write(reply.subarray(at));
      done = parts.some((part) => part.includes("connection: close"));
    }
    conn.close();
  };
  const accepting = (async (): Promise<void> => {
    for await (const conn of listener) running.push(serve(conn));
  })().catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port,
    async close(): Promise<void> {
      listener.close();
      await accepting;
      await Promise.all(running);
    },
  };
}

/** Lends an HTTP port and the forwarder between it and a TLS server. */
async function farAway(test: (http: HeldHttp, far: Forwarder) => Promise<void>): Promise<void> {
  const { caPem } = await testCerts();
  const server = await tlsServer("x".repeat(600));
  const far = startForwarder({ target: { hostname: "127.0.0.1", port: server.port } });
  const http = createHttp(testHttpOptions({ baoPort: far.port, caPem }));
  try {
    // What the first handshake of a process costs is no matter of distance.
    await assertRead(http, 1);
    far.resetCounts();
    Object.assign(far.faults, { delayMs: ROUND_TRIP_MS / 2, connectMs: ROUND_TRIP_MS });
    await test(http, far);
  } finally {
    await http.close();
    await far.close();
    await server.close();
  }
}

function reads(count: number): readonly HttpRequest[] {
  return Array.from({ length: count }, (_, index) =>
    testRequest({
      peer: "bao",
      target: `/v1/monky/data/env-qa-02/see/some/path/${index}?version=3`,
      headers: { "x-vault-token": "hvs.".padEnd(95, "x") },
      timeoutMs: 10_000,
    }));
}

async function assertRead(http: HeldHttp, count: number): Promise<void> {
  const outcomes = await http.many(reads(count));
  assertEquals(outcomes.filter((outcome) => outcome instanceof Error), []);
}

Deno.test("200 GETs over TLS take three round trips: the dial, the handshake, all answers", async () => {
  await farAway(async (http, far) => {
    await assertRead(http, 200);
    assertEquals([far.trips.count, far.counts.connections], [3, 8]);
  });
});

const LOGIN = { peer: "bao", method: "POST", target: "/v1/login", timeoutMs: 10_000 } as const;

Deno.test("a login and 64 GETs take four: the connections of the reads are opened during the login", async () => {
  await farAway(async (http, far) => {
    await http.request(testRequest({ ...LOGIN, readsAfter: 64 }));
    await assertRead(http, 64);
    assertEquals([far.trips.count, far.counts.connections], [4, 9]);
  });
});

Deno.test("… and six when the login does not tell that reads follow", async () => {
  await farAway(async (http, far) => {
    await http.request(testRequest(LOGIN));
    assert(far.counts.connections === 1, "connections were opened for nothing");
    await assertRead(http, 64);
    assertEquals([far.trips.count, far.counts.connections], [6, 9]);
  });
});
