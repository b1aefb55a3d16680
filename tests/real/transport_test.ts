/** Whole ticks over the transports `system` and `sdk`, on the lab's real OpenBao and Engine. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { pidsOf, socketsIn, withinTwoSeconds } from "../bridge/bench.ts";
import { changeStandin, identityText, installBridge, nodePath } from "../bridge/install.ts";
import type { StandinOptions } from "../bridge/install.ts";
import { onBox, runningBundle } from "../support/boxes.ts";
import { startMesh } from "../support/box_mesh.ts";
import { NEEDS_NAMESPACE } from "../support/namespace.ts";

/** Deploys a release with a secret, then converges: one request each, no child, no write. */
async function deployAndConverge(box: Box, enter?: readonly string[]): Promise<void> {
  const options = enter === undefined ? {} : { enter };
  await box.secret("key", { value: "first value" });
  await box.reveal();
  await box.tenancy.publish(box.env, runningBundle("1"));
  const first = await box.tick([], options);
  assertEquals(first.code, 0, first.stderr);
  assertEquals((await box.containers()).map(({ State }) => State), ["running"]);
  assertEquals(box.tenancy.record.reports.map(({ result }) => result), ["applied"]);
  const second = await box.tick([], options);
  assertEquals(second.code, 0, second.stderr);
  assertEquals([second.requests.tenancy, second.requests.docker], [1, 1], second.stderr);
  // With sdk the bridge's sockets come and go; nothing else may.
  const writes = second.writes.filter((path) => path !== `${box.stateDir}/.run`);
  assertEquals([second.children, writes], [[], []]);
}

Deno.test({
  name: "system: a tick deploys through intercepted names, and the next one finds nothing to do",
  ...NEEDS_NAMESPACE,
  fn: async () => {
    await onBox(async (box) => {
      await box.configure({ transport: "system" });
      const mesh = await startMesh(box);
      try {
        await deployAndConverge(box, mesh.enter);
        const outsideOfIt = await box.tick();
        assertEquals(outsideOfIt.code, 75, outsideOfIt.stderr);
        assertStringIncludes(outsideOfIt.stderr, "nobody knows the name of monky.tenancy.deploy");
      } finally {
        await mesh.end();
      }
    });
  },
});

interface SdkBox {
  readonly box: Box;
  readonly bridgeHome: string;
  readonly calls: () => Promise<readonly string[]>;
  readonly change: (standin: Partial<StandinOptions>) => Promise<void>;
  readonly left: () => { readonly pids: readonly number[]; readonly sockets: readonly string[] };
}

const NOTHING = { pids: [], sockets: [] };

async function onSdkBox(test: (sdk: SdkBox) => Promise<void>): Promise<void> {
  await onBox(async (box) => {
    await box.secret("key", { value: "first value" });
    const bridgeHome = `${box.dir}/mesh`;
    const full = (changes: Partial<StandinOptions>): StandinOptions => ({
      services: {
        "monky.tenancy.deploy": { port: box.paths.tenancy.port },
        openbao: { port: box.paths.bao.port },
      },
      marker: `${bridgeHome}/calls`,
      ...changes,
    });
    const bridge = await installBridge(bridgeHome, full({}));
    await Deno.writeTextFile(`${bridgeHome}/identity.json`, await identityText(), { mode: 0o600 });
    await box.configure({
      transport: "sdk",
      interval_s: 1,
      identity: `${bridgeHome}/identity.json`,
      sdk: { node: await nodePath(), bridge },
    });
    await test({
      box,
      bridgeHome,
      calls: async () =>
        (await Deno.readTextFile(`${bridgeHome}/calls`)).split("\n").filter(Boolean),
      change: (changes) => changeStandin(bridgeHome, full(changes)),
      left: () => ({ pids: pidsOf(bridgeHome), sockets: socketsIn(`${box.stateDir}/.run`) }),
    });
  });
}

for (const api of ["connect", "dial"] as const) {
  Deno.test(`sdk over ${api}(): a tick deploys through its bridge, and leaves none behind`, async () => {
    await onSdkBox(async ({ box, calls, change, left }) => {
      await change({ api });
      await deployAndConverge(box);
      const logins = (await calls()).filter((call) => call === "init");
      assertEquals([logins.length, left()], [2, NOTHING]);
    });
  });
}

Deno.test("sdk: run keeps one bridge over its ticks, and takes it along at SIGTERM", async () => {
  await onSdkBox(async ({ box, calls, left }) => {
    await box.reveal();
    await box.tenancy.publish(box.env, runningBundle("1"));
    const running = await box.start(["run"]);
    const checkins = (): number =>
      box.tenancy.record.requests.filter(({ call }) => call === "checkin").length;
    await waitFor("three ticks", 60_000, () => Promise.resolve(checkins() >= 3 ? true : null));
    assertEquals((await calls()).filter((call) => call === "init").length, 1);
    assertEquals(left().pids.length, 1);
    running.kill("SIGTERM");
    const { code, stderr } = await running.ended;
    assertEquals([code, left()], [0, NOTHING], stderr);
    assertEquals((await calls()).at(-1), "shutdown");
  });
});

Deno.test("sdk: a mesh that is away, or an identity, is exit 75 with its code", async () => {
  await onSdkBox(async ({ box, bridgeHome, change, left }) => {
    await change({ login: { reject: "x", code: -16 } });
    await box.reveal();
    const away = await box.tick();
    assertEquals(away.code, 75, away.stderr);
    assertStringIncludes(away.stderr, "ZITI_UNAVAILABLE");
    await Deno.remove(`${bridgeHome}/identity.json`);
    const without = await box.tick();
    assertEquals(without.code, 75, without.stderr);
    assertStringIncludes(without.stderr, "ZITI_IDENTITY");
    assertEquals(left(), NOTHING);
  });
});

Deno.test("sdk: kill -9 in the middle of a tick leaves no bridge after 2 s, and the next one converges", async () => {
  await onSdkBox(async ({ box, left }) => {
    await box.reveal();
    await box.tenancy.publish(box.env, runningBundle("1"));
    box.tenancy.faults.arm({ kind: "slow", call: "checkin", ms: 60_000, times: 1 });
    const dying = await box.start(["tick"]);
    await box.tenancy.record.waitFor(
      (record) => record.requests.find(({ call }) => call === "checkin"),
      60_000,
    );
    assert(left().pids.length === 1, "there was no bridge to be left");
    dying.kill("SIGKILL");
    await dying.ended;
    await withinTwoSeconds(
      "the bridge's end",
      () => left().pids.length + left().sockets.length === 0,
    );
    const next = await box.tick();
    assertEquals([next.code, left()], [0, NOTHING], next.stderr);
  });
});
