/** Many GETs: pipelined, in order, shared out equally, never sent again. */

import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { shares } from "../../src/io/pipeline.ts";
import type { HttpReply, HttpRequest } from "../../src/ports.ts";
import { testHttp, testRequest } from "./http_setup.ts";
import { plainReply, type RawPeer, rawServer } from "./raw_server.ts";

function asks(count: number, changes: Partial<HttpRequest> = {}): HttpRequest[] {
  return Array.from(
    { length: count },
    (_, index) => testRequest({ target: `/v1/${index}?version=1`, ...changes }),
  );
}

/** Answers every request with its own target, until one says close. */
async function echo(peer: RawPeer): Promise<void> {
  for (;;) {
    const request = await peer.request();
    if (request === null) return;
    await peer.send(plainReply(request.split(" ")[1] ?? ""));
    if (request.includes("connection: close")) return;
  }
}

function shown(outcome: HttpReply | Error | undefined): string {
  if (outcome instanceof AgentError) return `${outcome.code} ${outcome.data["phase"]}`;
  assert(outcome !== undefined && !(outcome instanceof Error));
  return new TextDecoder().decode(outcome.body);
}

Deno.test("200 GETs share 8 connections equally, and each gets its own answer", async () => {
  const server = rawServer(echo);
  const outcomes = await testHttp({ tenancyPort: server.port }).many(asks(200));
  await server.close();
  assertEquals(outcomes.map(shown), asks(200).map(({ target }) => target));
  assertEquals([server.connections, server.requests.length], [8, 200]);
  assertEquals(server.requests.filter((text) => text.includes("connection: close")).length, 8);
});

const SHARES: readonly (readonly [number, number, readonly number[]])[] = [
  [0, 8, []],
  [1, 8, [1]],
  [8, 8, [8]],
  [9, 8, [4, 5]],
  [20, 8, [6, 7, 7]],
  [200, 8, [25, 25, 25, 25, 25, 25, 25, 25]],
  [200, 1, [200]],
];

for (const [count, max, sizes] of SHARES) {
  Deno.test(`${count} requests over at most ${max} connections are shared out equally`, () => {
    const numbers = Array.from({ length: count }, (_, index) => index);
    const parts = shares(numbers, max);
    assertEquals(parts.map((part) => part.length), sizes);
    assertEquals(parts.flat(), numbers);
  });
}

interface Broken {
  readonly name: string;
  readonly script: (peer: RawPeer) => Promise<void>;
  readonly outcomes: readonly string[];
  /** Of the exchange: long enough for what comes at once, unless nothing comes. */
  readonly timeoutMs?: number;
}

const GONE = "TENANCY_UNAVAILABLE headers";

const BROKEN: readonly Broken[] = [
  {
    name: "an end between answers leaves the rest unanswered",
    script: async (peer) => {
      for (let index = 0; index < 2; index += 1) {
        await peer.request();
        await peer.send(plainReply(`${index}`));
      }
      await peer.request();
      await peer.request();
    },
    outcomes: ["0", "1", GONE, GONE],
  },
  {
    name: "a server that says close is believed",
    script: async (peer) => {
      for (let index = 0; index < 4; index += 1) await peer.request();
      await peer.send(plainReply("0") + plainReply("1", "Connection: Close\r\n"));
      await peer.drain();
    },
    outcomes: ["0", "1", GONE, GONE],
  },
  {
    name: "an HTTP/1.0 answer ends its connection",
    script: async (peer) => {
      for (let index = 0; index < 4; index += 1) await peer.request();
      await peer.send(plainReply("0").replace("1.1", "1.0"));
      await peer.drain();
    },
    outcomes: ["0", GONE, GONE, GONE],
  },
  {
    name: "an answer that breaks off is lost with those behind it",
    script: async (peer) => {
      for (let index = 0; index < 4; index += 1) await peer.request();
      await peer.send(plainReply("0") + plainReply("123456").slice(0, -2));
    },
    outcomes: ["0", "TENANCY_UNAVAILABLE body", GONE, GONE],
  },
  {
    name: "an answer that is no HTTP ends its connection",
    script: async (peer) => {
      await peer.request();
      await peer.send(plainReply("0") + "garbage");
      await peer.drain();
    },
    outcomes: ["0", "TENANCY_BAD_ANSWER headers", GONE, GONE],
  },
  {
    name: "an answer beyond the limit ends its connection",
    script: async (peer) => {
      await peer.request();
      await peer.send(plainReply("0") + plainReply("x".repeat(2000)));
      await peer.drain();
    },
    outcomes: ["0", "ANSWER_TOO_LARGE body", GONE, GONE],
  },
  {
    name: "a deadline holds for all that are left",
    script: async (peer) => {
      await peer.request();
      await peer.send(plainReply("0"));
      await peer.drain();
    },
    timeoutMs: 1_500,
    outcomes: ["0", ...Array(3).fill("TENANCY_TIMEOUT headers")],
  },
  {
    name: "more answers than requests make every pairing doubtful",
    script: async (peer) => {
      for (let index = 0; index < 4; index += 1) await peer.request();
      await peer.send(Array.from({ length: 5 }, (_, index) => plainReply(`${index}`)).join(""));
      await peer.drain();
    },
    outcomes: Array(4).fill("TENANCY_BAD_ANSWER body"),
  },
  {
    name: "a connection that is dropped answers nothing",
    script: () => Promise.resolve(),
    outcomes: Array(4).fill(GONE),
  },
];

for (const { name, script, outcomes, timeoutMs = 20_000 } of BROKEN) {
  Deno.test(`${name}; nothing is sent again`, async () => {
    const server = rawServer(script);
    const http = testHttp({ tenancyPort: server.port, maxConnections: 1 });
    const got = await http.many(asks(4, { timeoutMs }));
    await server.close();
    assertEquals(got.map(shown), outcomes);
    assertEquals(server.connections, 1);
    assert(server.requests.length <= 4);
    for (const [index, outcome] of got.entries()) {
      if (!(outcome instanceof AgentError)) continue;
      assertEquals(outcome.data["request"], `GET /v1/${index}`);
    }
  });
}

Deno.test("a connection that fails does not spoil the answers of the others", async () => {
  let count = 0;
  const server = rawServer(async (peer) => {
    count += 1;
    if (count > 1) await echo(peer);
  });
  const outcomes = await testHttp({ tenancyPort: server.port }).many(asks(24));
  await server.close();
  assertEquals(outcomes.filter((outcome) => outcome instanceof Error).length, 8);
  assertEquals(server.requests.length, 16);
});

Deno.test("a peer that reads nothing before it has answered cannot lock the two up", async () => {
  // 1,000 GETs of 2 KiB and 1,000 answers of 20 KiB are more than both kernels buffer.
  const server = rawServer(async (peer) => {
    for (let index = 0; index < 1000; index += 1) await peer.send(plainReply("x".repeat(20_000)));
    for (let index = 0; index < 1000; index += 1) await peer.request();
  });
  const http = testHttp({ tenancyPort: server.port, maxConnections: 1 });
  const headers = { "x-long": "y".repeat(2000) };
  const outcomes = await http.many(
    asks(1000, { headers, maxBodyBytes: 20_000, timeoutMs: 60_000 }),
  );
  await server.close();
  assertEquals(outcomes.filter((outcome) => outcome instanceof Error).length, 0);
});

Deno.test("only GETs of one remote may be pipelined", async () => {
  for (const changes of [{ method: "POST" }, { peer: "docker" }] as const) {
    const outcomes = await testHttp({}).many([testRequest(), testRequest(changes)]);
    for (const outcome of outcomes) {
      assertInstanceOf(outcome, AgentError);
      assertEquals(outcome.code, "INTERNAL");
    }
  }
});

Deno.test("no requests are no work", async () => {
  assertEquals(await testHttp({}).many([]), []);
});
