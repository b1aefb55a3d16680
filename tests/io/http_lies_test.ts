/** Replies that must not be believed, and connections that break: one code, one phase, one request each. */

import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { testHttp, testRequest } from "./http_setup.ts";
import { plainReply, rawServer } from "./raw_server.ts";

const OK = "HTTP/1.1 200 OK\r\n";

interface Lie {
  readonly name: string;
  readonly reply: string | readonly string[];
  readonly code: string;
  readonly phase: string;
  /** What the server does behind its bytes: an orderly end, or waiting for ever. */
  readonly then?: "hang";
}

const bad = (name: string, reply: Lie["reply"], phase = "headers"): Lie => ({
  name,
  reply,
  code: "TENANCY_BAD_ANSWER",
  phase,
  // A lie is told at once, not at the deadline.
  then: "hang",
});
const cut = (name: string, reply: Lie["reply"], phase: string): Lie => ({
  name,
  reply,
  code: "TENANCY_UNAVAILABLE",
  phase,
});
const large = (name: string, reply: Lie["reply"]): Lie => ({
  name,
  reply,
  code: "ANSWER_TOO_LARGE",
  phase: "body",
  then: "hang",
});
const slow = (name: string, reply: Lie["reply"], phase: string): Lie => ({
  name,
  reply,
  code: "TENANCY_TIMEOUT",
  phase,
  then: "hang",
});
const many = (count: number): string =>
  Array.from({ length: count }, (_, index) => `x-${index}: 1\r\n`).join("");

const LIES: readonly Lie[] = [
  cut("case 72: the connection closes without a byte", "", "headers"),
  cut("a head that ends in the middle", `${OK}content-le`, "headers"),
  cut("a body that is shorter than it says", `${OK}content-length: 10\r\n\r\n{}`, "body"),
  cut("chunks without the last one", `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`, "body"),
  cut("a chunk that breaks off", `${OK}transfer-encoding: chunked\r\n\r\n5\r\n{}`, "body"),
  cut("trailers that break off", `${OK}transfer-encoding: chunked\r\n\r\n0\r\nx: 1\r\n`, "body"),
  slow("no byte at all", "", "headers"),
  slow("a head that never ends", `${OK}x: 1\r\n`, "headers"),
  slow("a body that never ends", `${OK}content-length: 3\r\n\r\n{}`, "body"),
  bad("another protocol's banner", "SSH-2.0-OpenSSH_9.2\r\n"),
  bad("a page without a head", "<html>hi</html>"),
  bad("a TLS alert", "\x15\x03\x01\x00\x02\x02\x16"),
  bad("HTTP/2 to a client of 1.1", "HTTP/2 200\r\ncontent-length: 0\r\n\r\n"),
  bad("a status of two digits", "HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n"),
  bad("a status below 100", "HTTP/1.1 099 OK\r\ncontent-length: 0\r\n\r\n"),
  bad("case 70: lines that end in LF alone", "HTTP/1.1 200 OK\ncontent-length: 0\n\n"),
  bad("a CR inside a header", `${OK}x: a\rb\r\ncontent-length: 0\r\n\r\n`),
  bad("a NUL inside a header", `${OK}x: a\0b\r\ncontent-length: 0\r\n\r\n`),
  bad("a folded header", `${OK}x: a\r\n b\r\ncontent-length: 0\r\n\r\n`),
  bad("a space before the colon", `${OK}content-length : 0\r\n\r\n`),
  bad("a header without a colon", `${OK}nonsense\r\ncontent-length: 0\r\n\r\n`),
  bad("a header without a name", `${OK}: 1\r\ncontent-length: 0\r\n\r\n`),
  bad("more than 100 headers", `${OK}${many(101)}content-length: 0\r\n\r\n`),
  bad("a head of more than 64 KiB", `${OK}x: ${"a".repeat(70_000)}\r\n\r\n`),
  bad("interim replies without end", "HTTP/1.1 102 Processing\r\n\r\n".repeat(9)),
  bad("a switch of protocols", "HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n"),
  bad("case 70: a body that ends with the connection", `${OK}\r\n{}`),
  bad("two different lengths", `${OK}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`),
  bad("the same length twice", `${OK}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`),
  bad("a negative length", `${OK}content-length: -2\r\n\r\n{}`),
  bad("a length in hex", `${OK}content-length: 0x2\r\n\r\n{}`),
  bad("an empty length", `${OK}content-length:\r\n\r\n{}`),
  bad(
    "a length and chunks",
    `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ),
  bad("an unknown transfer-encoding", `${OK}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`),
  bad("chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
  bad("case 71: a compressed body", `${OK}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}`),
  bad("a chunk size that is none", `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`, "body"),
  bad("a negative chunk size", `${OK}transfer-encoding: chunked\r\n\r\n-1\r\n`, "body"),
  bad(
    "a chunk size without end",
    `${OK}transfer-encoding: chunked\r\n\r\n${"0".repeat(2000)}`,
    "body",
  ),
  bad("a chunk longer than it says", `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}}\r\n`, "body"),
  bad(
    "a malformed trailer",
    `${OK}transfer-encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n`,
    "body",
  ),
  bad("bytes behind the body", `${OK}content-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n`, "body"),
  bad("a body behind 204", "HTTP/1.1 204 No Content\r\n\r\n{}", "body"),
  large("case 71: a length beyond the limit", `${OK}content-length: 1001\r\n\r\n`),
  large("a length beyond every limit", `${OK}content-length: 999999999999999\r\n\r\n`),
  large("a chunk beyond the limit", `${OK}transfer-encoding: chunked\r\n\r\nffffffff\r\n`),
  large(
    "chunks that pass the limit together",
    `${OK}transfer-encoding: chunked\r\n\r\n${`1F4\r\n${"x".repeat(500)}\r\n`.repeat(3)}`,
  ),
];

for (const lie of LIES) {
  Deno.test(`${lie.name} is ${lie.code} in phase ${lie.phase}, asked once`, async () => {
    const server = rawServer(async (peer) => {
      await peer.request();
      await peer.send(lie.reply as string);
      if (lie.then === "hang") await peer.drain();
    });
    const http = testHttp({ tenancyPort: server.port });
    const timeoutMs = lie.code === "TENANCY_TIMEOUT" ? 1_200 : 60_000;
    const begun = performance.now();
    const failure = await http.request(testRequest({ method: "POST", timeoutMs })).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    await server.close();
    assertInstanceOf(failure, AgentError);
    assertEquals([failure.code, failure.data["phase"]], [lie.code, lie.phase]);
    assertEquals([server.requests.length, server.connections], [1, 1]);
    assert(performance.now() - begun < 30_000, "it took until the deadline");
  });
}

Deno.test("a reset in the middle of a body is TENANCY_UNAVAILABLE in phase body", async () => {
  const server = rawServer(async (peer) => {
    await peer.conn.read(new Uint8Array(10));
    await peer.send(`${OK}content-length: 10\r\n\r\n{}`);
    // Closing before everything was read makes the kernel send a reset.
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
  const http = testHttp({ tenancyPort: server.port });
  const body = new Uint8Array(400_000);
  const failure = await http.request(testRequest({ method: "POST", body })).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  await server.close();
  assertInstanceOf(failure, AgentError);
  assertEquals([failure.code, failure.data["phase"]], ["TENANCY_UNAVAILABLE", "body"]);
});

Deno.test("a dead proxy is TENANCY_UNAVAILABLE in phase dial and named with its address", async () => {
  // A port that was free a moment ago may be another test's by now; nobody is given this one.
  const port = 1;
  const failure = await testHttp({ tenancyPort: port }).request(testRequest()).catch((e) => e);
  assertInstanceOf(failure, AgentError);
  assertEquals([failure.code, failure.data["phase"]], ["TENANCY_UNAVAILABLE", "dial"]);
  assertStringIncludes(failure.message, `127.0.0.1:${port}`);
});

Deno.test("a proxy that takes the connection and drops it is told as such", async () => {
  const server = rawServer(() => Promise.resolve());
  const failure = await testHttp({ tenancyPort: server.port }).request(testRequest()).catch((e) =>
    e
  );
  await server.close();
  assertInstanceOf(failure, AgentError);
  assertEquals(failure.code, "TENANCY_UNAVAILABLE");
  assertStringIncludes(failure.message, "the proxy took the connection and let it go");
});

Deno.test("a caller's stop ends the exchange as INTERRUPTED and closes the connection", async () => {
  const closed = Promise.withResolvers<void>();
  const stop = new AbortController();
  const server = rawServer(async (peer) => {
    await peer.request();
    stop.abort("SIGTERM");
    await peer.drain();
    closed.resolve();
  });
  const request = testRequest({ signal: stop.signal });
  const failure = await testHttp({ tenancyPort: server.port }).request(request).catch((e) => e);
  await closed.promise;
  await server.close();
  assertInstanceOf(failure, AgentError);
  assertEquals([failure.code, failure.data["phase"]], ["INTERRUPTED", "headers"]);
});

Deno.test("a signal that is aborted already dials nobody", async () => {
  const server = rawServer(() => Promise.resolve());
  const request = testRequest({ signal: AbortSignal.abort("SIGTERM") });
  const failure = await testHttp({ tenancyPort: server.port }).request(request).catch((e) => e);
  await server.close();
  assertInstanceOf(failure, AgentError);
  assertEquals([failure.code, server.connections], ["INTERRUPTED", 0]);
});

Deno.test("case 71: an endless body is left at the limit, whatever the server sends", async () => {
  let sent = 0;
  const server = rawServer(async (peer) => {
    await peer.request();
    await peer.send(`${OK}transfer-encoding: chunked\r\n\r\n`);
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    for (;;) {
      await peer.send(chunk);
      sent += chunk.length;
    }
  });
  const request = testRequest({ maxBodyBytes: 100_000 });
  const failure = await testHttp({ tenancyPort: server.port }).request(request).catch((e) => e);
  await server.close();
  assertInstanceOf(failure, AgentError);
  assertEquals(failure.code, "ANSWER_TOO_LARGE");
  assert(sent < 16 * 1024 * 1024, `the server sent ${sent} bytes`);
});

Deno.test("case 75: no error shows a query, a header's value or a byte of the answer", async () => {
  const answers = ["hvs.TOPSECRET\r\n", `${OK}TOPSECRET\r\n\r\n`, `${OK}\r\nTOPSECRET`, ""];
  for (const answer of answers) {
    const server = rawServer(async (peer) => {
      await peer.request();
      await peer.send(answer);
    });
    const failure = await testHttp({ tenancyPort: server.port }).request(testRequest()).catch((e) =>
      e
    );
    await server.close();
    assertInstanceOf(failure, AgentError);
    assertEquals(failure.data["request"], "GET /agent/v1/x");
    const shown = Deno.inspect(failure, { depth: 10 }) + JSON.stringify(failure.data);
    assert(!shown.includes("TOPSECRET"), shown);
  }
});

Deno.test("case 73: a redirect is given to the caller as it is, and nobody follows it", async () => {
  const server = rawServer(async (peer) => {
    await peer.request();
    await peer.send(
      "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
    );
  });
  const reply = await testHttp({ tenancyPort: server.port }).request(
    testRequest({ method: "POST" }),
  );
  await server.close();
  assertEquals([reply.status, reply.headers["location"]], [302, "http://127.0.0.1:1/"]);
  assertEquals([server.requests.length, server.connections], [1, 1]);
});

Deno.test("an early answer counts although the request was not read to its end", async () => {
  const server = rawServer(async (peer) => {
    await peer.send(plainReply("too much").replace("200 OK", "413 Too Large"));
    await peer.drain();
  });
  const body = new Uint8Array(8 * 1024 * 1024);
  const request = testRequest({ method: "POST", body });
  const reply = await testHttp({ tenancyPort: server.port }).request(request);
  await server.close();
  assertEquals(reply.status, 413);
});
