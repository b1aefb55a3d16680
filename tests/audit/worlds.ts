/** A box on each transport for the audit: every config key is set that may add a grant. */

import { type Box, type ConfigChange, makeBox } from "../../scripts/box/box.ts";
import type { World } from "../../scripts/audit/play.ts";
import type { LabInfo } from "../../scripts/lab/mod.ts";
import type { Transport } from "../../src/model/config.ts";
import { identityText, installBridge, nodePath } from "../bridge/install.ts";
import { startMesh } from "../support/box_mesh.ts";

/** Makes a box on the transport, lends it, closes it. */
export async function onWorld<T>(
  lab: LabInfo,
  transport: Transport,
  use: (world: World) => Promise<T>,
): Promise<T> {
  await using box = await makeBox(lab);
  const shared = `${box.dir}/shared`;
  for (const folder of [`${shared}/data`, `${box.dir}/metrics`]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  // As the package makes it.
  await Deno.mkdir(box.stateDir, { mode: 0o700 });
  await Deno.copyFile(lab.keys.bundlePublicKey, `${box.dir}/bundle-keys.pem`);
  const change: ConfigChange = {
    transport,
    deploy_dir: `${box.stateDir}/${box.env}`,
    on_failure: "restore",
    settle_s: 1,
    tenancy: { bundle_keys: [`${box.dir}/bundle-keys.pem`] },
    policy: { bind_allow: [shared] },
    metrics_textfile: `${box.dir}/metrics/monky-deployd.prom`,
  };
  const world = { box, shared, compose: `${box.dir}/docker-compose`, started: () => [] };
  switch (transport) {
    case "proxy":
      await box.configure(change);
      return await use(world);
    case "sdk": {
      const { sdk, started } = await installMesh(box);
      await box.configure({ ...change, ...sdk });
      return await use({ ...world, started });
    }
    case "system": {
      await box.configure(change);
      const mesh = await startMesh(box);
      try {
        return await use({ ...world, enter: mesh.enter });
      } finally {
        await mesh.end();
      }
    }
  }
}

/** The bridge with its stand-in, behind a Node that writes down that it was started. */
async function installMesh(
  box: Box,
): Promise<{ readonly sdk: ConfigChange; readonly started: World["started"] }> {
  const home = `${box.dir}/mesh`;
  const bridge = await installBridge(home, {
    services: {
      "monky.tenancy.deploy": { port: box.paths.tenancy.port },
      openbao: { port: box.paths.bao.port },
    },
  });
  const identity = `${home}/identity.json`;
  await Deno.writeTextFile(identity, await identityText(), { mode: 0o600 });
  const node = `${home}/node`;
  const starts = `${home}/starts`;
  const script = `#!/bin/sh\necho started >>'${starts}'\nexec '${await nodePath()}' "$@"\n`;
  await Deno.writeTextFile(node, script, { mode: 0o755 });
  return {
    sdk: { identity, sdk: { node, bridge } },
    started: () => {
      try {
        Deno.removeSync(starts);
        return [node];
      } catch {
        return [];
      }
    },
  };
}
