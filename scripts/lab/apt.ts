/** Debian packages: installed into the system, or unpacked into the lab's own folder. */

import { machineLock, takeLock } from "./lock.ts";
import { findProgram, run, runChecked } from "./process.ts";

/** Where progress is told, one line a call. */
export type Say = (line: string) => void;

/** A program the lab needs and the Debian package that holds it. */
export interface Need {
  readonly program: string;
  readonly packages: readonly string[];
}

const POLICY = "/usr/sbin/policy-rc.d";
const LOCK_WAIT = ["-o", "DPkg::Lock::Timeout=180"];

/**
 * Installs what is missing, in one go, without starting any service; says what before it does.
 *
 * @param needs programs with their packages
 * @param say told the names of the packages
 * @throws Error when there is no apt-get, no root, or apt fails (with its last lines)
 */
export async function installMissing(needs: readonly Need[], say: Say): Promise<void> {
  if ((await missingPackages(needs)).length === 0) return;
  // Installations take turns, also those of other test files: each swaps `policy-rc.d`.
  await using _lock = await takeLock(machineLock("apt"), { what: "another installation" });
  await installNow(await missingPackages(needs), say);
}

async function missingPackages(needs: readonly Need[]): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const { program, packages } of needs) {
    if (await findProgram(program) === null) packages.forEach((name) => missing.add(name));
  }
  return [...missing];
}

async function installNow(packages: readonly string[], say: Say): Promise<void> {
  if (packages.length === 0) return;
  const list = packages.join(", ");
  if (await findProgram("apt-get") === null) {
    throw new Error(
      `${list} missing and there is no apt-get: install them by hand, then try again`,
    );
  }
  if (Deno.uid() !== 0) {
    throw new Error(`${list} missing: as root, apt-get install ${packages.join(" ")}`);
  }
  say(`installing ${list} with apt ...`);
  await runChecked(["apt-get", ...LOCK_WAIT, "-qq", "update"], { timeoutMs: 180_000 });
  await withoutServiceStarts(() =>
    runChecked(
      ["apt-get", ...LOCK_WAIT, "-qq", "-y", "--no-install-recommends", "install", ...packages],
      { timeoutMs: 600_000, env: { DEBIAN_FRONTEND: "noninteractive" } },
    )
  );
}

/** Packages ask policy-rc.d before they start a service; 101 means no. The old file comes back. */
async function withoutServiceStarts(install: () => Promise<unknown>): Promise<void> {
  const before = await Deno.readTextFile(POLICY).catch(() => null);
  const mode = (await Deno.stat(POLICY).catch(() => null))?.mode ?? 0o755;
  await Deno.writeTextFile(POLICY, "#!/bin/sh\nexit 101\n");
  await Deno.chmod(POLICY, 0o755);
  try {
    await install();
  } finally {
    if (before === null) await Deno.remove(POLICY);
    else {
      await Deno.writeTextFile(POLICY, before);
      await Deno.chmod(POLICY, mode & 0o7777);
    }
  }
}

/** Another Debian release, by package lists of its own. */
export interface ForeignRelease {
  /** Holds lists and packages. */
  readonly folder: string;
  /** What makes an apt program use these lists and no others. */
  readonly options: readonly string[];
}

/**
 * Fetches the package lists of another Debian release, leaving the system's own alone.
 *
 * @param release code name: `trixie`
 * @param folder an empty folder for lists and packages
 * @returns what the other functions here take
 * @throws Error when the machine's package source has no such release
 */
export async function openRelease(release: string, folder: string): Promise<ForeignRelease> {
  await Deno.mkdir(`${folder}/lists/partial`, { recursive: true });
  await Deno.mkdir(`${folder}/archives/partial`, { recursive: true });
  const { uri, keyring } = await debianSource();
  const signedBy = keyring === null ? "" : `[signed-by=${keyring}] `;
  await Deno.writeTextFile(`${folder}/list`, `deb ${signedBy}${uri} ${release} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${folder}/list`,
    "Dir::Etc::sourceparts=-",
    `Dir::State::lists=${folder}/lists`,
    // What is installed is no part of what the release has.
    "Dir::State::status=/dev/null",
    `Dir::Cache=${folder}`,
    "APT::Sandbox::User=root",
    "Acquire::Languages=none",
    "Acquire::Retries=3",
  ].flatMap((option) => ["-o", option]);
  await runChecked(["apt-get", ...options, "-qq", "update"], { timeoutMs: 180_000 });
  return { folder, options };
}

/**
 * What a release says of its packages.
 *
 * @param release what `openRelease` gave
 * @param names packages; those it does not have are left out
 * @returns paragraphs of `Field: value` lines, an empty line between two
 */
export async function describePackages(
  release: ForeignRelease,
  names: readonly string[],
): Promise<string> {
  return (await run(["apt-cache", ...release.options, "show", ...names])).stdout;
}

/**
 * Unpacks packages of a release, without installing them.
 *
 * @param release what `openRelease` gave
 * @param packages `name`, or `name=version`
 * @returns the folder that stands for `/` of all of them
 * @throws Error when it does not have one of them, or the download fails
 */
export async function unpackPackages(
  { folder, options }: ForeignRelease,
  packages: readonly string[],
): Promise<string> {
  await runChecked(["apt-get", ...options, "-qq", "download", ...packages], {
    cwd: folder,
    timeoutMs: 180_000,
  });
  const found = await runChecked(["find", folder, "-maxdepth", "1", "-name", "*.deb"]);
  for (const file of found.trim().split("\n")) {
    await runChecked(["dpkg", "-x", file, `${folder}/x`]);
  }
  return `${folder}/x`;
}

/**
 * The first main archive that the machine's own settings name.
 *
 * @returns its address, and the file of Debian's keys where there is one
 * @throws Error when apt has no Debian archive in its sources
 */
export async function debianSource(): Promise<{ uri: string; keyring: string | null }> {
  const format = "$(REPO_URI) $(COMPONENT) $(CREATED_BY)";
  const targets = await run(["apt-get", "indextargets", "--no-release-info", "--format", format]);
  const uri = targets.stdout.split("\n")
    .map((line) => line.split(" "))
    .find(([address = "", component, by]) =>
      component === "main" && by === "Packages" && /\/debian\/?$/.test(address)
    )?.[0];
  if (uri === undefined) throw new Error("apt has no Debian archive in its sources");
  const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
  return { uri, keyring: await Deno.stat(keyring).then(() => keyring, () => null) };
}
