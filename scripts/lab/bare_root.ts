/** The root of a bare Debian 12 as an archive in the lab's cache, made once with debootstrap. */

import { debianSource, installMissing, type Say } from "./apt.ts";
import { runChecked } from "./process.ts";

/** systemd and what a minimal server has; neither curl nor acl, which an installer must get itself. */
const PACKAGES = ["systemd", "systemd-sysv", "dbus", "ca-certificates", "procps"];
const RELEASE = "bookworm";

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
  if (await Deno.stat(archive).then(() => true, () => false)) return archive;
  await installMissing([{ program: "debootstrap", packages: ["debootstrap"] }], say);
  say(`making a bare Debian ${RELEASE} with debootstrap ...`);
  const { uri } = await debianSource();
  const work = await Deno.makeTempDir({ dir: cacheDir, prefix: "bare-" });
  try {
    const root = `${work}/root`;
    await runChecked(
      ["debootstrap", "--variant=minbase", `--include=${PACKAGES.join(",")}`, RELEASE, root, uri],
      { timeoutMs: 600_000 },
    );
    await runChecked(["rm", "-rf", `${root}/var/cache/apt/archives`, `${root}/var/lib/apt/lists`]);
    await runChecked(["tar", "-C", root, "-cf", `${work}/root.tar`, "."], { timeoutMs: 120_000 });
    await Deno.rename(`${work}/root.tar`, archive);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return archive;
}
