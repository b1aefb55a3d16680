/** SPEC §13: what 200 secrets, 50 ms away, cost on the wire. */

import { assert, assertEquals } from "@std/assert";
import { testHttp, testRequest } from "./http_setup.ts";
import { plainReply } from "./raw_server.ts";
import { testCerts } from "./tls_setup.ts";

const DELAY_MS = 25;
/** A TLS alert in its record: the farewell of a closing side, which nobody waits for. */
const FAREWELL_BYTES = 24;

interface Forwarder {
  readonly port: number;
  /** Per connection: how often the client sent something after it had received something. */
  readonly turns: readonly number[];
  close(): Promise<void>;
}

/** Forwards to a port with a delay in each direction, as a tunneler does: the dial itself ends here. */
function forwarder(target: number): Forwarder {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const turns: number[] = [];
  const running: Promise<void>[] = [];
  const carry = async (
    from: Deno.Conn,
    to: Deno.Conn,
    seen: (sizeBytes: number) => void,
  ): Promise<void> => {
    let last: Promise<unknown> = Promise.resolve();
    const chunk = new Uint8Array(65536);
    for (;;) {
      const count = await from.read(chunk).catch(() => null);
      if (count !== null) seen(count);
      const bytes = count === null ? null : chunk.slice(0, count);
      const due = new Promise((resolve) => setTimeout(resolve, DELAY_MS));
      last = Promise.all([last, due]).then(async () => {
        if (bytes === null) await to.closeWrite();
        for (let at = 0; bytes !== null && at < bytes.length;) {
          at += await to.write(bytes.subarray(at));
        }
      }).catch(() => {});
      if (count === null) break;
    }
    await last;
  };
  const serve = async (client: Deno.TcpConn): Promise<void> => {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: target });
    server.setNoDelay(true);
    client.setNoDelay(true);
    const index = turns.push(0) - 1;
    let clientSpoke = false;
    await Promise.all([
      carry(client, server, (sizeBytes) => {
        if (sizeBytes <= FAREWELL_BYTES) return;
        if (!clientSpoke) turns[index] = (turns[index] ?? 0) + 1;
        clientSpoke = true;
      }),
      carry(server, client, () => {
        clientSpoke = false;
      }),
    ]);
    client.close();
    server.close();
  };
  const accepting = (async (): Promise<void> => {
    for await (const conn of listener) running.push(serve(conn));
  })().catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port,
    turns,
    async close(): Promise<void> {
      listener.close();
      await accepting;
      await Promise.all(running);
    },
  };
}

/** A TLS server that answers pipelined GETs in order, as Go's does. */
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

Deno.test("200 GETs over TLS, 50 ms away, take a handshake and one round trip", async () => {
  const { caPem } = await testCerts();
  const server = await tlsServer("x".repeat(600));
  const far = forwarder(server.port);
  const headers = { "x-vault-token": "hvs.".padEnd(95, "x") };
  const requests = Array.from({ length: 200 }, (_, index) =>
    testRequest({
      peer: "bao",
      target: `/v1/monky/data/env-qa-02/see/some/path/${index}?version=3`,
      headers,
      timeoutMs: 10_000,
    }));
  const begun = performance.now();
  const outcomes = await testHttp({ baoPort: far.port, caPem }).many(requests);
  const ms = performance.now() - begun;
  await far.close();
  await server.close();
  assertEquals(outcomes.filter((outcome) => outcome instanceof Error), []);
  assertEquals(far.turns.length, 8);
  // Turn 1 is the client's hello, turn 2 its finish and all its GETs; the TCP dial would be a third.
  assertEquals(Math.max(...far.turns), 2);
  assert(ms < 1000, `it took ${Math.round(ms)} ms`);
});
