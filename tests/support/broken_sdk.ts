/** Boxes on the transport `sdk` that are broken: identity, Node, bridge, addon, mesh. */

import type { Box, ConfigChange } from "../../scripts/box/box.ts";
import { testCerts } from "../io/tls_setup.ts";
import { changeStandin, identityText, installBridge, nodePath } from "../bridge/install.ts";
import type { StandinOptions } from "../bridge/install.ts";
import type { BrokenBox } from "./broken_boxes.ts";

/** Where the box's identity lies: in a folder of its own. */
export function identityOf(box: Box): string {
  return `${box.dir}/identities/box.json`;
}

/** How the stand-in of the addon behaves on a good box. */
function goodStandin(box: Box): StandinOptions {
  return {
    services: {
      "monky.tenancy.deploy": { port: box.paths.tenancy.port },
      openbao: { port: box.paths.bao.port },
    },
  };
}

/** Puts a good box on the transport `sdk`; then changes the config. */
export async function setUpSdk(box: Box, change: ConfigChange = {}): Promise<void> {
  await Deno.mkdir(box.stateDir, { mode: 0o700, recursive: true });
  const bridge = await installBridge(`${box.dir}/mesh`, goodStandin(box));
  await Deno.mkdir(`${box.dir}/identities`, { mode: 0o711 });
  await Deno.writeTextFile(identityOf(box), await identityText(), { mode: 0o600 });
  const { sdk = {}, ...rest } = change;
  await box.configure({
    transport: "sdk",
    identity: identityOf(box),
    sdk: { node: await nodePath(), bridge, ...(sdk as ConfigChange) },
    ...rest,
  });
}

function sdk(spoil: (box: Box) => Promise<unknown>): BrokenBox["spoil"] {
  return async (box) => {
    await setUpSdk(box);
    await spoil(box);
  };
}

function standin(change: Partial<StandinOptions>): BrokenBox["spoil"] {
  return sdk((box) => changeStandin(`${box.dir}/mesh`, { ...goodStandin(box), ...change }));
}

const CHECK = /mesh\/bridge\/check\.cjs .*box\.json monky\.tenancy\.deploy openbao$/;

/** Each with a fresh box of its own. */
export const BROKEN_SDK: readonly BrokenBox[] = [
  {
    broken: "no identity file",
    spoil: sdk((box) => Deno.remove(identityOf(box))),
    cause: "identity",
    code: "ZITI_IDENTITY",
    fix: /ziti-edge-tunnel enroll -j NEW\.jwt -i .*box\.json/,
  },
  {
    broken: "an identity that stays half written",
    spoil: sdk(async (box) =>
      await Deno.writeTextFile(identityOf(box), (await identityText()).slice(0, 150))
    ),
    cause: "identity",
    code: "ZITI_IDENTITY",
    fix: /enroll/,
  },
  {
    broken: "an identity that has expired",
    spoil: sdk(async (box) =>
      await Deno.writeTextFile(identityOf(box), await identityText("expired"))
    ),
    cause: "identity",
    code: "ZITI_IDENTITY",
    fix: /timedatectl.*enroll/,
  },
  {
    broken: "an identity whose key belongs to another certificate",
    spoil: sdk(async (box) => {
      const identity = JSON.parse(await identityText());
      identity.id.key = `pem:${(await testCerts()).pair("other").key}`;
      await Deno.writeTextFile(identityOf(box), JSON.stringify(identity));
    }),
    cause: "identity",
    code: "ZITI_IDENTITY",
    fix: /enroll/,
  },
  {
    broken: "an identity that names no controller",
    spoil: sdk(async (box) => {
      const identity = JSON.parse(await identityText());
      await Deno.writeTextFile(identityOf(box), JSON.stringify({ ...identity, ztAPI: null }));
    }),
    cause: "identity",
    code: "ZITI_IDENTITY",
    fix: /enroll/,
  },
  {
    broken: "no Node where sdk.node points",
    spoil: (box) => setUpSdk(box, { sdk: { node: `${box.dir}/no-node` } }),
    cause: "mesh",
    code: "ZITI_BRIDGE_FAILED",
    fix: /no-node --version; .*sdk\.node and sdk\.bridge in .*config\.yaml/,
  },
  {
    broken: "no addon beside the bridge",
    spoil: sdk((box) => Deno.remove(`${box.dir}/mesh/bridge/node_modules`, { recursive: true })),
    cause: "mesh",
    code: "ZITI_BRIDGE_FAILED",
    fix: /ls -l .*bridge\.cjs/,
  },
  {
    broken: "a controller that cannot be reached",
    spoil: standin({ login: { reject: "x", code: -16 } }),
    cause: "mesh",
    code: "ZITI_UNAVAILABLE",
    fix: CHECK,
  },
  {
    broken: "an identity without a Dial policy for OpenBao",
    spoil: sdk((box) => {
      const { "monky.tenancy.deploy": tenancy } = goodStandin(box).services;
      if (tenancy === undefined) throw new Error("the stand-in has no tenancy");
      const services = { "monky.tenancy.deploy": tenancy };
      return changeStandin(`${box.dir}/mesh`, { services });
    }),
    cause: "mesh",
    code: "ZITI_SERVICE_UNAVAILABLE",
    fix: CHECK,
  },
];
