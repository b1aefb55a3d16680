/**
 * `doctor` through the real entrypoint, under the permissions of a doctor: on a good box all is well,
 * on each broken one it names the right cause first and the command that mends it, and it changes
 * nothing on any.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { AgentRun } from "../../scripts/box/run.ts";
import type { Box } from "../../scripts/box/box.ts";
import { installMissing } from "../../scripts/lab/apt.ts";
import { startForwarder } from "../../scripts/lab/forwarder.ts";
import { socketsIn } from "../bridge/bench.ts";
import { identityText } from "../bridge/install.ts";
import { onBox, onRunningBox } from "../support/boxes.ts";
import { type BrokenBox, withPrograms, writePrinter } from "../support/broken_boxes.ts";
import { BROKEN_FRESH } from "../support/broken_fresh.ts";
import { BROKEN_LIVED } from "../support/broken_lived.ts";
import { BROKEN_SDK, identityOf, setUpSdk } from "../support/broken_sdk.ts";
import { BROKEN_WAY } from "../support/broken_way.ts";
import { NEEDS_NAMESPACE } from "../support/namespace.ts";

/** The agent's user in the tests, who is not the one that runs them. */
const AGENT = 65534;

interface Told {
  readonly check: string;
  readonly state: string;
  readonly code: string | null;
  readonly detail: string;
  readonly fix: string | null;
  readonly blocked_by: string | null;
}

interface Answer {
  readonly run: AgentRun;
  readonly healthy: boolean;
  readonly cause: Told | null;
  readonly checks: readonly Told[];
}

async function examine(box: Box, enter?: readonly string[]): Promise<Answer> {
  const options = enter === undefined ? {} : { enter };
  const run = await box.run(["doctor", "--json"], options);
  // The bridge's sockets come and go.
  const bridge = [box.stateDir, `${box.stateDir}/.run`];
  assertEquals(run.writes.filter((path) => !isOnSdk(box) || !bridge.includes(path)), []);
  assertEquals(box.tenancy.record.leases, []);
  assert(run.stdout !== "", `exit ${run.code}, and it says nothing:\n${run.stderr}`);
  const { healthy, cause, checks } = JSON.parse(run.stdout);
  return { run, healthy, cause, checks };
}

function isOnSdk({ configPath }: Box): boolean {
  try {
    return /transport: sdk/.test(Deno.readTextFileSync(configPath));
  } catch {
    return false;
  }
}

/** Does what the doctor says, as an operator would: types it. */
async function type(fix: string | null | undefined): Promise<void> {
  const { success, stderr } = await new Deno.Command("sh", { args: ["-c", fix ?? "false"] })
    .output();
  assert(success, `${fix}: ${new TextDecoder().decode(stderr)}`);
}

/** Breaks the box, asks the doctor, insists on the cause, mends the box. */
async function diagnose(box: Box, row: BrokenBox): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    await row.spoil(box, (act) => undo.push(act));
    const { run, healthy, cause, checks } = await examine(box, row.enter?.(box));
    assertEquals(
      [cause?.check, cause?.code, healthy],
      [row.cause, row.code, false],
      `${cause?.detail}\n${run.stdout}${run.stderr}`,
    );
    assertEquals(run.code, row.cause === "config" ? 78 : 1);
    assertMatch(cause?.fix ?? "", row.fix);
    // What hangs on the cause is no fault of its own.
    for (const check of checks) {
      if (check.blocked_by === row.cause) assertEquals(check.state, "not_checked");
    }
    assertEquals(checks.filter(({ state }) => state === "fail").map(({ check }) => check), [
      row.cause,
    ]);
  } finally {
    for (const act of undo.reverse()) await act();
  }
}

for (const row of [...BROKEN_FRESH, ...BROKEN_WAY, ...BROKEN_SDK]) {
  Deno.test(`doctor: ${row.broken}: ${row.cause}, ${row.code}`, async () => {
    await onBox(async (box) => {
      await box.reveal();
      await diagnose(box, row);
    });
  });
}

Deno.test("doctor on a box that has lived", async (t) => {
  await onRunningBox(async (box) => {
    const state = await Deno.readFile(`${box.stateDir}/state.json`);
    const session = await Deno.readFile(`${box.stateDir}/session.json`);
    await t.step("all is well, and the answer says so", async () => {
      const { run, healthy, cause, checks } = await examine(box);
      assertEquals([run.code, healthy, cause], [0, true, null], run.stdout + run.stderr);
      assertEquals(checks.filter((check) => check.state === "fail" || check.state === "warn"), []);
      const text = await box.run(["doctor"]);
      assertMatch(text.stdout, /^a tick has all it needs\nok {4}config /);
      assertEquals([text.code, text.stderr], [0, ""]);
    });
    for (const row of BROKEN_LIVED) {
      await t.step(`${row.broken}: ${row.cause}, ${row.code}`, async () => {
        try {
          await diagnose(box, row);
        } finally {
          box.tenancy.faults.clear();
          await box.configure({});
          await Deno.writeFile(`${box.stateDir}/state.json`, state);
          await Deno.writeFile(`${box.stateDir}/session.json`, session);
        }
      });
    }
    await t.step("mended, all is well again", async () => {
      assertEquals((await examine(box)).healthy, true);
      assertEquals(box.tenancy.record.violations, []);
    });
  });
});

Deno.test("doctor: a grant that was used before: grant, GRANT_CONSUMED", async () => {
  await onBox(async (box) => {
    await box.reveal();
    const used = await Deno.readTextFile(box.bootstrapFile);
    box.tenancy.setAbsent(box.env);
    assertEquals((await box.tick()).code, 0);
    const path = `${box.stateDir}/session.json`;
    const session = JSON.parse(await Deno.readTextFile(path));
    await Deno.writeTextFile(path, JSON.stringify({ ...session, token: null }));
    await Deno.writeTextFile(box.bootstrapFile, used, { mode: 0o600 });
    const { cause } = await examine(box);
    assertEquals([cause?.check, cause?.code], ["grant", "GRANT_CONSUMED"]);
  });
});

Deno.test({
  name: "doctor: the units that should start ticks",
  ...NEEDS_NAMESPACE,
  fn: async (t) => {
    await onBox(async (box) => {
      await box.reveal();
      const programs = `${box.dir}/programs`;
      await Deno.mkdir(programs);
      const unit = (id: string, load: string, active: string, file: string): string =>
        `Id=${id}\nLoadState=${load}\nActiveState=${active}\nUnitFileState=${file}\nResult=success\n`;
      const units = (timer: readonly [string, string, string]): Promise<void> =>
        writePrinter(
          `${programs}/systemctl`,
          [
            unit("monky-deployd.timer", ...timer),
            unit("monky-deployd.service", "loaded", "inactive", "static"),
            unit("monky-deployd-run.service", "loaded", "inactive", "disabled"),
          ].join("\n"),
        );
      for (
        const [state, timer, fix] of [
          [
            "stopped",
            ["loaded", "inactive", "disabled"],
            /^systemctl enable --now monky-deployd\.timer$/,
          ],
          ["masked", ["masked", "inactive", "masked"], /^systemctl unmask monky-deployd\.timer; /],
          ["failed", ["loaded", "failed", "enabled"], /^systemctl enable --now/],
        ] as const
      ) {
        await t.step(`${state}: unit`, async () => {
          await units(timer);
          const enter = (): readonly string[] => withPrograms(programs);
          const spoil = (): Promise<void> => Promise.resolve();
          await diagnose(box, { broken: state, spoil, cause: "unit", code: null, fix, enter });
        });
      }
      await t.step("started and enabled: all is well", async () => {
        await units(["loaded", "active", "enabled"]);
        const { healthy, checks } = await examine(box, withPrograms(programs));
        assertEquals(healthy, true);
        assertEquals(checks.find(({ check }) => check === "unit")?.state, "ok");
      });
    });
  },
});

Deno.test("doctor: warns of what works today, and exits 0", async (t) => {
  const warned = (answer: Answer, check: string): Told => {
    assertEquals([answer.run.code, answer.healthy], [0, true], answer.run.stdout);
    const told = answer.checks.find((each) => each.check === check);
    assert(told !== undefined && told.state === "warn", `${check}: ${JSON.stringify(told)}`);
    return told;
  };
  await t.step("a proxy that listens on every address", async () => {
    await onBox(async (box) => {
      await box.reveal();
      const open = startForwarder({
        target: { hostname: "127.0.0.1", port: box.tenancy.port },
        listen: { hostname: "0.0.0.0", port: 0 },
      });
      try {
        await box.configure({ tenancy: { proxy_addr: `127.0.0.1:${open.port}` } });
        const { detail, fix } = warned(await examine(box), "listeners");
        assertMatch(detail, new RegExp(`^port ${open.port} is open on every address`));
        assertMatch(fix ?? "", /"binding": "127\.0\.0\.1".*nft add rule/);
      } finally {
        await open.close();
      }
    });
  });
  await t.step("a grant and a folder that others may read", async () => {
    await onBox(async (box) => {
      await box.reveal();
      await Deno.chmod(box.bootstrapFile, 0o644);
      await Deno.mkdir(box.stateDir);
      await Deno.chmod(box.stateDir, 0o755);
      const answer = await examine(box);
      const fixes = [warned(answer, "grant").fix, warned(answer, "folders").fix];
      assertMatch(fixes[0] ?? "", /^chmod 600 .*bootstrap\.jwt$/);
      assertMatch(fixes[1] ?? "", /^chmod 700 .*\/state$/);
      for (const fix of fixes) await type(fix);
      const after = await examine(box);
      assertEquals(after.checks.filter(({ state }) => state === "warn"), []);
    });
  });
  await t.step("the agent is another user than the one who asks", async () => {
    await onBox(async (box) => {
      await Deno.mkdir(box.stateDir, { mode: 0o700 });
      await Deno.chown(box.stateDir, 65534, 65534);
      await box.reveal();
      const told = warned(await examine(box), "user");
      assertMatch(
        told.fix ?? "",
        /^sudo -u '#65534' monky-deployd doctor --config .*config\.yaml$/,
      );
    });
  });
});

Deno.test("doctor: sdk: a good box is well, and no bridge, socket or folder is left", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await setUpSdk(box);
    const { run, healthy, checks } = await examine(box);
    assertEquals([run.code, healthy], [0, true], run.stdout + run.stderr);
    assertMatch(checks.find(({ check }) => check === "identity")?.detail ?? "", /days left$/);
    assertEquals(socketsIn(`${box.stateDir}/.run`), []);
  });
});

Deno.test({
  name: "doctor: sdk: an identity that the agent's user may not read, now or after its renewal",
  ignore: Deno.env.get("CI") !== "true" && Deno.uid() !== 0,
  fn: async (t) => {
    await installMissing([{ program: "getfacl", packages: ["acl"] }], () => {});
    await onBox(async (box) => {
      await box.reveal();
      await setUpSdk(box);
      await Deno.chown(box.stateDir, AGENT, AGENT);
      const told = async (): Promise<Told | undefined> =>
        (await examine(box)).checks.find(({ check }) => check === "identity");
      const [file, folder] = [identityOf(box), `${box.dir}/identities`];
      await t.step("no ACL: ZITI_IDENTITY, and what the fix says mends it", async () => {
        const before = await told();
        assertEquals([before?.state, before?.code], ["fail", "ZITI_IDENTITY"]);
        assertMatch(before?.detail ?? "", /may not be read by user 65534/);
        await type(before?.fix);
        assertEquals((await told())?.state, "ok");
      });
      await t.step("renewed as the tunneler does it: the new file is readable too", async () => {
        await Deno.rename(file, `${file}.bak`);
        await Deno.writeTextFile(file, await identityText(), { mode: 0o660 });
        assertEquals((await told())?.state, "ok");
      });
      await t.step("an ACL on the file alone: a warning, for a renewal drops it", async () => {
        await type(`setfacl -k ${folder}`);
        const before = await told();
        assertEquals([before?.state, before?.code], ["warn", null]);
        assertMatch(before?.detail ?? "", /has no default ACL/);
        await type(before?.fix);
        assertEquals((await told())?.state, "ok");
      });
    });
  },
});
