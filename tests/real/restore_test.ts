/** `on_failure: restore`: the last good release comes back with its own secret versions. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { dockerCall } from "../../scripts/lab/mod.ts";
import { onRunningBox } from "../support/boxes.ts";
import { webBundle } from "../support/bundles.ts";

const RESTORE = { config: { on_failure: "restore" } };

function keyVersion(version: number): readonly { var: string; path: string; version: number }[] {
  return [{ var: "KEY", path: "key", version }];
}

/** A release with another secret version whose second service dies at once. */
function dyingBundle(): ReturnType<typeof webBundle> {
  const good = webBundle({ revision: "2", entries: keyVersion(2) });
  return {
    ...good,
    "docker-compose.yml": `${good["docker-compose.yml"]}
  dying:
    image: lab/bb:1
    command: ["sh", "-c", "echo last words of the dying; exit 3"]
    restart: "no"
`,
  };
}

async function environmentOfWeb(box: Box): Promise<readonly string[]> {
  const web = (await box.containers()).find((each) =>
    each.Labels["com.docker.compose.service"] === "web"
  );
  const text = await dockerCall(box.lab.docker.socket, "GET", `/containers/${web?.Id}/json`);
  return (JSON.parse(text) as { readonly Config: { readonly Env: readonly string[] } }).Config.Env;
}

Deno.test("a release that fails is undone: old services, old secret versions, quarantine", async () => {
  await onRunningBox(async (box) => {
    await box.secret("key", { value: "second value" });
    const { sha } = await box.tenancy.publish(box.env, dyingBundle());
    const run = await box.tick();
    assertEquals(run.code, 1, run.stderr);
    assertStringIncludes(run.stderr, "UNHEALTHY");

    const [failed, restored] = box.tenancy.record.reports;
    assertEquals([failed?.result, failed?.code, failed?.sha], ["failed", "UNHEALTHY", sha]);
    assertStringIncludes(failed?.detail ?? "", "last words of the dying");
    assertEquals([restored?.result, restored?.serial], ["restored", 1]);
    assertEquals(restored?.secrets, [{ var: "KEY", version: 1 }]);

    const containers = await box.containers();
    assertEquals(
      containers.map((each) => [each.Labels["com.docker.compose.service"], each.State]),
      [["web", "running"]],
    );
    const environment = await environmentOfWeb(box);
    assertEquals(environment.includes("KEY=first value"), true);
    assertEquals(environment.includes("REVISION=1"), true);

    const waiting = await box.tick();
    assertEquals([waiting.code, waiting.children], [0, []], waiting.stderr);
    assertStringIncludes(waiting.stderr, "quarantined");
    const checkin = box.tenancy.record.checkins.at(-1);
    assertEquals(checkin?.failed?.next_attempt_at, null);
    assertEquals(checkin?.applied?.serial, 1);
    assertEquals(box.tenancy.record.violations, []);
  }, RESTORE);
});

Deno.test("a restored box is looked after while the quarantined release waits", async () => {
  await onRunningBox(async (box) => {
    await box.secret("key", { value: "second value" });
    await box.tenancy.publish(box.env, dyingBundle());
    await box.tick();
    const [web] = await box.containers();
    await dockerCall(box.lab.docker.socket, "POST", `/containers/${web?.Id}/kill`);
    const repaired = await box.tick();
    assertEquals(repaired.code, 0, repaired.stderr);
    assertEquals(box.tenancy.record.reports.at(-1)?.result, "repaired");
    assertEquals((await box.containers())[0]?.State, "running");

    await box.tenancy.publish(box.env, webBundle({ revision: "3", entries: keyVersion(2) }));
    const next = await box.tick();
    assertEquals(next.code, 0, next.stderr);
    assertEquals((await environmentOfWeb(box)).includes("KEY=second value"), true);
    assertEquals((await box.tick()).requests, { tenancy: 1, docker: 1, bao: 0 });
  }, RESTORE);
});

Deno.test("a refused or unpulled release needs no restore: the old services were never touched", async () => {
  await onRunningBox(async (box) => {
    const before = (await box.containers()).map((each) => [each.Id, each.State]);
    await box.tenancy.publish(box.env, webBundle({ template: "A=${NOBODY}\n" }));
    assertEquals((await box.tick()).code, 1);
    const missing = webBundle({ revision: "2" });
    const compose = String(missing["docker-compose.yml"]).replace(
      "lab/bb:1",
      `${box.lab.registry.address}/lab/none:9`,
    );
    await box.tenancy.publish(box.env, { "docker-compose.yml": compose });
    assertEquals((await box.tick()).code, 1);
    assertEquals(box.tenancy.record.reports.map((each) => each.result), ["failed", "failed"]);
    assertEquals((await box.containers()).map((each) => [each.Id, each.State]), before);
  }, RESTORE);
});
