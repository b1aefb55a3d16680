// `config`: the agent's whole config for a box on this machine, over the lab and the tenancy.

import { stringify } from "@std/yaml";
import { readLab } from "../../lab/mod.ts";
import { sleep } from "../../lab/wait.ts";
import { readAdminInfo } from "../admin_file.ts";
import { CommandFailed, HOW_TO_START } from "./admin_client.ts";
import type { Options } from "./options.ts";

/** Deno compiles a tenancy that is started for the first time, and the lab may be busy. */
const STARTING_MS = 20_000;

/**
 * Gives the config as text, or writes it to `--out`. The box's folders lie beside the file, or in
 * the working folder. Throws `CommandFailed` when no lab or no tenancy runs, or when the file is there,
 * says something else, and `--force` is not given.
 */
export async function config({ folder, values, switches }: Options): Promise<string[]> {
  const env = values["env"] ?? "env-dev";
  const out = values["out"];
  const lab = await readLab();
  if (lab === null) throw new CommandFailed("no lab runs; start one with: deno task lab up");
  const info = await adminInfoSoon(folder);
  if (info === null) throw new CommandFailed(`no tenancy runs in ${folder}; ${HOW_TO_START}`);
  const dir = `${out === undefined ? Deno.cwd() : await folderOf(out)}/box-${env}`;
  const text = stringify({
    env_id: env,
    site: "laptop",
    transport: "proxy",
    bootstrap_file: `${dir}/bootstrap.jwt`,
    state_dir: `${dir}/state`,
    deploy_dir: `${dir}/deploy`,
    tenancy: { proxy_addr: `127.0.0.1:${info.port}` },
    bao: { proxy_addr: new URL(lab.bao.address).host, ca: lab.bao.caFile },
    docker: {
      compose: lab.compose.plugin,
      host: lab.docker.host,
      data_root: lab.docker.dataRoot,
    },
  });
  if (out === undefined) return text.trimEnd().split("\n");
  await writeConfig(out, text, { force: switches.has("force") });
  await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
  return [
    `${out} makes ${env} a box in ${dir}`,
    `next: deno task tenancy grant --env ${env} --out ${dir}/bootstrap.jwt`,
  ];
}

/** Writes the file. Throws `CommandFailed` rather than lose what somebody changed in it. */
export async function writeConfig(
  path: string,
  text: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  const before = await Deno.readTextFile(path).catch((error: unknown) => {
    if (error instanceof Deno.errors.NotFound) return text;
    throw error;
  });
  if (before !== text && !force) {
    throw new CommandFailed(
      `${path} is there and says something else; --force overwrites it, or name another --out`,
    );
  }
  await Deno.writeTextFile(path, text);
}

/** A tenancy that was started in the line before is not there at once. */
async function adminInfoSoon(folder: string): ReturnType<typeof readAdminInfo> {
  for (const until = performance.now() + STARTING_MS; performance.now() < until;) {
    const info = await readAdminInfo(folder);
    if (info !== null) return info;
    await sleep(100);
  }
  return null;
}

async function folderOf(path: string): Promise<string> {
  const at = path.lastIndexOf("/");
  return await Deno.realPath(at < 0 ? "." : path.slice(0, at) || "/");
}
