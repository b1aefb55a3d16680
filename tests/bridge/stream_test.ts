/**
 * The bridge's streams, seen from its sockets: bytes, ends, half-closes and back-pressure pass as
 * over TCP, and what the old API of the addon cannot carry does not hurt more than it must.
 */

import { assert, assertEquals } from "@std/assert";
import { waitFor } from "../../scripts/lab/wait.ts";
import { plainReply, type RawPeer, rawServer } from "../io/raw_server.ts";
import { type Bench, type BenchOptions, onBench } from "./bench.ts";
import { bridgeOfHand, type HandBridge } from "./by_hand.ts";

/** Opens the socket of a service behind a server of the test's own, past the bridge's line. */
async function withStream(
  options: BenchOptions,
  serve: (peer: RawPeer) => Promise<void>,
  test: (conn: Deno.UnixConn, bench: Bench) => Promise<void>,
): Promise<void> {
  const server = rawServer(serve);
  try {
    await onBench({ ...options, services: { t: { port: server.port } } }, async (bench) => {
      const bridge = await bridgeOfHand(bench.folder);
      const conn = await openSocket(bridge);
      assertEquals(await readLine(conn), "ok");
      try {
        await test(conn, bench);
      } finally {
        conn.close();
        await bridge.end();
      }
    });
  } finally {
    await server.close();
  }
}

function openSocket({ sockets }: HandBridge, index = 0): Promise<Deno.UnixConn> {
  return Deno.connect({ transport: "unix", path: sockets[index] ?? "" });
}

async function readLine(conn: Deno.Conn): Promise<string> {
  let line = "";
  const byte = new Uint8Array(1);
  while (await conn.read(byte) !== null && byte[0] !== 10) {
    line += String.fromCharCode(byte[0] ?? 0);
  }
  return line;
}

async function readAll(conn: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(65536);
  let text = "";
  for (;;) {
    const count = await conn.read(buffer);
    if (count === null) return text;
    text += new TextDecoder("latin1").decode(buffer.subarray(0, count));
  }
}

Deno.test("bridge: what the service says first arrives whole behind the bridge's line", async () => {
  await withStream({}, (peer) => peer.send("hello\nok\n"), async (conn) => {
    assertEquals(await readAll(conn), "hello\nok\n");
  });
});

Deno.test("bridge: a half-close passes, and the answer to it comes back", async () => {
  let heard = "";
  const serve = async (peer: RawPeer): Promise<void> => {
    heard = await readAll(peer.conn);
    await peer.send(`you said ${heard}`);
  };
  await withStream({}, serve, async (conn) => {
    await conn.write(new TextEncoder().encode("all of it"));
    await conn.closeWrite();
    assertEquals(await readAll(conn), "you said all of it");
  });
});

Deno.test("bridge: the service's end passes while the agent may still speak", async () => {
  const heard = Promise.withResolvers<string>();
  const serve = async (peer: RawPeer): Promise<void> => {
    await (peer.conn as Deno.TcpConn).closeWrite();
    heard.resolve(await readAll(peer.conn));
  };
  await withStream({}, serve, async (conn) => {
    assertEquals(await readAll(conn), "");
    await conn.write(new TextEncoder().encode("last words"));
    await conn.closeWrite();
    assertEquals(await heard.promise, "last words");
  });
});

Deno.test("bridge: a reset of the service ends the agent's connection", async () => {
  const serve = async (peer: RawPeer): Promise<void> => {
    // Closing with unread bytes in the buffer resets the connection.
    await peer.conn.read(new Uint8Array(1));
  };
  await withStream({}, serve, async (conn) => {
    await conn.write(new Uint8Array(4096));
    assertEquals(await readAll(conn).catch(() => ""), "");
  });
});

Deno.test("bridge: an agent that does not read holds the service back, and memory stays flat", async () => {
  let sent = 0;
  const serve = async (peer: RawPeer): Promise<void> => {
    const chunk = new Uint8Array(1 << 20);
    for (let count = 0; count < 128; count += 1) {
      await peer.send(chunk);
      sent += chunk.length;
    }
  };
  await withStream({}, serve, async (conn, bench) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const early = sent;
    assert(early < 24 << 20, `${early} bytes went into a stream that nobody reads`);
    let received = 0;
    const buffer = new Uint8Array(1 << 20);
    for (let count = await conn.read(buffer); count !== null; count = await conn.read(buffer)) {
      received += count;
    }
    assertEquals(received, 128 << 20);
    const [pid] = bench.pids();
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    const kib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
    assert(kib < 160 * 1024, `the bridge took ${kib} KiB`);
  });
});

Deno.test("bridge: an agent that goes away during the dial leaves no connection behind", async () => {
  let ended = 0;
  const server = rawServer(async (peer) => {
    await readAll(peer.conn).catch(() => "");
    ended += 1;
  });
  await onBench(
    { dialTimeoutMs: 200, services: { late: { port: server.port, lateMs: 600 } } },
    async (bench) => {
      assert(await bench.ask("late") instanceof Error);
      await waitFor(
        "the late connection's end",
        30_000,
        () => Promise.resolve(ended === 1 || null),
      );
    },
  );
  await server.close();
});

Deno.test("bridge over dial(): a connection is closed once, also when the service ended first", async () => {
  const server = rawServer(async (peer) => {
    await peer.request();
    await peer.send(plainReply("{}"));
  });
  await onBench({ api: "dial", services: { brief: { port: server.port } } }, async (bench) => {
    const outcomes = [];
    for (let count = 0; count < 5; count += 1) outcomes.push(await bench.ask("brief"));
    assertEquals(outcomes, [200, 200, 200, 200, 200]);
    await waitFor(
      "the closes",
      30_000,
      async () =>
        (await bench.calls()).filter((call) => call === "close").length === 5 ? true : null,
    );
    assertEquals((await bench.calls()).filter((call) => call === "init").length, 1, "it crashed");
  });
  await server.close();
});

Deno.test("bridge over dial(): many at once are dialled one after the other", async () => {
  await onBench({ api: "dial" }, async (bench) => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => bench.ask()));
    assertEquals(outcomes, Array.from({ length: 12 }, () => 200));
  });
});

Deno.test("bridge over dial(): a failed dial among good ones is told of that one", async () => {
  await onBench({ api: "dial", services: { gone: { port: 1 } } }, async (bench) => {
    const bridge = await bridgeOfHand(bench.folder, ["t", "gone", "t"]);
    const conns = await Promise.all([0, 1, 2].map((index) => openSocket(bridge, index)));
    const lines = await Promise.all(conns.map(readLine));
    for (const conn of conns) conn.close();
    await bridge.end();
    assertEquals(lines.map((line) => line.split(" ", 2).join(" ")), [
      "ok",
      "error ZITI_SERVICE_UNAVAILABLE",
      "ok",
    ]);
  });
});

Deno.test("bridge: whatever passes through it, none of it is on its output", async () => {
  await onBench({}, async (bench) => {
    const bridge = await bridgeOfHand(bench.folder);
    const conn = await openSocket(bridge);
    await readLine(conn);
    await conn.write(new TextEncoder().encode("GET /CANARY HTTP/1.1\r\nx: CANARY\r\n\r\n"));
    await conn.read(new Uint8Array(100));
    conn.close();
    const output = await bridge.end();
    assertEquals(output.split("\n")[0], '{"say":"ready","api":"connect"}');
    const key = /pem:[^"]{60,120}/.exec(await Deno.readTextFile(bench.identity))?.[0] ?? "none";
    assert(!output.includes("CANARY") && !output.includes(key.slice(-40)), output);
  });
});
