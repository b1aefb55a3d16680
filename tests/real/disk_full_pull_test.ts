/** Case 48: a pull that fills the Engine's own disk, on an Engine with little of it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { makeBox } from "../../scripts/box/box.ts";
import {
  BASE_IMAGE,
  dockerCall,
  importImage,
  pushImage,
  readLab,
  removeImage,
} from "../../scripts/lab/mod.ts";
import { lookAtServices } from "../../scripts/matrix/look.ts";
import { canMount } from "../../scripts/matrix/small_disk.ts";
import { withSmallEngine } from "../support/own_engine.ts";

const MIB = 1 << 20;
const ENGINE_MIB = 40;
const IMAGE_MIB = 24;

/** Bytes that no compression makes fewer: packed and unpacked they need room side by side. */
function noise(sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, sizeBytes)));
  }
  return bytes;
}

Deno.test({
  name:
    "case 48: a pull that fills the Engine's disk is DISK_FULL; what runs runs on, room heals it",
  ignore: !await canMount(),
  fn: async () => {
    const lab = await readLab();
    if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
    const name = `lab/heavy-${crypto.randomUUID().slice(0, 8)}:1`;
    await importImage(lab, name, { files: { noise: noise(IMAGE_MIB * MIB) } });
    const reference = await pushImage(lab, name);
    await removeImage(lab, reference);
    await removeImage(lab, name);

    await withSmallEngine(lab, { sizeMib: ENGINE_MIB, image: BASE_IMAGE }, async (engine) => {
      await using box = await makeBox(engine.lab, {
        config: {
          settle_s: 0,
          docker: { data_root: engine.dataRoot, disk_headroom_bytes: 0 },
        },
      });
      const { username: user, password, address: host } = lab.registry;
      await box.secret("registry", { user, password });
      await box.reveal();
      const publish = (image: string): Promise<unknown> => {
        const entries = [
          { var: "REG_USER", path: "registry", key: "user" },
          { var: "REG_PASSWORD", path: "registry", key: "password" },
        ];
        const registries = [{ host, username_var: "REG_USER", password_var: "REG_PASSWORD" }];
        return box.tenancy.publish(box.env, {
          "docker-compose.yml": `services:\n  web: {image: "${image}", init: true}\n`,
          "manifest.json": JSON.stringify({ entries, registries }),
        });
      };
      await publish(BASE_IMAGE);
      const first = await box.tick();
      assertEquals(first.code, 0, first.stderr);
      const before = await lookAtServices(box);

      await publish(reference);
      const full = await box.tick();
      assertEquals(full.code, 75, full.stderr);
      assertStringIncludes(full.stderr, "DISK_FULL: ");
      assertEquals(await lookAtServices(box), before, "what ran was touched");
      const report = box.tenancy.record.reports.at(-1);
      assertEquals([report?.result, report?.code], ["failed", "DISK_FULL"]);
      assert(box.tenancy.record.reports.length === 2, "a report too many");

      await engine.resize(4 * ENGINE_MIB);
      const healed = await box.tick(["--now"]);
      assertEquals(healed.code, 0, healed.stderr);
      const { web } = await lookAtServices(box);
      assert(web?.state === "running" && web.id !== before["web"]?.id);
      const images = await dockerCall(engine.lab.docker.socket, "GET", "/images/json");
      assertStringIncludes(images, reference);
    });
  },
});
