/** What is written to the wire, and which replies are understood. */

import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { createHttp } from "../../src/io/http.ts";
import { AgentError } from "../../src/errors.ts";
import type { HttpRequest } from "../../src/ports.ts";
import { testHttp, testHttpOptions, testRequest } from "./http_setup.ts";
import { plainReply, rawServer } from "./raw_server.ts";

async function askOnce(
  reply: string,
  request: HttpRequest = testRequest(),
): Promise<{ readonly seen: string; readonly status: number; readonly text: string }> {
  const server = rawServer(async (peer) => {
    await peer.request();
    await peer.send(reply);
    await peer.drain();
  });
  try {
    const answer = await testHttp({ tenancyPort: server.port }).request(request);
    return {
      seen: server.requests.join(""),
      status: answer.status,
      text: new TextDecoder().decode(answer.body),
    };
  } finally {
    await server.close();
  }
}

Deno.test("a request has an origin-form target, Host with its port, and asks for no compression", async () => {
  const { seen } = await askOnce(plainReply("{}"));
  assertEquals(seen.split("\r\n").slice(0, 5), [
    "GET /agent/v1/x?token=TOPSECRET HTTP/1.1",
    "host: monky.tenancy.deploy:443",
    "authorization: Bearer TOPSECRET",
    "accept-encoding: identity",
    "connection: close",
  ]);
  assert(!seen.includes("content-length"));
});

Deno.test("a POST carries its body and content-length, an empty one says 0", async () => {
  const body = new TextEncoder().encode('{"ü":1}');
  const full = await askOnce(plainReply("{}"), testRequest({ method: "POST", body }));
  assert(full.seen.includes(`\r\ncontent-length: ${body.length}\r\n\r\n`));
  assertEquals(full.seen.length, full.seen.indexOf("\r\n\r\n") + 4 + body.length);
  const empty = await askOnce(plainReply("{}"), testRequest({ method: "POST" }));
  assert(empty.seen.includes("\r\ncontent-length: 0\r\n\r\n"));
});

interface Understood {
  readonly name: string;
  readonly reply: string;
  readonly status: number;
  readonly text: string;
}

const UNDERSTOOD: readonly Understood[] = [
  { name: "a plain body", reply: plainReply("{}"), status: 200, text: "{}" },
  {
    name: "a status line without a reason",
    reply: "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}",
    status: 200,
    text: "{}",
  },
  {
    name: "chunks in upper and lower case, with an extension and trailers",
    reply: "HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n" +
      "A;x=y\r\n0123456789\r\nb\r\nabcdefghijk\r\n0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n",
    status: 200,
    text: "0123456789abcdefghijk",
  },
  {
    name: "no chunks at all",
    reply: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    status: 200,
    text: "",
  },
  { name: "204 without a length", reply: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, text: "" },
  {
    name: "304 that tells the length of what it does not send",
    reply: "HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n",
    status: 304,
    text: "",
  },
  {
    name: "interim replies before the final one",
    reply: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${
      plainReply("{}")
    }`,
    status: 200,
    text: "{}",
  },
  {
    name: "HTTP/1.0 with a length",
    reply: "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}",
    status: 200,
    text: "{}",
  },
  {
    name: "identity as content-encoding",
    reply: plainReply("{}", "content-encoding: identity\r\n"),
    status: 200,
    text: "{}",
  },
  {
    name: "a body of exactly the limit",
    reply: plainReply("x".repeat(1000)),
    status: 200,
    text: "x".repeat(1000),
  },
  {
    name: "case 70: an HTML page with its status, for the client to judge",
    reply: plainReply("<html>").replace("200 OK", "502 Bad Gateway"),
    status: 502,
    text: "<html>",
  },
];

for (const { name, reply, status, text } of UNDERSTOOD) {
  Deno.test(`${name} is understood`, async () => {
    const answer = await askOnce(reply);
    assertEquals([answer.status, answer.text], [status, text]);
  });
}

Deno.test("repeated headers are joined, names are lower-case, __proto__ is only a name", async () => {
  const server = rawServer(async (peer) => {
    await peer.request();
    await peer.send(plainReply("", "X-A: 1 \r\nx-a:2\r\n__proto__: 3\r\nX-Empty:\r\n"));
  });
  const { headers } = await testHttp({ tenancyPort: server.port }).request(testRequest());
  await server.close();
  assertEquals([headers["x-a"], headers["x-empty"]], ["1, 2", ""]);
  assertEquals(Object.keys(headers).includes("__proto__"), true);
  assertEquals(Object.getPrototypeOf(headers), Object.prototype);
});

const UNSENDABLE: readonly (readonly [string, Partial<HttpRequest>])[] = [
  ["a target with a space", { target: "/a b" }],
  ["an absolute target", { target: "http://elsewhere/" }],
  ["a target that breaks the line", { target: "/a\r\nx: y" }],
  ["a target with a fragment", { target: "/a#b" }],
  ["a header value that breaks the line", { headers: { authorization: "TOPSECRET\r\nx: y" } }],
  ["a header value beyond ASCII", { headers: { authorization: "TOPSECRET ü" } }],
  ["a header name with a colon", { headers: { "a:b": "TOPSECRET" } }],
  ["a Host of the caller's", { headers: { Host: "elsewhere" } }],
  ["a length of the caller's", { headers: { "content-length": "5" } }],
];

for (const [name, change] of UNSENDABLE) {
  Deno.test(`${name} is a bug of the caller, and nothing is dialled`, async () => {
    const server = rawServer(() => Promise.resolve());
    const http = testHttp({ tenancyPort: server.port });
    const failure = await http.request(testRequest(change)).catch((thrown) => thrown);
    await server.close();
    assertInstanceOf(failure, AgentError);
    assertEquals([failure.code, server.connections], ["INTERNAL", 0]);
    assert(!Deno.inspect(failure).includes("TOPSECRET"));
  });
}

Deno.test("a name that the proxy does not map is refused before anything is dialled", async () => {
  const server = rawServer(() => Promise.resolve());
  const { endpoints, ...rest } = testHttpOptions({ tenancyPort: server.port });
  for (const change of [{ host: "elsewhere.example" }, { port: 444 }]) {
    const tenancy = { ...endpoints.tenancy, ...change };
    const http = createHttp({ ...rest, endpoints: { ...endpoints, tenancy } });
    const failure = await http.request(testRequest()).catch((thrown) => thrown);
    assertInstanceOf(failure, AgentError);
    assertEquals(failure.code, "TRANSPORT_UNMAPPED");
  }
  assertEquals(server.connections, 0);
  await server.close();
});

Deno.test("mapped names are compared without case", async () => {
  const server = rawServer(async (peer) => {
    await peer.request();
    await peer.send(plainReply("{}"));
  });
  const { endpoints, ...rest } = testHttpOptions({ tenancyPort: server.port });
  const tenancy = { ...endpoints.tenancy, host: "Monky.Tenancy.Deploy" };
  const http = createHttp({ ...rest, endpoints: { ...endpoints, tenancy } });
  assertEquals((await http.request(testRequest())).status, 200);
  await server.close();
});

Deno.test("a dial that never ends is ended by the deadline, and a late connection is closed", async () => {
  let closed = false;
  const dialling = Promise.withResolvers<{
    read(): Promise<null>;
    write(bytes: Uint8Array): Promise<number>;
    close(): void;
  }>();
  const dialer = { dropped: "x", dial: () => dialling.promise };
  const http = createHttp({ ...testHttpOptions({}), dialer });
  const failure = await assertRejects(
    () => http.request(testRequest({ timeoutMs: 50 })),
    AgentError,
  );
  assertEquals([failure.code, failure.data["phase"]], ["TENANCY_TIMEOUT", "dial"]);
  dialling.resolve({
    read: () => Promise.resolve(null),
    write: (bytes) => Promise.resolve(bytes.length),
    close: () => {
      closed = true;
    },
  });
  await dialling.promise;
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert(closed);
});
