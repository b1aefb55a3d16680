/**
 * Getting the newer Engine and compose: unpacked from Debian packages of a later release into the
 * lab's cache, installed nowhere. What counts as newer stands in packages.ts.
 */

import { describePackages, openRelease, type Say, unpackPackages } from "../../lab/apt.ts";
import type { DockerPrograms } from "../../lab/docker_engine.ts";
import { run, runChecked } from "../../lab/process.ts";
import {
  choosePackages,
  isAtLeast,
  NEWER,
  NEWER_COMPOSE,
  NEWER_ENGINE,
  versionIn,
} from "./packages.ts";

/** Asked in this order; the first that has the pair in a form that runs here gives it. */
const RELEASES = ["sid", "testing"];

/**
 * Gives the programs of the newer pair: those in the cache, else fetched.
 *
 * @param cacheDir the lab's cache folder; they are kept in `newer/` there
 * @param say told before anything is fetched, and what was taken
 * @returns folders and plugin, which ran on this machine and are new enough
 * @throws Error when no release has them: each release and what it lacks
 */
export async function fetchNewer(cacheDir: string, say: Say): Promise<DockerPrograms> {
  const folder = `${cacheDir}/newer`;
  const programs = programsIn(folder);
  if (await objectionTo(programs) === null) return programs;
  say(`fetching a newer Docker from Debian ${RELEASES[0]} with apt ...`);
  const part = `${folder}.part`;
  await removeIfThere(part);
  try {
    const unpacked = await unpackFirst(part, say);
    const why = await objectionTo(programsIn(unpacked));
    if (why !== null) throw new Error(`the newer Docker cannot be used: ${why}`);
    await removeIfThere(folder);
    await Deno.rename(unpacked, folder);
    return programs;
  } finally {
    await removeIfThere(part);
  }
}

async function unpackFirst(part: string, say: Say): Promise<string> {
  const libc = await runChecked(["dpkg-query", "-W", "-f", "${Version}\n", "libc6"]);
  const names = NEWER.map(({ name }) => name);
  const reasons: string[] = [];
  for (const name of RELEASES) {
    try {
      const release = await openRelease(name, `${part}/${name}`);
      const described = await describePackages(release, names);
      const { packages, lacking } = choosePackages(described, { wanted: NEWER, libc });
      if (lacking.length === 0) {
        say(`taking ${packages.join(", ")} of Debian ${name}`);
        return await unpackPackages(release, packages);
      }
      reasons.push(`${name}: ${lacking.join("; ")}`);
    } catch (error) {
      reasons.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new Error(`no Debian release has a newer Docker for this machine:\n${reasons.join("\n")}`);
}

function programsIn(folder: string): DockerPrograms {
  return {
    folders: [`${folder}/usr/sbin`, `${folder}/usr/bin`],
    plugin: `${folder}/usr/libexec/docker/cli-plugins/docker-compose`,
  };
}

/** Why these programs do not make the newer pair; null when they do. */
async function objectionTo({ folders, plugin }: DockerPrograms): Promise<string | null> {
  const asked = [
    { wanted: NEWER_ENGINE, command: [`${folders[0]}/dockerd`, "--version"] },
    { wanted: NEWER_COMPOSE, command: [plugin, "version"] },
  ];
  for (const { wanted, command } of asked) {
    // A program that cannot be loaded names versions too, of libraries.
    const said = await run(command, { timeoutMs: 10_000 }).then(
      ({ code, stdout, stderr }) => ({ isAnswer: code === 0, text: `${stdout}${stderr}`.trim() }),
      () => ({ isAnswer: false, text: "no such program" }),
    );
    const version = said.isAnswer ? versionIn(said.text) : null;
    if (version === null || !isAtLeast(version, wanted.atLeast)) {
      return `${command.join(" ")} says "${said.text}", ${wanted.atLeast} or newer counts`;
    }
  }
  return null;
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
