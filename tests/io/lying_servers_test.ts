/**
 * The lying servers, each by its number: a check-in (a login for the one that needs TLS) against a
 * real socket that lies. Each lie has a code and a sentence that no other has, costs bounded time and
 * bytes, and the server has seen its POST once.
 */

import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { startForwarder } from "../../scripts/lab/forwarder.ts";
import { AgentError } from "../../src/errors.ts";
import type { HttpOptions } from "../../src/io/http.ts";
import { testHttpOptions } from "./http_setup.ts";
import { startLiar } from "./liar.ts";
import { ELSEWHERE, JSON_TYPE, LIES, RIGHT, SLACK_BYTES } from "./lies.ts";
import { plainReply, rawServer } from "./raw_server.ts";
import { baoOver, checkIn, DEADLINE_MS, TOKEN } from "./remote_clients.ts";
import { testCerts } from "./tls_setup.ts";

/** Options whose connections add what they read to `count`. */
function counting(options: HttpOptions, count: { bytes: number }): HttpOptions {
  const { dialer } = options;
  return {
    ...options,
    dialer: {
      ...dialer,
      dial: async (target, signal) => {
        const conn = await dialer.dial(target, signal);
        const read = conn.read.bind(conn);
        conn.read = async (into) => {
          const got = await read(into);
          count.bytes += got ?? 0;
          return got;
        };
        return conn;
      },
    },
  };
}

async function failureOf(asking: Promise<unknown>): Promise<AgentError> {
  const failure = await asking.then(() => null, (thrown: unknown) => thrown);
  assertInstanceOf(failure, AgentError, "the lie was believed");
  assert(!Deno.inspect(failure, { depth: 9 }).includes("TOPSECRET"), "the token was told");
  return failure;
}

Deno.test("each lying server has a sentence of its own, costs little, and sees a POST once", async (t) => {
  const told = new Map<string, string>();
  const tell = ({ code, message }: AgentError, name: string): void => {
    const sentence = `${code}: ${message}`;
    assert(!told.has(sentence), `${name} is told like ${told.get(sentence)}: ${sentence}`);
    told.set(sentence, name);
  };
  const other = await startLiar((wire) => wire.send(plainReply(RIGHT, JSON_TYPE)));
  ELSEWHERE.port = other.port;
  for (const lie of LIES) {
    await t.step(lie.name, async () => {
      const server = await startLiar(lie.tell);
      const count = { bytes: 0 };
      const options = counting(testHttpOptions({ tenancyPort: server.port }), count);
      const begun = performance.now();
      const failure = await failureOf(checkIn(options, lie.deadlineMs));
      const ms = performance.now() - begun;
      await server.close();
      assertStringIncludes(failure.message, lie.says);
      assertEquals([failure.code, failure.data["phase"] ?? null], [lie.code, lie.phase]);
      assertEquals(server.requests, ["POST /agent/v1/checkin HTTP/1.1"]);
      assertEquals(server.connections, 1);
      assert(ms < (lie.withinMs ?? DEADLINE_MS / 2), `it took ${Math.round(ms)} ms`);
      assert(count.bytes <= (lie.maxBytes ?? SLACK_BYTES), `${count.bytes} bytes were read`);
      tell(failure, lie.name);
    });
  }
  await t.step("13 … and elsewhere nobody has called", () => {
    assertEquals(other.connections, 0);
  });
  await other.close();
  await t.step("19 a keep-alive connection closed under a POST", async () => {
    const keep = `${JSON_TYPE}connection: keep-alive\r\n`;
    const server = await startLiar((wire) => {
      return wire.request === 1 ? wire.send(plainReply(RIGHT, keep)) : wire.end();
    });
    const options = testHttpOptions({ tenancyPort: server.port });
    await checkIn(options);
    const failure = await failureOf(checkIn(options));
    await server.close();
    assertEquals([failure.code, failure.data["phase"]], ["TENANCY_UNAVAILABLE", "headers"]);
    // A connection each: none was kept, so none could be closed under the second one's feet.
    assertEquals([server.requests.length, server.connections], [2, 2]);
  });
  await t.step("20 a cut below TLS", async () => {
    const { caPem, pair } = await testCerts();
    const server = rawServer(async (peer) => {
      await peer.request();
      // More than the tickets that TLS sends on its own account, so that its passing can be seen.
      const part = `{"auth":"${"x".repeat(8_000)}`;
      const due = between.counts.bytesDown + part.length;
      await peer.send(`HTTP/1.1 200 OK\r\n${JSON_TYPE}content-length: 9000\r\n\r\n${part}`);
      do {
        await new Promise((resolve) => setTimeout(resolve, 20));
      } while (between.counts.bytesDown < due);
      between.dropConnections();
      await peer.drain();
    }, Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...pair("good") }));
    const between = startForwarder({ target: { hostname: "127.0.0.1", port: server.port } });
    const bao = baoOver(testHttpOptions({ baoPort: between.port, caPem }));
    const begun = performance.now();
    const failure = await failureOf(bao.login(TOKEN));
    assert(performance.now() - begun < DEADLINE_MS / 2, "it took too long");
    assert(between.counts.bytesDown < SLACK_BYTES);
    await between.close();
    await server.close();
    assertEquals([failure.code, failure.data["phase"]], ["BAO_UNAVAILABLE", "body"]);
    assertStringIncludes(failure.message, "was cut off in the middle of its answer, below TLS");
    assertEquals([server.requests.length, server.connections], [1, 1]);
    tell(failure, "20");
  });
  assertEquals(told.size, LIES.length + 1);
});
