/**
 * Every row of what was measured on a real overlay with the real addon (facts: ziti §9), replayed by
 * the stand-in. Where each row is shown; "here" is this file.
 *
 * | what was measured of the addon | shown in |
 * | --- | --- |
 * | loads in 11–22 ms, logs in within 150 ms; one login serves many dials | life_test: one bridge and one login |
 * | connect(): GET, TLS with names and CA checked, 32 MiB | tests/io/transport_sdk_test.ts |
 * | memory and descriptors stay flat over 300 requests | here |
 * | memory grows little over 64 MiB of one stream | stream_test: an agent that does not read |
 * | nothing on standard output; lines on standard error for a failed dial | here; stream_test: none of it is on its output |
 * | never exits by itself; `shutdown` is not exported, the raw one works | here; life_test: it says goodbye |
 * | connect() before the login ends: SIGSEGV | here |
 * | login: file missing, bad JSON: rejects with a number | here (gone after the agent looked); faults_test (before) |
 * | login: bad key: rejects without a number, and the process hangs | faults_test |
 * | login: controller down or identity deleted: never settles | faults_test |
 * | login: controller back: it settles late | here |
 * | dial: unknown service, no policy at login | faults_test |
 * | dial: no terminator, upstream down, policy gone: a text without a number, 1 ms – 6.8 s | faults_test; here (late) |
 * | dial: host frozen, controller killed: the same text after 10 s, 30 s | here (after the deadline) |
 * | dial: router down: the callback never comes; back later: it fails late | faults_test; here |
 * | half a body, EOF | stream_test: a half-close passes, the service's end passes |
 * | EOF never arrives behind a plain host; upstream silent | here: the agent's own deadline |
 * | loaded in the agent's runtime: SIGSEGV | here: nothing of the agent names the package |
 *
 * And of what stands around it: killed, hung, crashed, and kill -9 of the agent: life_test. Garbage on
 * its pipe, addon missing, Node missing, identity missing, half written, expired: faults_test;
 * replaced: life_test. The agent's memory under garbage without end, and its exit: here. No process,
 * zombie or socket left: the bench insists on it after each test.
 */

import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { testRequest } from "../io/http_setup.ts";
import { rawServer } from "../io/raw_server.ts";
import { inOwnProcess } from "../support/own_process.ts";
import { type Bench, onBench, socketsIn, withinTwoSeconds } from "./bench.ts";
import { identityText, installBridge, nodePath } from "./install.ts";

const logins = (calls: readonly string[]): number => calls.filter((each) => each === "init").length;

async function failureOf(bench: Bench, service?: string, timeoutMs?: number): Promise<AgentError> {
  const failure = await bench.ask(service, timeoutMs);
  assertInstanceOf(failure, AgentError, String(failure));
  return failure;
}

/** What the kernel says of the bench's one bridge. */
async function sizeOf(bench: Bench): Promise<{ readonly kib: number; readonly files: number }> {
  const [pid] = bench.pids();
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const files = await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`));
  return { kib: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]), files: files.length };
}

/** Waits until the bridge has so few descriptors: a bare one has 24 to 30. */
async function settled(bench: Bench, atMost: number): Promise<void> {
  await waitFor(
    "the connections' end",
    30_000,
    async () => (await sizeOf(bench)).files <= atMost || null,
  );
}

for (const api of ["connect", "dial"] as const) {
  Deno.test(`bridge over ${api}(): memory and descriptors stay flat over 300 requests`, async () => {
    await onBench({ api }, async (bench) => {
      const ask = async (count: number): Promise<void> => {
        for (let done = 0; done < count; done += 5) {
          const outcomes = await Promise.all(Array.from({ length: 5 }, () => bench.ask()));
          assertEquals(outcomes, [200, 200, 200, 200, 200]);
          // The old API knows no half-close: a connection lingers for half a second, and 64 are taken.
          if (api === "dial" && (await sizeOf(bench)).files > 70) await settled(bench, 50);
        }
      };
      await ask(100);
      await settled(bench, 30);
      const before = await sizeOf(bench);
      await ask(200);
      await settled(bench, before.files + 2);
      const after = await sizeOf(bench);
      assert(after.kib < before.kib + 24 * 1024, `${before.kib} KiB, then ${after.kib} KiB`);
      assertEquals(logins(await bench.calls()), 1);
    });
  });
}

Deno.test("bridge: nothing is dialled before the login ended: until then there is no socket", async () => {
  for (const api of ["connect", "dial"] as const) {
    // The stand-in crashes, as the addon does, when it is dialled before.
    const gate = await Deno.makeTempFile({ prefix: "login_" });
    await Deno.remove(gate);
    await onBench({ api, login: { until: gate } }, async (bench) => {
      const asked = [bench.ask(), bench.ask()];
      await waitFor("the login", 30_000, async () => logins(await bench.calls()) === 1 || null);
      await new Promise((resolve) => setTimeout(resolve, 300));
      assertEquals(socketsIn(`${bench.folder}/.run`), []);
      await Deno.writeTextFile(gate, "");
      assertEquals(await Promise.all(asked), [200, 200]);
      assertEquals(logins(await bench.calls()), 1, "it crashed");
    });
    await Deno.remove(gate);
  }
});

Deno.test("bridge: a login that settles late is waited for, within its deadline", async () => {
  await onBench({ login: { ms: 1_200 }, loginTimeoutMs: 20_000 }, async (bench) => {
    assertEquals(await bench.ask(), 200);
  });
});

Deno.test("bridge: after a login that never settled the next dial logs in anew", async () => {
  await onBench({ login: { never: true }, loginTimeoutMs: 2_500 }, async (bench) => {
    assertEquals((await failureOf(bench)).code, "ZITI_TIMEOUT");
    await bench.change({});
    assertEquals(await bench.ask(), 200);
  });
});

Deno.test("bridge: an identity that went away after the agent looked: ZITI_IDENTITY with the addon's number", async () => {
  await onBench({ login: { reject: "Configuration not found", code: -1 } }, async (bench) => {
    const failure = await failureOf(bench);
    assertEquals(failure.code, "ZITI_IDENTITY");
    assertStringIncludes(failure.message, "(status -1)");
  });
});

Deno.test("bridge: a dial that fails late, with a text alone and noise: its code, and the next one works", async () => {
  await onBench({ services: { slow: { failMs: 700 } } }, async (bench) => {
    const from = performance.now();
    const failure = await failureOf(bench, "slow");
    assertEquals(failure.code, "ZITI_SERVICE_UNAVAILABLE");
    assert(performance.now() - from >= 650, "it did not wait for the addon's word");
    assertEquals(await bench.ask(), 200);
  });
});

Deno.test("bridge: a dial that fails after its deadline is ZITI_TIMEOUT, and its late word harms nobody", async () => {
  await onBench(
    { dialTimeoutMs: 2_000, services: { frozen: { failMs: 2_800 } } },
    async (bench) => {
      // The late word would have been ZITI_SERVICE_UNAVAILABLE.
      assertEquals((await failureOf(bench, "frozen")).code, "ZITI_TIMEOUT");
      const before = bench.pids();
      await waitFor(
        "the late word",
        30_000,
        async () => (await bench.calls()).includes("failed frozen") || null,
      );
      assertEquals((await failureOf(bench, "frozen")).code, "ZITI_TIMEOUT");
      assertEquals(bench.pids(), before);
      assertEquals(logins(await bench.calls()), 1);
    },
  );
});

Deno.test("bridge: a service that takes the request and never ends: the agent's own deadline", async () => {
  for (
    const [what, reply] of [["says nothing", ""], [
      "stops in the body",
      "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
    ]] as const
  ) {
    const server = rawServer(async (peer) => {
      await peer.request();
      if (reply !== "") await peer.send(reply);
      await peer.drain();
    });
    await onBench({ services: { mute: { port: server.port } } }, async (bench) => {
      const from = performance.now();
      const failure = await failureOf(bench, "mute", 1_200);
      assertEquals(failure.code, "TENANCY_TIMEOUT", what);
      // The bridge's own deadlines are longer, and do not hold for what is dialled.
      assert(performance.now() - from < 15_000, what);
      assertEquals(await bench.ask(), 200);
    });
    await server.close();
  }
});

Deno.test("bridge: garbage without end is cut off, and the agent's memory stays flat", async () => {
  await onBench({ login: { flood: 256 << 20 } }, async ({ folder }) => {
    const { code, grown } = await inOwnProcess<{ readonly code: string; readonly grown: number }>(
      new URL("flooded_agent.ts", import.meta.url),
      { node: await nodePath(), folder, timeoutMs: 30_000 },
    );
    // Not TENANCY_TIMEOUT: it is cut off long before the exchange's own deadline.
    assertEquals(code, "ZITI_BRIDGE_FAILED");
    assert(grown < 48 << 20, `the agent grew by ${grown >> 20} MiB`);
  });
});

Deno.test("bridge: it never exits by itself, and a process that ends takes it along", async () => {
  const folder = await Deno.makeTempDir({ prefix: "bridge_" });
  const bridge = await installBridge(folder, { services: { t: { fault: "never" } } });
  await Deno.writeTextFile(`${folder}/identity.json`, await identityText());
  // The agent waits 30 s for an answer; it is told to end at once, as systemd does.
  const agent = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "-A", "--no-check", new URL("lone_agent.ts", import.meta.url).pathname],
      JSON.stringify({ node: await nodePath(), bridge, folder, service: "t" }),
    ],
    stdin: "null",
    stdout: "null",
  }).spawn();
  await waitFor(
    "the bridge",
    60_000,
    () => Promise.resolve(socketsIn(`${folder}/.run`).length === 2 || null),
  );
  agent.kill("SIGTERM");
  const { signal } = await agent.status;
  assertEquals(signal, "SIGTERM");
  await withinTwoSeconds("the bridge's end", () => socketsIn(`${folder}/.run`).length === 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("bridge: nothing of the agent names the addon's package, which would end its runtime", async () => {
  const named: string[] = [];
  const look = async (folder: URL): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = new URL(isDirectory ? `${name}/` : name, folder);
      if (isDirectory) await look(path);
      else if (/import[^;]*ziti-sdk-nodejs|npm:@openziti/.test(await Deno.readTextFile(path))) {
        named.push(path.pathname);
      }
    }
  };
  await look(new URL("../../src/", import.meta.url));
  const config = await Deno.readTextFile(new URL("../../deno.json", import.meta.url));
  assertEquals([named, config.includes("ziti-sdk")], [[], false]);
});

Deno.test("bridge: an exchange after the last dial's failure is not sent twice", async () => {
  await onBench({ services: { gone: { port: 1 } } }, async (bench) => {
    await failureOf(bench, "gone");
    const reply = await bench.http.request(testRequest({ method: "POST", target: "/once" }));
    assertEquals(reply.status, 200);
    assertEquals(bench.server.requests.filter((each) => each.includes("/once")).length, 1);
  });
});
