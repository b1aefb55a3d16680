/**
 * OpenBao sealed, stopped, restarted, rate limited, slow, silent and cut off under a box that runs:
 * each ends the tick by the table of codes, touches no container, costs no lease and no report, and
 * the next healthy tick converges (SPEC §4, §5).
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box, BoxOptions, ConfigChange } from "../../scripts/box/box.ts";
import { type BaoHandle, removeQuota, seal, setQuota, unseal } from "../../scripts/lab/mod.ts";
import { stopProcess } from "../../scripts/lab/process.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { onBox, onRunningBox } from "../support/boxes.ts";
import { webBundle } from "../support/bundles.ts";
import { waitLeaderless, withBao, withBaoCluster, writeStatus } from "../support/own_bao.ts";
import { rememberingLookup } from "../support/remembering_lookup.ts";

/** For what ends by a limit alone: whatever must succeed has the time that a busy machine takes. */
const SHORT: ConfigChange = { bao: { timeout_s: 2 }, timeouts: { secrets_s: 3 } };

/** A release that differs from the one before in a file that no service sees. */
function nextRelease(note: string): ReturnType<typeof webBundle> {
  const entries = [{ var: "KEY", path: "key", version: 1 }, { var: "LONG", path: "long" }];
  return webBundle({ revision: "1", entries, files: { "note.txt": note } });
}

async function ids(box: Box): Promise<readonly string[]> {
  return (await box.containers()).map(({ Id, State }) => `${Id} ${State}`);
}

/** What is done to OpenBao or to the way to it, and how the tick must end. */
interface Outage {
  readonly name: string;
  readonly says: string;
  /** What of the config is another one for as long as it lasts. */
  readonly config?: ConfigChange;
  begin(box: Box, bao: BaoHandle): unknown;
  end(box: Box, bao: BaoHandle): unknown;
}

const heal = (box: Box): unknown => box.paths.bao.heal();

const OUTAGES: readonly Outage[] = [
  {
    name: "sealed",
    says: "BAO_SEALED",
    begin: (_, bao) => seal(bao),
    end: (_, bao) => unseal(bao),
  },
  {
    name: "stopped, then started again",
    says: "BAO_UNAVAILABLE",
    begin: (_, bao) => stopProcess(bao.process),
    end: (_, bao) => bao.restart(),
  },
  {
    name: "restarted and still sealed",
    says: "BAO_SEALED",
    begin: (_, bao) => bao.restart({ unseal: false }),
    end: (_, bao) => unseal(bao),
  },
  {
    name: "a way that refuses connections",
    says: "phase=dial",
    begin: (box) => box.paths.bao.refuse(),
    end: heal,
  },
  {
    name: "a way that resets connections",
    says: "BAO_UNAVAILABLE",
    begin: (box) => box.paths.bao.reset(),
    end: heal,
  },
  {
    name: "silent",
    says: "BAO_TIMEOUT",
    config: SHORT,
    begin: (box) => {
      box.paths.bao.faults.silent = true;
    },
    end: heal,
  },
  {
    name: "too slow",
    says: "BAO_TIMEOUT",
    config: SHORT,
    begin: (box) => {
      box.paths.bao.faults.delayMs = 1500;
    },
    end: heal,
  },
  {
    name: "cut off in the handshake",
    says: "BAO_UNAVAILABLE",
    begin: (box) => {
      box.paths.bao.faults.cutDownAfter = 100;
    },
    end: heal,
  },
  {
    name: "cut off in the middle of an answer",
    says: "phase=body",
    begin: async (box) => {
      // In the long secret, which takes several records of TLS.
      box.paths.bao.faults.cutDownAfter = await bytesOfOneReading(box) - 20_000;
    },
    end: heal,
  },
  ...[true, false].map((headers): Outage => ({
    name: `a rate limit ${headers ? "with" : "without"} Retry-After that outlasts the step`,
    says: "BAO_RATE_LIMITED",
    config: SHORT,
    begin: async (box, bao) => {
      await setQuota(bao, { name: "outage", path: "monky/", rate: 1, interval: "60s" }, headers);
      // Somebody else behind the same address has used the limit up: this uses it up.
      await box.tick(["--now"]);
    },
    end: (_, bao) => removeQuota(bao, "outage"),
  })),
];

/** Reads the secrets once more, on a connection that nothing happens to; gives the bytes that came down. */
async function bytesOfOneReading(box: Box): Promise<number> {
  await box.tenancy.publish(box.env, nextRelease("measured"));
  const run = await box.tick();
  assertEquals([run.code, run.requests.bao], [0, 1], run.stderr);
  const { bytesDown } = box.paths.bao.counts;
  await box.tenancy.publish(box.env, nextRelease("after the measuring"));
  return bytesDown;
}

async function onOutageBox(
  bao: BaoHandle,
  test: (box: Box) => Promise<void>,
  options: BoxOptions = {},
): Promise<void> {
  const settings = { bao, tenancyLookup: rememberingLookup, ...options };
  await onRunningBox(async (box) => {
    await box.secret("long", { value: "x".repeat(60_000) });
    await box.tenancy.publish(box.env, nextRelease("0"));
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    box.tenancy.record.clear();
    await test(box);
  }, settings);
}

/** One outage: the tick in it, its end, and the healthy tick that follows. */
async function playOutage(box: Box, bao: BaoHandle, outage: Outage): Promise<void> {
  const before = await ids(box);
  await box.tenancy.publish(box.env, nextRelease(outage.name));
  await box.configure(outage.config ?? {});
  await outage.begin(box, bao);
  box.tenancy.record.clear();
  const run = await box.tick();
  await outage.end(box, bao);
  await box.configure({});
  assertEquals(run.code, 75, run.stderr);
  assertStringIncludes(run.stderr, outage.says);
  // Asking for its version is no use of compose: that is looked at before anything is leased.
  const used = run.children.filter((args) => !args.startsWith("version"));
  assertEquals(used, [], "compose was used");
  assertEquals(box.tenancy.record.reports, [], "a failure was reported");
  assertEquals((await box.state())?.["failed"], null);
  assertEquals(await ids(box), before);
  const healthy = await box.tick();
  assertEquals(healthy.code, 0, healthy.stderr);
  assertEquals(box.tenancy.record.reports.map(({ result }) => result), ["applied"]);
  assertEquals(box.tenancy.record.leases, [], "a lease was taken");
  assertEquals(await ids(box), before);
}

async function playIdle(box: Box, bao: BaoHandle): Promise<void> {
  await seal(bao);
  const idle = await box.tick();
  await unseal(bao);
  assertEquals([idle.code, idle.requests.bao, idle.writes], [0, 0, []], idle.stderr);
}

async function playSlow(box: Box, bao: BaoHandle): Promise<void> {
  box.paths.bao.faults.delayMs = 200;
  await box.tenancy.publish(box.env, nextRelease("slow"));
  const slow = await box.tick();
  await box.paths.bao.heal();
  assertEquals(slow.code, 0, slow.stderr);
  for (const headers of [true, false]) {
    await setQuota(bao, { name: "short", path: "monky/", rate: 1, interval: "1s" }, headers);
    await box.tenancy.publish(box.env, nextRelease(`limited, headers ${headers}`));
    const limited = await box.tick();
    assertEquals(limited.code, 0, limited.stderr);
  }
  await removeQuota(bao, "short");
  assertEquals(box.tenancy.record.leases, []);
}

/** Tenancy cannot ask OpenBao either: its 5xx proves nothing about the token. */
async function playGoneForAll(box: Box, bao: BaoHandle): Promise<void> {
  const before = await ids(box);
  const session = await Deno.readTextFile(`${box.stateDir}/session.json`);
  await seal(bao);
  const run = await box.tick();
  await unseal(bao);
  assertEquals(run.code, 75, run.stderr);
  assertStringIncludes(run.stderr, "TENANCY_UNAVAILABLE");
  assertEquals(await Deno.readTextFile(`${box.stateDir}/session.json`), session);
  assertEquals((await box.tick()).code, 0);
  assertEquals([await ids(box), box.tenancy.record.leases], [before, []]);
}

Deno.test("OpenBao gone in every way: exit 75 with its code, services untouched, no lease, no failed report", async (t) => {
  await withBao(async (bao) => {
    await onOutageBox(bao, async (box) => {
      for (const outage of OUTAGES) {
        const { name, says } = outage;
        await t.step(`${name}: exit 75, ${says}`, () => playOutage(box, bao, outage));
      }
      await t.step("a converged box does not notice it", () => playIdle(box, bao));
      await t.step("slow, or limited for a second: waited for", () => playSlow(box, bao));
    });
    await onOutageBox(bao, async (box) => {
      await t.step("gone for tenancy too: exit 75, token kept", () => playGoneForAll(box, bao));
    }, { tenancyLookup: (lookup) => lookup });
  });
});

Deno.test("OpenBao lost between the first lease and its login: the lease is spent by the first healthy tick", async () => {
  await onBox(async (box) => {
    await box.secret("key", { value: "v" });
    await box.secret("long", { value: "v" });
    await box.reveal();
    await box.tenancy.setAbsent(box.env);
    assertEquals((await box.tick()).code, 0);
    await box.tenancy.publish(box.env, nextRelease("1"));
    await box.paths.bao.reset();
    for (let tick = 0; tick < 3; tick++) {
      const run = await box.tick();
      assertEquals(run.code, 75, run.stderr);
      assertStringIncludes(run.stderr, "BAO_UNAVAILABLE");
    }
    assertEquals(box.tenancy.record.leases.length, 1);
    await box.paths.bao.heal();
    assertEquals((await box.tick()).code, 0);
    assertEquals([box.tenancy.record.leases.length, box.tenancy.record.reports.length], [1, 1]);
    assertEquals(box.tenancy.record.reports[0]?.token_source, "lease");
  });
});

Deno.test("a box whose way ends at a standby lives there; without a leader it reads on, and waits with what a leader must write", async () => {
  await withBaoCluster(async ({ leader, standbys }) => {
    const [standby, other] = standbys;
    assert(standby !== undefined && other !== undefined);
    await onOutageBox(standby, async (box) => {
      const before = await ids(box);
      await Promise.all([stopProcess(leader.process), stopProcess(other.process)]);
      await waitLeaderless(standby, `monky/data/${box.env}/see/key`);
      await box.tenancy.publish(box.env, nextRelease("read from a standby without leader"));
      const read = await box.tick();
      assertEquals(read.code, 0, read.stderr);
      // The kit is revealed again: the token is superseded, and a login is a write.
      await box.reveal();
      const grant = await Deno.readTextFile(box.bootstrapFile);
      for (let tick = 0; tick < 2; tick++) {
        const run = await box.tick();
        assertEquals(run.code, 75, run.stderr);
        assertStringIncludes(run.stderr, "BAO_UNAVAILABLE");
      }
      assertEquals(await Deno.readTextFile(box.bootstrapFile), grant);
      await Promise.all([leader.restart(), other.restart({ unseal: false })]);
      await unseal(other);
      const writes = async (): Promise<boolean> => await writeStatus(standby) < 300;
      await waitFor("a leader", 120_000, async () => await writes() ? true : null);
      const healthy = await box.tick();
      assertEquals(healthy.code, 0, healthy.stderr);
      assertEquals([await ids(box), box.tenancy.record.leases], [before, []]);
    });
  });
});
