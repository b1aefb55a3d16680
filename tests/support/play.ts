/**
 * Plays the ansible role on a bare box, as an operator would from another machine: ansible's ssh
 * connection, with a stand-in for the program ssh that goes into the box by the Engine.
 */

import {
  type Ansible,
  type AnsibleVersion,
  type BareBox,
  findAnsible,
  type LabInfo,
  sayOnStderr,
} from "../../scripts/lab/mod.ts";

const ROLES = new URL("../../packaging/ansible/roles", import.meta.url).pathname;

/** What a play gave. */
export interface PlayResult {
  readonly code: number;
  /** All that was printed. */
  readonly text: string;
  /** Names of the tasks that changed something, or in check mode would. */
  readonly changed: readonly string[];
}

/** Variables of the role, by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** How a play is run. */
export interface PlayOptions {
  readonly version: AnsibleVersion;
  readonly check?: boolean;
}

/** A controller with an inventory of one box. */
export interface Controller extends AsyncDisposable {
  play(variables: Variables, options: PlayOptions): Promise<PlayResult>;
}

/** Makes a controller for a box; whoever makes it disposes of it. */
export async function makeController(lab: LabInfo, box: BareBox): Promise<Controller> {
  const dir = await Deno.makeTempDir({ prefix: "play-" });
  const words = box.command("").slice(0, -1).map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(
    `${dir}/ssh`,
    `#!/bin/sh
# The command is the last word; the words before say how ssh would go about it.
for word in "$@"; do command=$word; done
[ "$command" != ControlPersist ] || exit 0
exec ${words} "$command"
`,
    { mode: 0o755 },
  );
  await Deno.writeTextFile(
    `${dir}/play.yml`,
    "- hosts: all\n  gather_facts: false\n  roles: [monky_deployd]\n",
  );
  await Deno.writeTextFile(
    `${dir}/hosts.yml`,
    JSON.stringify({
      all: { hosts: { box: { ansible_python_interpreter: "/usr/bin/python3" } } },
    }),
  );
  return {
    play: async (variables, { version, check = false }) => {
      const ansible = await findAnsible(`${lab.dir}/cache`, version, sayOnStderr);
      // In a file, as a vault would have it, and not in the arguments.
      await Deno.writeTextFile(`${dir}/vars.json`, JSON.stringify(variables), { mode: 0o600 });
      const args = ["-i", "hosts.yml", "-e", "@vars.json", ...(check ? ["--check"] : [])];
      return await playbook(ansible, [...args, "play.yml"], {
        dir,
        env: {
          ANSIBLE_SSH_EXECUTABLE: `${dir}/ssh`,
          ANSIBLE_SSH_TRANSFER_METHOD: "piped",
          ANSIBLE_PIPELINING: "1",
        },
      });
    },
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

/**
 * Runs `ansible-playbook` with these arguments.
 *
 * @param ansible which one
 * @param args its arguments
 * @param where `dir`: the folder that it runs in and keeps its own things in
 * @returns what it gave
 */
export async function playbook(
  ansible: Ansible,
  args: readonly string[],
  where: { readonly dir: string; readonly env?: Readonly<Record<string, string>> },
): Promise<PlayResult> {
  const { code, stdout, stderr } = await ansible.run(["ansible-playbook", "-vvv", ...args], {
    cwd: where.dir,
    home: `${where.dir}/ansible`,
    env: { ANSIBLE_ROLES_PATH: ROLES, ...where.env },
  });
  return { code, text: stdout + stderr, changed: changedTasks(stdout) };
}

/** Looks at the arguments of every process of the machine, boxes included, until it is disposed of. */
export function watchArguments(): AsyncDisposable & { readonly seen: readonly string[] } {
  const seen = new Set<string>();
  let isOver = false;
  const watching = (async (): Promise<void> => {
    while (!isOver) {
      for await (const { name } of Deno.readDir("/proc")) {
        if (!/^\d+$/.test(name)) continue;
        seen.add(await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => ""));
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    get seen() {
      return [...seen];
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await watching;
    },
  };
}

/** Handlers count as well; a task over a list counts once. */
function changedTasks(stdout: string): readonly string[] {
  const found: string[] = [];
  let task = "";
  for (const line of stdout.split("\n")) {
    task = /^(?:TASK|RUNNING HANDLER) \[(?:monky_deployd : )?(.*?)\] \*+$/.exec(line)?.[1] ?? task;
    if (line.startsWith("changed: ") && found.at(-1) !== task) found.push(task);
  }
  return found;
}
