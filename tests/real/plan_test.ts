/**
 * `plan` on a box's whole life: what it prints stands in tests/golden/plan. Each is run without the
 * grants to write a file or to start a program, and the box's folders are compared as well.
 */

import { assertEquals } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { dockerCall } from "../../scripts/lab/mod.ts";
import type { BundleFiles } from "../../scripts/tenancy/mod.ts";
import { onBox } from "../support/boxes.ts";
import { LONG_RUNNING } from "../support/bundles.ts";
import { assertGolden, steady } from "../support/golden.ts";

/** A connection to the Engine's socket needs the right to write to it, and nothing else does. */
function readOnly(box: Box): (flags: readonly string[]) => readonly string[] {
  const socket = box.paths.docker.address;
  return (flags) => [
    ...flags.filter((flag) => !/^--allow-(?:write|run)\b/.test(flag)),
    `--allow-write=${socket}`,
  ];
}

/** Plans, holds the output against its golden file, and looks whether anything was touched. */
async function plan(box: Box, name: string, code = 0): Promise<void> {
  const before = (await box.containers()).map(({ Id, State }) => `${Id} ${State}`);
  const requestsBefore = box.tenancy.record.requests.length;
  const run = await box.run(["plan"], { flags: readOnly(box), env: { NO_COLOR: "1" } });
  await assertGolden(`plan/${name}.txt`, `exit ${run.code}\n${steady(run.stdout, box)}`);
  assertEquals([run.code, run.writes, run.children, run.stderr], [code, [], [], ""], name);
  assertEquals((await box.containers()).map(({ Id, State }) => `${Id} ${State}`), before, name);
  const asked = box.tenancy.record.requests.slice(requestsBefore).map(({ call }) => call);
  assertEquals(asked.filter((call) => call !== "checkin" && call !== "bundle"), [], name);
}

interface Release {
  readonly revision: string;
  readonly keyVersion: number;
  readonly more?: string;
  readonly files?: BundleFiles;
  readonly template?: string;
}

/** The same bytes in every run, so that shas can stand in golden files. */
function release({ revision, keyVersion, more = "", files = {}, template }: Release): BundleFiles {
  const entries = [{ var: "KEY", path: "key", version: keyVersion }];
  return {
    "docker-compose.yml": `services:
  web:
    image: lab/bb:1
    ${LONG_RUNNING}
    environment:
      - REVISION=${revision}
      - KEY
${more}`,
    "manifest.json": JSON.stringify({ entries }),
    ...(template === undefined ? {} : { ".env.template": template }),
    ...files,
  };
}

const FIRST = release({ revision: "1", keyVersion: 1, files: { "web/old.html": "old\n" } });
const NEW_SECRET = release({ revision: "1", keyVersion: 2, files: { "web/old.html": "old\n" } });
const SECOND = release({
  revision: "2",
  keyVersion: 2,
  more: `  db:
    image: lab/none:7
    ${LONG_RUNNING}
`,
  files: { "web/index.html": "new\n" },
  template: "GREETING=hello\n",
});

Deno.test("plan says what a tick would do in each state of a box, and touches nothing", async () => {
  await onBox(async (box) => {
    await box.secret("key", { value: "first value" });
    await box.secret("key", { value: "second value" });
    await plan(box, "no_grant", 1);
    await box.reveal();
    const first = await box.tenancy.publish(box.env, FIRST);
    await plan(box, "first_apply_without_token");

    // A tick that gets a token and no further.
    box.tenancy.faults.arm({ kind: "not_found", call: "bundle", times: 1 });
    assertEquals((await box.tick()).code, 75);
    await plan(box, "first_apply");

    const applied = await box.tick();
    assertEquals(applied.code, 0, applied.stderr);
    await plan(box, "nothing_to_do");

    await box.tenancy.publish(box.env, NEW_SECRET);
    await plan(box, "changed_secret_version");
    await box.tenancy.publish(box.env, SECOND);
    await plan(box, "new_bundle");

    await box.tenancy.publish(box.env, release({ revision: "${MISSING}", keyVersion: 2 }));
    await plan(box, "incomplete");

    box.tenancy.faults.arm({ kind: "unavailable", call: "checkin", times: 1 });
    await plan(box, "tenancy_down", 75);

    await box.tenancy.setDesired(box.env, first.sha);
    const [web] = await box.containers();
    await dockerCall(box.lab.docker.socket, "POST", `/containers/${web?.Id}/stop?t=0`);
    await plan(box, "repair");
    await dockerCall(box.lab.docker.socket, "POST", `/containers/${web?.Id}/start`);

    const older = release({ revision: "0", keyVersion: 1 });
    await box.tenancy.publish(box.env, older, { serial: 0 });
    await plan(box, "rollback_refused");
    assertEquals((await box.tick()).code, 1);
    await plan(box, "waiting");

    await box.tenancy.setAbsent(box.env);
    await plan(box, "absent");
  });
});

Deno.test("plan says which lease an apply would ask for, and asks for none", async () => {
  await onBox(async (box) => {
    await box.secret("key", { value: "a value" });
    await box.reveal();
    await box.tenancy.publish(box.env, FIRST);
    box.tenancy.faults.arm({ kind: "not_found", call: "bundle", times: 1 });
    assertEquals((await box.tick()).code, 75);
    const run = await box.run(["plan", "--json"], { flags: readOnly(box) });
    const told = JSON.parse(run.stdout);
    const token = told.steps.find(({ action }: { action: string }) => action === "token");
    assertEquals(told.decision.action, "apply");
    assertEquals(/^lease a grant: the bootstrap token is swapped once/.test(token.reason), true);
    assertEquals([run.writes, run.children, run.requests.tenancy], [[], [], 2]);
  }, { leasesPerHour: 0 });
});
