/**
 * The bridge's life: started by the first dial, kept, started anew when it must be, and gone with
 * the agent, however that ends. The bench insists after each test that nothing is left.
 */

import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { waitFor } from "../../scripts/lab/wait.ts";
import { AgentError } from "../../src/errors.ts";
import { ask, onBench, pidsOf, socketsIn, withinTwoSeconds } from "./bench.ts";
import { testRequest } from "../io/http_setup.ts";
import { identityText, installBridge, nodePath } from "./install.ts";

const logins = (calls: readonly string[]): number => calls.filter((each) => each === "init").length;

Deno.test("bridge: nothing is started before the first dial, and closing then ends nothing", async () => {
  await onBench({}, (bench) => {
    assertEquals(bench.pids(), []);
    return Promise.resolve();
  });
});

Deno.test("bridge: one bridge and one login serve many exchanges, sockets are private", async () => {
  await onBench({}, async (bench) => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => bench.ask()),
    );
    assertEquals(outcomes, Array.from({ length: 20 }, () => 200));
    assertEquals(logins(await bench.calls()), 1);
    assertEquals(bench.pids().length, 1);
    assertEquals(bench.sockets(), ["bao.sock", "tenancy.sock"]);
    const modes = [".run", ".run/tenancy.sock", ".run/bao.sock"].map((path) =>
      (Deno.statSync(`${bench.folder}/${path}`).mode ?? 0) & 0o777
    );
    assertEquals(modes, [0o700, 0o600, 0o600]);
  });
});

Deno.test("bridge: it says goodbye to the mesh, and a dial after the end is refused", async () => {
  await onBench({}, async (bench) => {
    assertEquals(await bench.ask(), 200);
    await bench.http.close();
    assertEquals((await bench.calls()).at(-1), "shutdown");
    const failure = await bench.ask();
    assertInstanceOf(failure, AgentError);
    assertEquals([failure.code, bench.pids()], ["INTERRUPTED", []]);
  });
});

Deno.test("bridge: closing does not wait for a login that hangs", async () => {
  for (const login of [{ never: true }, { block: true }] as const) {
    await onBench({ login, loginTimeoutMs: 20_000 }, async (bench) => {
      const failure = await bench.ask("t", 500);
      assertInstanceOf(failure, AgentError);
      assertEquals([failure.code, failure.data["phase"]], [
        "TENANCY_TIMEOUT",
        "dial",
      ]);
      const from = performance.now();
      await bench.http.close();
      assert(performance.now() - from < 10_000, "it waited for the login");
    });
  }
});

Deno.test("bridge: what a package prints through the console does not disturb it", async () => {
  await onBench({ say: "hello from a package" }, async (bench) => {
    assertEquals(await bench.ask(), 200);
  });
});

Deno.test("bridge: killed, the next dial starts another one", async () => {
  await onBench({}, async (bench) => {
    assertEquals(await bench.ask(), 200);
    const killed = bench.pids();
    for (const pid of killed) Deno.kill(pid, "SIGKILL");
    // Its sockets close after its memory is gone, and it is waited for after that.
    await waitFor(
      "its end",
      30_000,
      () => Promise.resolve(killed.some(isThere) ? null : true),
    );
    assertEquals(await bench.ask(), 200);
    assertEquals(logins(await bench.calls()), 2);
  });
});

Deno.test("bridge: crashed in one dial, the next dial has another bridge", async () => {
  await onBench({ services: { bad: { fault: "crash" } } }, async (bench) => {
    assertInstanceOf(await bench.ask("bad"), AgentError);
    assertEquals(await bench.ask("t"), 200);
  });
});

Deno.test("bridge: hung, a dial is ZITI_BRIDGE_FAILED in time and the next one has another bridge", async () => {
  // The dials that are good must not meet it, so it is no shorter.
  await onBench({ dialTimeoutMs: 2_500 }, async (bench) => {
    assertEquals(await bench.ask(), 200);
    for (const pid of bench.pids()) Deno.kill(pid, "SIGSTOP");
    const from = performance.now();
    const failure = await bench.ask();
    assertInstanceOf(failure, AgentError);
    assertEquals(failure.code, "ZITI_BRIDGE_FAILED");
    assert(performance.now() - from < 30_000, "it waited for the exchange's own deadline");
    assertEquals(await bench.ask(), 200);
  });
});

Deno.test("bridge: signals to the whole group do not end it in the middle of a tick", async () => {
  await onBench({}, async (bench) => {
    assertEquals(await bench.ask(), 200);
    const before = bench.pids();
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      for (const pid of before) Deno.kill(pid, signal);
    }
    assertEquals(await bench.ask(), 200);
    assertEquals(bench.pids(), before);
  });
});

Deno.test("bridge: an identity away for a moment is read again", async () => {
  await onBench({}, async (bench) => {
    const text = await Deno.readTextFile(bench.identity);
    await Deno.writeTextFile(bench.identity, text.slice(0, 100));
    const asked = bench.ask();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await Deno.writeTextFile(bench.identity, text);
    assertEquals(await asked, 200);
  });
});

Deno.test("bridge: a replaced identity is logged in with by the next dial, one that is away is not missed", async () => {
  await onBench({}, async (bench) => {
    assertEquals(await bench.ask(), 200);
    await Deno.rename(bench.identity, `${bench.identity}.bak`);
    assertEquals(await bench.ask(), 200);
    assertEquals(logins(await bench.calls()), 1);
    await Deno.writeTextFile(bench.identity, await identityText());
    assertEquals(await bench.ask(), 200);
    assertEquals(logins(await bench.calls()), 2);
    assertEquals(bench.pids().length, 1);
  });
});

Deno.test("bridge: a replaced identity waits for the connections that are in use", async () => {
  await onBench({}, async (bench) => {
    assertEquals(await bench.ask(), 200);
    const before = bench.pids();
    const slow = bench.http.request(testRequest({ target: "/slow", timeoutMs: 60_000 }));
    await waitFor(
      "the request",
      30_000,
      () =>
        Promise.resolve(
          bench.server.requests.some((each) => each.includes("/slow")) || null,
        ),
    );
    await Deno.writeTextFile(bench.identity, await identityText());
    assertEquals(await bench.ask(), 200);
    assertEquals(bench.pids(), before);
    bench.answerSlow();
    assertEquals((await slow).status, 200);
    assertEquals(await bench.ask(), 200);
    assert(bench.pids()[0] !== before[0], "the old bridge serves on");
  });
});

Deno.test("bridge: a certificate with few days left is warned of once a bridge", async () => {
  await onBench({}, async (bench) => {
    assertEquals(await bench.ask(), 200);
    assertEquals(bench.warned, []);
    await Deno.writeTextFile(
      bench.identity,
      await shortLivedIdentity(bench.folder),
    );
    assertEquals([await bench.ask(), await bench.ask()], [200, 200]);
    assertEquals(bench.warned, [9]);
  });
});

Deno.test("bridge: two agents of one state folder do not disturb each other", async () => {
  await onBench({}, async (bench) => {
    assertEquals(await bench.ask(), 200);
    const other = bench.another();
    assertEquals(await ask(other), 200);
    assertEquals(await bench.ask(), 200);
    await other.close();
    assertEquals(bench.sockets(), []);
    assertEquals(await bench.ask(), 200);
    assertEquals(bench.sockets(), ["bao.sock", "tenancy.sock"]);
    assertEquals(logins(await bench.calls()), 2);
  });
});

Deno.test("bridge: a folder that is open to others is closed before anything lies in it", async () => {
  await onBench({}, async (bench) => {
    await Deno.mkdir(`${bench.folder}/.run`, { mode: 0o755 });
    assertEquals(await bench.ask(), 200);
    const { mode } = await Deno.stat(`${bench.folder}/.run`);
    assertEquals((mode ?? 0) & 0o777, 0o700);
  });
});

for (
  const [what, services] of [
    ["between two dials", {}],
    ["while the addon holds the bridge's main thread", {
      block: { fault: "block" },
    }],
  ] as const
) {
  Deno.test(`bridge: kill -9 of the agent ${what} leaves no bridge after 2 s`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "bridge_" });
    const marker = `${folder}/calls`;
    const bridge = await installBridge(folder, {
      services: { t: { fault: "never" }, ...services },
      marker,
    });
    const service = Object.keys(services)[0] ?? "t";
    await Deno.writeTextFile(`${folder}/identity.json`, await identityText());
    const agent = new Deno.Command(Deno.execPath(), {
      args: [
        ...[
          "run",
          "-q",
          "-A",
          "--no-check",
          new URL("lone_agent.ts", import.meta.url).pathname,
        ],
        JSON.stringify({
          node: await nodePath(),
          bridge,
          folder,
          service,
        }),
      ],
      stdin: "null",
      stdout: "null",
    }).spawn();
    await waitFor(
      "the bridge's dial",
      60_000,
      async () => (await Deno.readTextFile(marker)).includes(`connect ${service}\n`) || null,
    );
    assertEquals([pidsOf(folder).length, socketsIn(`${folder}/.run`).length], [1, 2]);
    agent.kill("SIGKILL");
    await agent.status;
    await withinTwoSeconds("the bridge's end", () => pidsOf(folder).length === 0);
    assertEquals(socketsIn(`${folder}/.run`), []);
    await Deno.remove(folder, { recursive: true });
  });
}

/** Whether a process is there, if only as a zombie. */
function isThere(pid: number): boolean {
  try {
    return Deno.statSync(`/proc/${pid}`).isDirectory;
  } catch {
    return false;
  }
}

/** An identity whose certificate ends in a little less than ten days. */
async function shortLivedIdentity(folder: string): Promise<string> {
  const args = [
    ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 10 -subj /CN=x"
      .split(
        " ",
      ),
    ...["-keyout", `${folder}/k.pem`, "-out", `${folder}/c.pem`],
  ];
  const { success } = await new Deno.Command("openssl", {
    args,
    stderr: "null",
  }).output();
  assert(success, "openssl");
  const [cert, key] = ["c.pem", "k.pem"].map((name) => Deno.readTextFileSync(`${folder}/${name}`));
  return JSON.stringify({
    ztAPI: "https://c",
    id: { cert: `pem:${cert}`, key: `pem:${key}` },
  });
}
