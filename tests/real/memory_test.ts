/** The agent's memory, measured from outside (VmHWM): what others print and how much runs is no matter. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import type { AgentRun } from "../../scripts/box/run.ts";
import { onBox } from "../support/boxes.ts";
import {
  bigBundle,
  type BigProject,
  type FakePlugin,
  peakMemoryMib,
  serveBigEngine,
  writeFakePlugin,
} from "../support/big_project.ts";

/** SPEC §13. */
const LIMIT_MIB = 200;
const GIB = 1 << 30;
/** A slow machine takes its time over a gigabyte and a thousand services: that is not what is measured. */
const PATIENT = { settle_s: 1, health_timeout_s: 600, timeouts: { validate_s: 600 } };
const PATIENT_MS = 900_000;
/** Lines of 4 KB, as progress and warnings would come, and one line without an end. */
const lines = (sizeBytes: number): string => `yes "$(printf '%04000d' 7)" | head -c ${sizeBytes}`;
const ENDLESS = `head -c ${GIB} /dev/zero`;

async function measured(
  box: Box,
  args: readonly string[] = [],
): Promise<{ readonly run: AgentRun; readonly peakMib: number }> {
  const agent = await box.start(["tick", ...args], { timeoutMs: PATIENT_MS });
  let peakMib = 0;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, peakMemoryMib(agent.pid) ?? 0);
  }, 20);
  const run = await agent.ended;
  clearInterval(timer);
  assert(peakMib > 10, "the agent's memory was not seen");
  return { run, peakMib };
}

/** A box over an Engine that has the services running already. */
async function onBigBox(
  services: number,
  plugin: FakePlugin,
  test: (box: Box) => Promise<void>,
): Promise<void> {
  await onBox(async (box) => {
    const big: BigProject = { project: box.project, services };
    const engine = serveBigEngine(`${box.dir}/big.sock`, big);
    try {
      await box.configure({ ...PATIENT, docker: { host: `unix://${box.dir}/big.sock` } });
      await writeFakePlugin(`${box.dir}/docker-compose`, big, plugin);
      await box.reveal();
      await box.tenancy.publish(box.env, bigBundle(big));
      await test(box);
    } finally {
      await engine.shutdown();
    }
  });
}

interface Row {
  readonly name: string;
  readonly plugin: FakePlugin;
  readonly code: string;
}

const ROWS: readonly Row[] = [
  { name: "as the resolved files", plugin: { config: lines(GIB) }, code: "COMPOSE_INVALID" },
  {
    name: "as warnings, in lines",
    plugin: { config: `${lines(GIB)} >&2; exit 15` },
    code: "COMPOSE_INVALID",
  },
  {
    // An eighth of it: each line is cleaned and masked for the log, which takes its time.
    name: "as progress of a pull, in lines",
    plugin: { pull: `${lines(GIB / 8)} >&2; exit 18` },
    code: "PULL_FAILED",
  },
  {
    name: "as progress of a pull, in one line that does not end",
    plugin: { pull: `${ENDLESS} >&2; exit 18` },
    code: "PULL_FAILED",
  },
];

Deno.test("a compose that prints 1 GiB does not move the agent past 200 MiB", async (t) => {
  for (const { name, plugin, code } of ROWS) {
    await t.step(name, async () => {
      await onBigBox(1, plugin, async (box) => {
        const { run, peakMib } = await measured(box);
        assertEquals(run.code, 1, run.stderr);
        assertStringIncludes(run.stderr, code);
        assert(peakMib < LIMIT_MIB, `${peakMib} MiB`);
        const report = box.tenancy.record.reports.at(-1);
        assertEquals(report?.code, code);
        assert((report?.detail ?? "").length <= 16 << 10, "the report is not bounded");
        const state = await Deno.stat(`${box.stateDir}/state.json`);
        assert(state.size < 64 << 10, `state.json has ${state.size} bytes`);
      });
    });
  }
});

for (const services of [200, 1_000]) {
  Deno.test(`an apply and a converged tick of ${services} services stay below 200 MiB`, async () => {
    await onBigBox(services, {}, async (box) => {
      const applied = await measured(box);
      assertEquals(applied.run.code, 0, applied.run.stderr);
      assert(applied.peakMib < LIMIT_MIB, `apply: ${applied.peakMib} MiB`);
      const quiet = await measured(box);
      assertEquals([quiet.run.code, quiet.run.children], [0, []], quiet.run.stderr);
      assert(quiet.peakMib < LIMIT_MIB, `converged: ${quiet.peakMib} MiB`);
      assertEquals(box.tenancy.record.violations, []);
    });
  });
}
