/** Boxes that are broken before their first tick: config, folders, grant, role, docker. */

import { mintGrant } from "../../scripts/lab/mod.ts";
import { mountSmallDisk } from "../../scripts/matrix/small_disk.ts";
import type { Box } from "../../scripts/box/box.ts";
import { type BrokenBox, configured, htmlPage, serve, writePrinter } from "./broken_boxes.ts";

const NOBODY = 65534;

async function grant(box: Box, text: string): Promise<void> {
  await Deno.writeTextFile(box.bootstrapFile, text, { mode: 0o600 });
}

/** Each with a fresh box of its own. */
export const BROKEN_FRESH: readonly BrokenBox[] = [
  {
    broken: "no config file",
    spoil: ({ configPath }) => Deno.remove(configPath),
    cause: "config",
    code: "CONFIG_MISSING",
    fix: /config\.example\.yaml .*config\.yaml/,
  },
  {
    broken: "a key that nobody knows",
    spoil: configured(() => ({ intervall_s: 5 })),
    cause: "config",
    code: "CONFIG_INVALID",
    fix: /monky-deployd config check --config/,
  },
  {
    broken: "a config of other bytes than text",
    spoil: ({ configPath }) => Deno.writeFile(configPath, new Uint8Array([0xff, 0xfe, 0x00])),
    cause: "config",
    code: "CONFIG_INVALID",
    fix: /monky-deployd config check/,
  },
  {
    broken: "a folder where the config should be",
    spoil: async ({ configPath }) => {
      await Deno.remove(configPath);
      await Deno.mkdir(configPath);
    },
    cause: "config",
    code: "FILE_UNREADABLE",
    fix: /ls -l .*config\.yaml/,
  },
  {
    broken: "no CA where bao.ca points",
    spoil: configured((box) => ({ bao: { ca: `${box.dir}/no-ca.pem` } })),
    cause: "config",
    code: "CONFIG_INVALID",
    fix: /config\.yaml/,
  },
  {
    broken: "a file where the state folder should be",
    spoil: ({ stateDir }) => Deno.writeTextFile(stateDir, ""),
    cause: "folders",
    code: "FILE_UNWRITABLE",
    fix: /^mv .*\/state /,
  },
  {
    broken: "a deploy folder of another user, as a tick by hand leaves it",
    spoil: async ({ stateDir, deployDir }) => {
      for (const dir of [stateDir, deployDir]) await Deno.mkdir(dir, { mode: 0o700 });
      await Deno.chown(stateDir, NOBODY, NOBODY);
    },
    cause: "folders",
    code: "FILE_UNREADABLE",
    fix: /^chown -R 65534: .*\/state .*\/deploy$/,
  },
  {
    broken: "a full disk below the state folder",
    spoil: async ({ stateDir }, later) => {
      const disk = await mountSmallDisk(stateDir, 64);
      later(() => disk.close());
    },
    cause: "folders",
    code: "DISK_FULL",
    fix: /^df -h /,
  },
  {
    broken: "no grant and no token",
    spoil: (box) => Deno.remove(box.bootstrapFile),
    cause: "grant",
    code: "GRANT_MISSING",
    fix: /install\.sh --env env-t-\w+ .*--bootstrap-file .*bootstrap\.jwt/,
  },
  {
    broken: "a grant cut off by a copy",
    spoil: async (box) => await grant(box, (await mintGrant(box.lab, box.env)).slice(0, 60)),
    cause: "grant",
    code: "GRANT_INVALID",
    fix: /install\.sh/,
  },
  {
    broken: "a grant of last week",
    spoil: async (box) =>
      await grant(box, await mintGrant(box.lab, box.env, { exp: 1_700_000_000 })),
    cause: "grant",
    code: "GRANT_EXPIRED",
    fix: /install\.sh/,
  },
  {
    broken: "a grant of another box",
    spoil: async (box) => await grant(box, await mintGrant(box.lab, "env-other")),
    cause: "grant",
    code: "GRANT_ENV_MISMATCH",
    fix: /install\.sh/,
  },
  {
    broken: "a grant of a third user",
    spoil: async (box) => {
      await Deno.mkdir(box.stateDir, { mode: 0o700 });
      await Deno.chown(box.bootstrapFile, NOBODY, NOBODY);
    },
    cause: "grant",
    code: "GRANT_UNREADABLE",
    fix: /chmod 600 .*bootstrap\.jwt; chown 0: /,
  },
  {
    broken: "a role that OpenBao does not know",
    spoil: configured(() => ({ bao: { role: "see-env-2" } })),
    cause: "role",
    code: "BAO_LOGIN_REFUSED",
    fix: /bao read auth\/jwt-tenancy\/role\/see-env-2/,
  },
  {
    broken: "an auth mount that OpenBao does not know",
    spoil: configured(() => ({ bao: { auth_mount: "jwt-old" } })),
    cause: "role",
    code: "BAO_LOGIN_REFUSED",
    fix: /bao\.auth_mount and bao\.role in .*config\.yaml/,
  },
  {
    broken: "a web page in tenancy's place",
    spoil: async (box, later) => {
      await box.configure({ tenancy: { proxy_addr: serve(htmlPage, later) } });
    },
    cause: "tenancy",
    code: "TENANCY_BAD_ANSWER",
    fix: /systemctl restart/,
  },
  {
    broken: "the Docker Engine is stopped",
    spoil: (box) => box.paths.docker.refuse(),
    cause: "docker",
    code: "DOCKER_UNAVAILABLE",
    fix: /systemctl start docker\.service/,
  },
  {
    broken: "a Docker Engine of 2019",
    spoil: async (box, later) => {
      const path = `${box.dir}/old.sock`;
      const server = Deno.serve(
        { path, onListen: () => {} },
        () => Response.json({ Version: "19.03.5", ApiVersion: "1.40" }),
      );
      later(() => server.shutdown());
      await box.configure({ docker: { host: `unix://${path}` } });
    },
    cause: "docker",
    code: "DOCKER_TOO_OLD",
    fix: /apt-get install --only-upgrade docker-ce/,
  },
  {
    broken: "no compose plugin",
    spoil: configured((box) => ({ docker: { compose: `${box.dir}/no-compose` } })),
    cause: "compose",
    code: "COMPOSE_MISSING",
    fix: /apt-get install docker-compose-plugin/,
  },
  {
    broken: "an old compose plugin",
    spoil: configured(async (box) => {
      await writePrinter(`${box.dir}/old-compose`, "2.10.2");
      return { docker: { compose: `${box.dir}/old-compose` } };
    }),
    cause: "compose",
    code: "COMPOSE_TOO_OLD",
    fix: /docker-compose-plugin/,
  },
  {
    broken: "less free disk than must stay free",
    spoil: configured(() => ({ docker: { disk_headroom_bytes: 2 ** 50 } })),
    cause: "disk",
    code: "DISK_INSUFFICIENT",
    fix: /df -h .*; docker system df/,
  },
  {
    broken: "no folder where docker's data should be",
    spoil: configured((box) => ({ docker: { data_root: `${box.dir}/no-data` } })),
    cause: "disk",
    code: "FILE_UNREADABLE",
    fix: /ls -ld .*no-data/,
  },
];
