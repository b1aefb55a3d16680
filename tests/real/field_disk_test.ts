/**
 * What the field reports of a box's own disk, as whole ticks on the lab: folders and files that were
 * removed, cut short, edited or linked behind the agent's back, and a compose that the kernel kills.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { dockerCall } from "../../scripts/lab/docker_api.ts";
import type { Box } from "../../scripts/box/box.ts";
import { onBox, onRunningBox, runningBundle } from "../support/boxes.ts";

/** Kills the project's containers, as an Engine without restart policies leaves them after a boot. */
async function stopAll(box: Box): Promise<void> {
  for (const { Id } of await box.containers()) {
    await dockerCall(box.lab.docker.socket, "POST", `/containers/${Id}/kill`);
  }
}

/** Writes a next attempt and an end of an apply that are no moments. */
async function breakMoments(box: Box): Promise<void> {
  const path = `${box.stateDir}/state.json`;
  const state = JSON.parse(await Deno.readTextFile(path));
  const failed = { sha: state.applied.sha, code: "X", attempts: 1, at: 1, quarantined: false };
  const broken = { ...state, failed: { ...failed, nextAttemptAt: 1e20 } };
  await Deno.writeTextFile(path, JSON.stringify(broken));
  const history = `${box.stateDir}/history.json`;
  const text = await Deno.readTextFile(history);
  await Deno.writeTextFile(
    history,
    text.replaceAll(/"finished_at": "[^"]*"/g, `"finished_at": "-"`),
  );
}

Deno.test("field: what happens to a box's disk behind the agent's back is put right, and nobody else's files are touched", async (t) => {
  await onRunningBox(async (box) => {
    const { sha } = (await box.state())?.["applied"] as { readonly sha: string };
    const root = `${box.deployDir}/releases/${sha}`;
    const project = `${box.deployDir}/project`;
    const other = `${box.dir}/other`;
    const harms: readonly (readonly [string, string, () => Promise<void>])[] = [
      ["the project is gone", "repaired", () => Deno.remove(project, { recursive: true })],
      ["the project is a link", "repaired", async () => {
        await Deno.remove(project, { recursive: true });
        await Deno.mkdir(other);
        await Deno.writeTextFile(`${other}/mine`, "");
        await Deno.symlink(other, project);
      }],
      ["the compose file was cut short", "applied", async () => {
        await Deno.truncate(`${root}/docker-compose.yml`);
      }],
    ];
    for (const [name, result, harm] of harms) {
      await t.step(name, async () => {
        await harm();
        await stopAll(box);
        const run = await box.tick();
        assertEquals(run.code, 0, run.stderr);
        assertEquals(box.tenancy.record.reports.at(-1)?.result, result);
      });
    }
    const left = await Array.fromAsync(Deno.readDir(other), ({ name }) => name);
    assertEquals(left, ["mine"]);
    await t.step("a moment that no date can name ends no command", async () => {
      await breakMoments(box);
      for (const command of ["status", "history"]) {
        const look = await box.run([command]);
        assertEquals(look.code, 0, `${command}: ${look.stderr}`);
      }
      const run = await box.tick();
      assertEquals([run.code, run.children], [0, []], run.stderr);
      assertStringIncludes(run.stderr, "rebuilt from the current release");
    });
    await t.step(
      "a compose that the kernel kills is tried again, no bundle is blamed",
      async () => {
        const plugin = `${box.dir}/docker-compose`;
        const whole = await Deno.readTextFile(plugin);
        const killed = `case "$*" in *" config "*) kill -9 $$;; esac\nexec `;
        await Deno.writeTextFile(plugin, whole.replace("exec ", () => killed));
        await box.tenancy.publish(box.env, runningBundle("2"));
        const reports = box.tenancy.record.reports.length;
        const run = await box.tick();
        assertEquals(run.code, 75, run.stderr);
        assertStringIncludes(
          run.stderr,
          "SPAWN_FAILED: docker compose config was ended by signal 9",
        );
        assertEquals(box.tenancy.record.reports.length, reports);
        await Deno.writeTextFile(plugin, whole);
        assertEquals((await box.tick()).code, 0);
      },
    );
    const last = await box.tick();
    assertEquals([last.code, last.children, last.writes], [0, [], []], last.stderr);
  }, { config: { settle_s: 0 } });
});

Deno.test("field: a deploy_dir with somebody's project folder in it is refused, and nothing of it is touched", async () => {
  await onBox(async (box) => {
    const theirs = `${box.deployDir}/project`;
    await Deno.mkdir(theirs, { recursive: true });
    await Deno.writeTextFile(`${theirs}/thesis.txt`, "chapter 1");
    await box.secret("key", { value: "a value" });
    await box.reveal();
    await box.tenancy.publish(box.env, runningBundle("1"));
    const run = await box.tick();
    assertEquals(run.code, 1, run.stderr);
    assertStringIncludes(run.stderr, `PROJECT_FOLDER_TAKEN: ${theirs} holds files`);
    assertEquals(box.tenancy.record.reports.at(-1)?.code, "PROJECT_FOLDER_TAKEN");
    assertEquals(await Deno.readTextFile(`${theirs}/thesis.txt`), "chapter 1");
    await Deno.rename(theirs, `${box.dir}/elsewhere`);
    const again = await box.tick(["--now"]);
    assertEquals(again.code, 0, again.stderr);
  }, { config: { settle_s: 0 } });
});

Deno.test("field: a file that a service mounts, removed by hand, comes back with the repair", async () => {
  await onBox(async (box) => {
    const mount = `    volumes: ["./web.conf:/etc/web.conf:ro"]\n`;
    const { "docker-compose.yml": compose, ...rest } = runningBundle("1");
    await box.secret("key", { value: "a value" });
    await box.reveal();
    await box.tenancy.publish(box.env, {
      ...rest,
      "docker-compose.yml": `${compose}${mount}`,
      "web.conf": "listen 80",
    });
    assertEquals((await box.tick()).code, 0);
    await Deno.remove(`${box.deployDir}/project/web.conf`);
    await stopAll(box);
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    assertEquals(box.tenancy.record.reports.at(-1)?.result, "repaired");
    assertEquals(await Deno.readTextFile(`${box.deployDir}/project/web.conf`), "listen 80");
  }, { config: { settle_s: 0 } });
});
