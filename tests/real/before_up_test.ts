/** What would make `up` fail half-way is found before it, while the old release runs (SPEC §4). */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { dockerCall, dockerRequest } from "../../scripts/lab/docker_api.ts";
import { onRunningBox } from "../support/boxes.ts";
import { LONG_RUNNING } from "../support/bundles.ts";
import { freeServerPort } from "../support/loopback.ts";

const compose = (lines: string, beside = ""): string =>
  `services:\n  web:\n    image: lab/bb:1\n    ${LONG_RUNNING}\n    environment: [B=2]\n` +
  `${lines}${beside}`;

/** The project's containers, without how long they have been up. */
async function running(box: Box): Promise<readonly string[]> {
  return (await box.containers()).map(({ Id, State, Created }) => `${Id} ${State} ${Created}`);
}

async function stopped(box: Box, text: string, code: string): Promise<string> {
  const before = await running(box);
  await box.tenancy.publish(box.env, { "docker-compose.yml": text });
  const run = await box.tick(["--now"]);
  assertEquals(run.code, 1, run.stderr);
  assertEquals(run.children.filter((each) => / up /.test(each)), [], run.stderr);
  assertEquals(await running(box), before);
  const report = box.tenancy.record.reports.at(-1);
  assertEquals([report?.result, report?.code], ["failed", code], report?.detail);
  assertEquals((await box.state())?.["applying"], null);
  return report?.detail ?? "";
}

Deno.test("case 30: a missing external network or volume is named, the old release runs on", async () => {
  await onRunningBox(async (box) => {
    const network = await stopped(
      box,
      compose("    networks: [n]\n", `networks: {n: {external: true, name: ${box.env}-n}}\n`),
      "NETWORK_MISSING",
    );
    assertStringIncludes(network, `${box.env}-n`);
    const volume = await stopped(
      box,
      compose(
        `    volumes: ["va:/a", "vb:/b"]\n`,
        `volumes: {va: {external: true, name: ${box.env}-a}, vb: {external: true, name: ${box.env}-b}}\n`,
      ),
      "VOLUME_MISSING",
    );
    assertStringIncludes(volume, `${box.env}-a, ${box.env}-b`);
  });
});

Deno.test("case 22: a port that another project's container holds is named with its holder", async () => {
  await onRunningBox(async (box) => {
    const { socket } = box.lab.docker;
    const port = freeServerPort();
    const name = `holder-${box.env}`;
    const created = await dockerCall(socket, "POST", `/containers/create?name=${name}`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        Image: "lab/bb:1",
        Cmd: ["sleep", "3600"],
        ExposedPorts: { "80/tcp": {} },
        HostConfig: { PortBindings: { "80/tcp": [{ HostPort: String(port) }] } },
      }),
    });
    const { Id } = JSON.parse(created) as { Id: string };
    try {
      await dockerCall(socket, "POST", `/containers/${Id}/start`);
      const text = compose(`    ports: ["${port}:80"]\n`);
      const detail = await stopped(box, text, "PORT_IN_USE");
      assertEquals(
        detail,
        `PORT_IN_USE: web publishes ${port}/tcp, which container ${name} holds`,
      );
    } finally {
      await dockerRequest(socket, "DELETE", `/containers/${Id}?force=1&v=1`);
    }
    assertEquals((await box.tick(["--now"])).code, 0);
    // The port is held by this very project now, and that is no obstacle.
    await box.tenancy.publish(box.env, {
      "docker-compose.yml": compose(`    ports: ["${port}:80"]\n    labels: [a=b]\n`),
    });
    const again = await box.tick();
    assertEquals(again.code, 0, again.stderr);
  });
});
