/**
 * The packaged tree in a folder, with a runtime that only says what it was started with: how tests
 * look at the launcher without building anything. As on a box, but every path is below the folder.
 */

import { sealedGrants } from "../../scripts/build/tree.ts";
import { writeExecutable } from "./executable.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** Prints each start as a line: the user, then the words; then its environment and its limits. */
const RUNTIME = `#!/bin/sh
{
  printf '%s' "$(id -un)"
  printf ' <%s>' "$@"
  printf '\\n'
} >>"@FOLDER@/starts"
env >"@FOLDER@/environment"
{ umask; ulimit -c; echo $$; } >"@FOLDER@/limits"
case " $* " in
  *" permissions "*)
    [ -e "@FOLDER@/wrong" ] && exit 78
    cat "@FOLDER@/flags"
    ;;
  *" sleep "*) exec sleep 60 ;;
  *) exit 42 ;;
esac
`;

/** A tree, and what was seen of the runtime in it. */
export interface LauncherTree {
  readonly folder: string;
  readonly launcher: string;
  readonly lib: string;
  readonly config: string;
  readonly grants: string;
  /** Starts so far: `user <word> <word>`, oldest first. */
  starts(): readonly string[];
  /** Runs the launcher to its end, under the environment and nothing else. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<LaunchEnd>;
  /** Runs write-grants, as the unit does before a tick. */
  writeGrants(): Promise<void>;
}

/** How a start ended. */
export interface LaunchEnd {
  readonly code: number;
  readonly stderr: string;
}

/** Makes a tree, gives it to the test, removes it. */
export async function withLauncher(test: (tree: LauncherTree) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "monky launcher " });
  try {
    await test(await makeTree(folder));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function makeTree(folder: string): Promise<LauncherTree> {
  const lib = `${folder}/usr/lib/monky-deployd`;
  const launcher = `${folder}/usr/bin/monky-deployd`;
  const config = `${folder}/etc/config.yaml`;
  const run = `${folder}/run`;
  // As a package lays them down, whatever the umask is: the agent's user starts what lies there.
  for (
    const path of ["usr", "usr/lib", "usr/lib/monky-deployd", "usr/bin", "etc", "cache", "run"]
  ) {
    await Deno.mkdir(`${folder}/${path}`);
    await Deno.chmod(`${folder}/${path}`, 0o755);
  }
  const lay = async (path: string, content: string, mode: number): Promise<void> => {
    await Deno.writeTextFile(path, content);
    await Deno.chmod(path, mode);
  };
  // Another user's starts are written down too.
  await Deno.chmod(folder, 0o777);
  for (const name of ["starts", "environment", "limits"]) await lay(`${folder}/${name}`, "", 0o666);
  const scripts = `${ROOT}packaging/launcher`;
  await writeExecutable(launcher, await Deno.readTextFile(`${scripts}/monky-deployd`));
  const writeGrants = await Deno.readTextFile(`${scripts}/write-grants`);
  await writeExecutable(`${lib}/write-grants`, writeGrants);
  const places: Readonly<Record<string, string>> = {
    INSTALLED: lib,
    // A user that every system has, with a group of that name.
    AGENT_USER: "daemon",
    DEFAULT_CONFIG: config,
    CACHE_FOLDER: `${folder}/cache`,
    GRANTS_FOLDER: run,
  };
  const source = await Deno.readTextFile(`${ROOT}packaging/launcher/grants.sh`);
  const shared = sealedGrants(source)
    .replaceAll(/^([A-Z_]+)=\/?[a-z].*$/gm, (line, name) => {
      const place = places[name];
      return place === undefined ? line : `${name}='${place}'`;
    });
  await lay(`${lib}/grants.sh`, shared, 0o644);
  await writeExecutable(`${lib}/deno`, RUNTIME.replaceAll("@FOLDER@", folder));
  await lay(`${lib}/main.js`, "", 0o644);
  await lay(config, "env_id: env-a\nsite: b\n", 0o644);
  await lay(`${folder}/flags`, "--no-prompt\n--allow-read=/a b,/c\n", 0o644);
  return {
    folder,
    launcher,
    lib,
    config,
    grants: `${run}/grants`,
    starts: () => Deno.readTextFileSync(`${folder}/starts`).split("\n").slice(0, -1),
    run: (args, env = {}) => endOf(launcher, args, env),
    async writeGrants() {
      const { code, stderr } = await endOf(`${lib}/write-grants`, [], {});
      if (code !== 0) throw new Error(`write-grants ended with ${code}: ${stderr}`);
    },
  };
}

async function endOf(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<LaunchEnd> {
  const { code, stderr } = await new Deno.Command(program, {
    args: [...args],
    clearEnv: true,
    env: { ...env },
    stdin: "null",
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}
