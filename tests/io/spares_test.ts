/** Connections that are opened during a login: used once, unused without a trace, never a second chance. */

import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import type { Dialer } from "../../src/io/dialer.ts";
import type { Duplex } from "../../src/io/duplex.ts";
import { createHttp, type HeldHttp } from "../../src/io/http.ts";
import type { HttpReply, HttpRequest } from "../../src/ports.ts";
import { testHttpOptions, testRequest } from "./http_setup.ts";
import { plainReply, type RawPeer, type RawServer, rawServer } from "./raw_server.ts";

const READS = 64;
const LOGIN = testRequest({ method: "POST", target: "/login", readsAfter: READS });

function reads(count = READS, changes: Partial<HttpRequest> = {}): readonly HttpRequest[] {
  return Array.from({ length: count }, (_, at) => testRequest({ target: `/${at}`, ...changes }));
}

/** Answers each request with its own path, until one says close. */
async function echo(peer: RawPeer): Promise<void> {
  for (;;) {
    const request = await peer.request();
    if (request === null) return;
    await peer.send(plainReply(request.split(" ")[1] ?? ""));
    if (request.includes("connection: close")) return;
  }
}

interface World {
  readonly http: HeldHttp;
  readonly server: RawServer;
  /** How many connections the other side still holds open. */
  readonly open: () => number;
  /** On how many connections the client has heard something, an end included. */
  readonly heard: () => number;
}

/** A dialer that keeps those of its connections on which something was heard. */
function hearing(dialer: Dialer, heard: Set<Duplex>): Dialer {
  return {
    ...dialer,
    dial: async (target, signal) => {
      const conn = await dialer.dial(target, signal);
      const read = conn.read.bind(conn);
      conn.read = (into) => read(into).finally(() => heard.add(conn));
      return conn;
    },
  };
}

/** Serves every connection by its number, from 1. */
async function withServer(
  serve: (peer: RawPeer, number: number) => Promise<void>,
  test: (world: World) => Promise<void>,
): Promise<void> {
  let count = 0;
  let open = 0;
  const server = rawServer(async (peer) => {
    open += 1;
    count += 1;
    await serve(peer, count).finally(() => open -= 1);
  });
  const heard = new Set<Duplex>();
  const options = testHttpOptions({ tenancyPort: server.port });
  const http = createHttp({ ...options, dialer: hearing(options.dialer, heard) });
  try {
    await test({ http, server, open: () => open, heard: () => heard.size });
  } finally {
    await http.close();
    await server.close();
  }
}

function outcomesOf(outcomes: readonly (HttpReply | Error)[]): readonly string[] {
  return outcomes.map((outcome) =>
    outcome instanceof Error ? "error" : new TextDecoder().decode(outcome.body)
  );
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    assert(tries < 2_000, `${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test("the reads behind a login go over the connections that were opened during it, each sent once", async () => {
  await withServer(echo, async ({ http, server }) => {
    await http.request(LOGIN);
    await until("the spares", () => server.connections === 9);
    assertEquals(server.requests.length, 1, "a spare carried a byte before its reads");
    assertEquals(outcomesOf(await http.many(reads())), reads().map(({ target }) => target));
    assertEquals([server.connections, server.requests.length], [9, 1 + READS]);
  });
});

Deno.test("spares that nobody takes are closed with the port", async () => {
  await withServer(echo, async ({ http, server, open }) => {
    await http.request(LOGIN);
    await until("the spares", () => server.connections === 9 && open() === 8);
    await http.close();
    await until("their end", () => open() === 0);
  });
});

Deno.test("fewer reads than were told leave no connection open", async () => {
  await withServer(echo, async ({ http, server, open }) => {
    await http.request(LOGIN);
    assertEquals(outcomesOf(await http.many(reads(2))), ["/0", "/1"]);
    await until("the spares", () => server.connections === 9);
    await until("their end", () => open() === 0);
  });
});

Deno.test("reads of another remote do not take them", async () => {
  await withServer(echo, async ({ http, server }) => {
    await http.request(LOGIN);
    const outcomes = await http.many(reads(8, { peer: "bao", timeoutMs: 500 }));
    assertEquals(new Set(outcomesOf(outcomes)), new Set(["error"]));
    assertEquals(server.requests.length, 1);
  });
});

/** What a spare's server does unasked; the connection stays open for the caller. */
const DEAD: Readonly<Record<string, (peer: RawPeer) => Promise<void> | void>> = {
  "closed in the meantime": (peer) => peer.conn.close(),
  "that spoke unasked": (peer) => peer.send(plainReply("/stolen")),
};

for (const [what, serve] of Object.entries(DEAD)) {
  Deno.test(`a spare ${what} is not used: its reads get a new connection`, async () => {
    let login = 0;
    const silent = new Set<RawPeer>();
    const serveByNumber = async (peer: RawPeer, number: number): Promise<void> => {
      if (number > 9) return await echo(peer);
      // The login may be accepted among the spares: it is the one that asks. The others die then.
      silent.add(peer);
      const first = await peer.request().catch(() => null);
      if (first === null || login > 0) return;
      login += 1;
      silent.delete(peer);
      await until("the spares", () => silent.size === 8);
      for (const spare of silent) await serve(spare);
      await peer.send(plainReply("/login"));
    };
    await withServer(serveByNumber, async ({ http, server, heard }) => {
      await http.request(LOGIN);
      // The login's own connection is the ninth.
      await until("word of the dead", () => heard() === 9);
      await new Promise((resolve) => setTimeout(resolve, 0));
      assertEquals(outcomesOf(await http.many(reads())), reads().map(({ target }) => target));
      assertEquals([login, server.connections], [1, 17]);
      assertEquals(server.requests.length, 1 + READS);
    });
  });
}

Deno.test("reads whose spares die under them are errors, and are not sent again", async () => {
  const serve = async (peer: RawPeer): Promise<void> => {
    const first = await peer.request();
    if (first?.startsWith("POST")) await peer.send(plainReply("/login"));
  };
  await withServer(serve, async ({ http, server }) => {
    await http.request(LOGIN);
    assertEquals(outcomesOf(await http.many(reads())), reads().map(() => "error"));
    assertEquals(server.connections, 9);
    assert(server.requests.length <= 1 + 8);
  });
});

Deno.test("an exchange that finds no way there opens none until one has found it again", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const accepting = (async (): Promise<void> => {
    for await (const conn of silent) held.push(conn);
  })().catch(() => {});
  const { port } = silent.addr as Deno.NetAddr;
  const http = createHttp(testHttpOptions({ baoPort: port }));
  for (const connections of [9, 10, 11]) {
    const login = { ...LOGIN, peer: "bao", timeoutMs: 1_500 } as const;
    const failure = await http.request(login).catch((thrown: unknown) => thrown);
    assertInstanceOf(failure, AgentError);
    assertEquals([failure.code, failure.data["phase"]], ["BAO_TIMEOUT", "tls"]);
    await until("the connections", () => held.length === connections);
  }
  await http.close();
  silent.close();
  for (const conn of held) conn.close();
  await accepting;
});
