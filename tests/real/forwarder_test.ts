/** The forwarder: what it counts, and how it misbehaves on demand. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { dockerRequest } from "../../scripts/lab/docker_api.ts";
import { Forwarder, type ForwarderOptions } from "../../scripts/lab/forwarder.ts";
import { HttpCounter } from "../../scripts/lab/http_counter.ts";
import { readLab } from "../../scripts/lab/info.ts";
import { sleep } from "../../scripts/lab/wait.ts";

const BODY = "x".repeat(1_000_000);

/** Runs a test against a forwarder in front of an HTTP server that answers `BODY`. */
async function withServer(
  run: (forwarder: Forwarder, get: () => Promise<Response>) => Promise<void>,
  options: Partial<ForwarderOptions> = {},
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (r) => {
    await r.arrayBuffer();
    return new Response(BODY);
  });
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const target = { hostname: "127.0.0.1", port: server.addr.port };
  const forwarder = new Forwarder({ target, ...options });
  try {
    await run(
      forwarder,
      () => fetch(`http://${forwarder.address}/`, { client, signal: AbortSignal.timeout(60_000) }),
    );
  } finally {
    client.close();
    await forwarder.close();
    await server.shutdown();
  }
}

Deno.test("forwarder: bytes pass unchanged and are counted", async () => {
  await withServer(async (forwarder, get) => {
    assertEquals(await (await get()).text(), BODY);
    assertEquals(forwarder.counts.connections, 1);
    assert(forwarder.counts.bytesDown > BODY.length && forwarder.counts.bytesUp > 0);
    assertEquals(forwarder.counts.requests, ["GET / HTTP/1.1"]);
    forwarder.resetCounts();
    assertEquals(forwarder.counts.bytesDown, 0);
  }, { countHttp: true });
});

Deno.test("forwarder: a delay makes every answer late, and a long one no later", async () => {
  await withServer(async (forwarder, get) => {
    // Each piece of 64 KiB late behind the one before it would take sixteen times as long.
    forwarder.faults.delayMs = 1_000;
    const start = performance.now();
    assertEquals((await (await get()).text()).length, BODY.length);
    const ms = performance.now() - start;
    assert(ms >= 2_000 && ms < 12_000, `${ms} ms`);
  });
});

Deno.test("forwarder: closing does not wait for bytes that are late", async () => {
  const start = performance.now();
  await withServer(async (forwarder, get) => {
    forwarder.faults.delayMs = 60_000;
    const answer = get();
    const failed = assertRejects(() => answer, TypeError);
    while (forwarder.counts.connections === 0) await new Promise((done) => setTimeout(done, 5));
    await forwarder.close();
    await failed;
  });
  assert(performance.now() - start < 30_000);
});

Deno.test("forwarder: an answer is cut after so many bytes", async () => {
  await withServer(async (forwarder, get) => {
    forwarder.faults.cutDownAfter = 5_000;
    const response = await get();
    await assertRejects(() => response.text(), TypeError);
    assertEquals(forwarder.counts.bytesDown, 5_000);
  });
});

Deno.test("forwarder: a request is cut after so many bytes", async () => {
  await withServer(async (forwarder, get) => {
    forwarder.faults.cutUpAfter = 10;
    await assertRejects(get, TypeError);
    assertEquals(forwarder.counts.bytesUp, 10);
  });
});

Deno.test("forwarder: it refuses, resets, stays silent, and heals", async () => {
  await withServer(async (forwarder, get) => {
    const message = async (): Promise<string> => {
      const error = await assertRejects(get, TypeError);
      return Deno.inspect(error);
    };
    const { port } = forwarder;
    await forwarder.refuse();
    assert(/refused/.test(await message()));
    await forwarder.heal();
    assertEquals(forwarder.port, port);
    await forwarder.reset();
    assert(/reset/.test(await message()));
    await forwarder.heal();
    forwarder.faults.silent = true;
    const url = `http://${forwarder.address}/`;
    const signal = AbortSignal.timeout(200);
    await assertRejects(() => fetch(url, { signal }), DOMException, "timeout");
    await forwarder.heal();
    assertEquals((await (await get()).text()).length, BODY.length);
  });
});

Deno.test("forwarder: it heals once its port is free, which others may have had meanwhile", async () => {
  await withServer(async (forwarder, get) => {
    const { port } = forwarder;
    await forwarder.refuse();
    const other = Deno.listen({ hostname: "127.0.0.1", port });
    const healed = forwarder.heal().then(() => "healed");
    assertEquals(await Promise.race([healed, sleep(300).then(() => "waits")]), "waits");
    other.close();
    assertEquals([await healed, forwarder.port], ["healed", port]);
    assertEquals((await (await get()).text()).length, BODY.length);
  });
});

Deno.test("forwarder: requests on the Docker socket are counted", async () => {
  const lab = await readLab();
  assert(lab !== null);
  const folder = await Deno.makeTempDir();
  const path = `${folder}/docker.sock`;
  const forwarder = new Forwarder({
    target: { path: lab.docker.socket },
    listen: { path },
    countHttp: true,
  });
  try {
    assertEquals((await dockerRequest(path, "GET", "/_ping")).text, "OK");
    await dockerRequest(path, "POST", "/images/create?fromImage=", { body: "x".repeat(100_000) });
    assertEquals(forwarder.counts.requests.map((line) => line.split(" ")[0]), ["GET", "POST"]);
  } finally {
    await forwarder.close();
  }
  await assertRejects(() => Deno.stat(path), Deno.errors.NotFound);
  await Deno.remove(folder);
});

Deno.test("forwarder: request lines are found between bodies, however the bytes are split", () => {
  const wire = new TextEncoder().encode(
    "POST /a HTTP/1.1\r\nContent-Length: 20\r\n\r\nGET /no HTTP/1.1\r\n\r\n" +
      "PUT /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" +
      "3;ext=1\r\nabc\r\n12\r\nGET /no HTTP/1.1\r\n\r\n0\r\nTrailer: x\r\n\r\n" +
      "GET /c HTTP/1.0\r\n\r\n" +
      "POST /attach HTTP/1.1\r\nUpgrade: tcp\r\n\r\nGET /no HTTP/1.1\r\n\r\n",
  );
  for (const size of [1, 2, 7, 64, wire.length]) {
    const lines: string[] = [];
    const counter = new HttpCounter((line) => lines.push(line));
    for (let at = 0; at < wire.length; at += size) counter.push(wire.subarray(at, at + size));
    assertEquals(lines, [
      "POST /a HTTP/1.1",
      "PUT /b HTTP/1.1",
      "GET /c HTTP/1.0",
      "POST /attach HTTP/1.1",
    ], `in pieces of ${size}`);
  }
});

Deno.test("forwarder: what is no HTTP is not counted", () => {
  const lines: string[] = [];
  const counter = new HttpCounter((line) => lines.push(line));
  counter.push(new Uint8Array(100_000).fill(22));
  counter.push(new TextEncoder().encode("\r\n\r\nGET / HTTP/1.1\r\n\r\n"));
  assertEquals(lines, []);
});
