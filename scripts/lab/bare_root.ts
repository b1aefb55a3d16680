/** The root of a bare Debian 12 as an archive in the lab's cache, made once with debootstrap. */

import { debianSource, installMissing, type Say } from "./apt.ts";
import { takeLock } from "./lock.ts";
import { runChecked } from "./process.ts";

/** systemd and what a minimal server has; neither curl nor acl, which an installer must get itself. */
const PACKAGES = ["systemd", "systemd-sysv", "dbus", "ca-certificates", "procps"];
const RELEASE = "bookworm";
const MAKING_MS = 900_000;

/**
 * Gives the archive; makes it when there is none.
 *
 * @param cacheDir the lab's cache folder
 * @param say told before something takes long
 * @returns path of a tar file, about 250 MB
 * @throws Error when debootstrap fails, with its last lines
 */
export async function bareRoot(cacheDir: string, say: Say): Promise<string> {
  const archive = `${cacheDir}/bare-${RELEASE}.tar`;
  const isThere = (): Promise<boolean> => Deno.stat(archive).then(() => true, () => false);
  if (await isThere()) return archive;
  await using _lock = await takeLock(`${archive}.lock`, {
    what: "somebody else who makes it",
    patienceMs: MAKING_MS * 2,
  });
  if (await isThere()) return archive;
  await installMissing([{ program: "debootstrap", packages: ["debootstrap"] }], say);
  say(`making a bare Debian ${RELEASE} with debootstrap ...`);
  const { uri } = await debianSource();
  const work = await Deno.makeTempDir({ dir: cacheDir, prefix: "bare-" });
  try {
    const root = `${work}/root`;
    await runChecked(
      ["debootstrap", "--variant=minbase", `--include=${PACKAGES.join(",")}`, RELEASE, root, uri],
      { timeoutMs: MAKING_MS },
    );
    await runChecked(["rm", "-rf", `${root}/var/cache/apt/archives`, `${root}/var/lib/apt/lists`]);
    await runChecked(["tar", "-C", root, "-cf", `${work}/root.tar`, "."], { timeoutMs: MAKING_MS });
    await Deno.rename(`${work}/root.tar`, archive);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return archive;
}
