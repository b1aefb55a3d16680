/** Finding or fetching the docker compose plugin. */

import { openRelease, type Say, unpackPackages } from "./apt.ts";
import type { ComposeInfo } from "./info.ts";
import { run, runChecked } from "./process.ts";

const PLUGIN = "usr/libexec/docker/cli-plugins/docker-compose";

/** Where the docker client looks for plugins, in its order. */
function pluginFolders(): string[] {
  const home = Deno.env.get("HOME");
  return [
    ...(home === undefined ? [] : [`${home}/.docker/cli-plugins`]),
    "/usr/local/lib/docker/cli-plugins",
    "/usr/local/libexec/docker/cli-plugins",
    "/usr/lib/docker/cli-plugins",
    "/usr/libexec/docker/cli-plugins",
  ];
}

/**
 * Gives a compose plugin that runs: one that is installed, one of the cache, or else a fetched one.
 *
 * @param cacheDir the lab's cache folder; the plugin is kept in `compose/` there
 * @param say told before anything is fetched
 * @returns path and version
 * @throws Error when there is none and none can be fetched
 */
export async function findCompose(cacheDir: string, say: Say): Promise<ComposeInfo> {
  const cached = `${cacheDir}/compose/docker-compose`;
  for (const plugin of [...pluginFolders().map((dir) => `${dir}/docker-compose`), cached]) {
    const isThere = await Deno.stat(plugin).then(() => true, () => false);
    if (!isThere) continue;
    const version = await pluginVersion(plugin);
    if (version !== null) return { plugin, version };
  }
  say("fetching the docker compose plugin from Debian trixie with apt ...");
  const work = `${cacheDir}/compose.part`;
  await Deno.remove(work, { recursive: true }).catch(() => {});
  const unpacked = await unpackPackages(await openRelease("trixie", work), ["docker-compose"]);
  await Deno.mkdir(`${cacheDir}/compose`, { recursive: true });
  await Deno.rename(`${unpacked}/${PLUGIN}`, cached);
  await Deno.remove(work, { recursive: true });
  const version = (await runChecked([cached, "version", "--short"])).trim();
  return { plugin: cached, version };
}

/**
 * Asks a compose plugin for its version.
 *
 * @param plugin path of the file
 * @returns what `version --short` says, or null when it is no plugin that runs here
 */
export async function pluginVersion(plugin: string): Promise<string | null> {
  const result = await run([plugin, "version", "--short"], { timeoutMs: 10_000 });
  return result.code === 0 ? result.stdout.trim() : null;
}
