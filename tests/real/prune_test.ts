/** Old releases and their images go, and nothing else's (SPEC §4 prune). */

import { assertEquals } from "@std/assert";
import { dockerRequest, importImage, type LabInfo, removeImage } from "../../scripts/lab/mod.ts";
import { onBox } from "../support/boxes.ts";
import { LONG_RUNNING } from "../support/bundles.ts";

/** Imports an image that differs from all others; gives its reference. */
async function ownImage(lab: LabInfo, name: string): Promise<string> {
  await importImage(lab, name, { files: { "/marker": crypto.randomUUID() } });
  return name;
}

async function isThere(lab: LabInfo, ref: string): Promise<boolean> {
  return (await dockerRequest(lab.docker.socket, "GET", `/images/${ref}/json`)).status === 200;
}

Deno.test("releases beyond releases_kept go with the images that only they needed", async () => {
  await onBox(async (box) => {
    await box.reveal();
    const id = crypto.randomUUID().slice(0, 8);
    const refs = [];
    for (const version of [1, 2, 3]) {
      refs.push(await ownImage(box.lab, `lab/prune-${id}:${version}`));
    }
    const foreign = await ownImage(box.lab, `lab/foreign-${id}:1`);
    try {
      for (const ref of refs) {
        const web = `services:\n  web:\n    image: ${ref}\n    ${LONG_RUNNING}\n`;
        await box.tenancy.publish(box.env, { "docker-compose.yml": web });
        const run = await box.tick();
        assertEquals(run.code, 0, run.stderr);
      }
      const releases = await Array.fromAsync(Deno.readDir(`${box.deployDir}/releases`));
      assertEquals(releases.length, 2);
      const there = await Promise.all([...refs, foreign].map((ref) => isThere(box.lab, ref)));
      assertEquals(there, [false, true, true, true]);
    } finally {
      for (const ref of [...refs, foreign]) await removeImage(box.lab, ref).catch(() => {});
    }
  }, { config: { releases_kept: 2 } });
});
