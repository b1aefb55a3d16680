/**
 * The ansible role as files: its variables are documented once and the same everywhere, and its tasks
 * keep the rules on secrets and check mode. How it plays is tested in tests/real/ansible_test.ts.
 */

import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { KEYS } from "../src/config/schema.ts";

const ROLE = new URL("../packaging/ansible/roles/monky_deployd/", import.meta.url).pathname;

interface Option {
  readonly type: string;
  readonly description: string;
  readonly required?: boolean;
  readonly no_log?: boolean;
  readonly default?: unknown;
  readonly choices?: readonly string[];
}

type Task = Readonly<Record<string, unknown>>;

const SPECS = await readYaml<
  { argument_specs: { main: { options: Readonly<Record<string, Option>> } } }
>("meta/argument_specs.yml");
const OPTIONS = SPECS.argument_specs.main.options;
const DEFAULTS = await readYaml<Readonly<Record<string, unknown>>>("defaults/main.yml");
/** The variables that hold a secret, and what is made of them. */
const SECRETS = [
  ...Object.entries(OPTIONS).filter(([, option]) => option.no_log === true).map(([name]) => name),
  ...["monky_deployd__token", "monky_deployd__token_header", "monky_deployd__grant_jwt"],
  ...["monky_deployd__enrol_jwt", "monky_deployd__grant_claims"],
];

Deno.test("every variable of the role has a default or is required, and no other has", () => {
  const documented = Object.entries(OPTIONS).filter(([, { required }]) => required !== true);
  assertEquals(Object.keys(DEFAULTS), documented.map(([name]) => name));
  for (const [name, option] of documented) {
    const isExpression = String(DEFAULTS[name]).includes("{{");
    assertEquals(option.default, isExpression ? undefined : DEFAULTS[name] ?? undefined, name);
  }
});

Deno.test("the role's version is the project's", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(`${ROLE}../../../../deno.json`));
  assertEquals(DEFAULTS["monky_deployd_version"], version);
});

Deno.test("a variable that stands for a key of the config names one that there is", () => {
  const named = Object.values(OPTIONS).flatMap(({ description }) =>
    /^C\(([a-z_.]+)\) of the config/.exec(description)?.[1] ?? []
  );
  assertEquals(named.length, 7);
  assertEquals(named.filter((key) => !(key in KEYS)), []);
});

Deno.test("README.md has the table of variables that argument_specs.yml makes", async () => {
  const readme = await Deno.readTextFile(`${ROLE}README.md`);
  const [, table] = /<!-- table of variables[^>]*-->\n\n([\s\S]*?)\n*<!-- end/.exec(readme) ?? [];
  assertEquals(cells(table ?? ""), [["variable", "value", "default", ""], ...rows()]);
});

Deno.test("every task that is given a secret hides it", async () => {
  let seen = 0;
  for (const { file, task } of await allTasks()) {
    const own = Object.entries(task)
      .filter(([key]) => !["block", "rescue", "always", "when"].includes(key));
    // Whether there is one is no secret.
    const text = JSON.stringify(own).replaceAll(/monky_deployd__\w+ [!=]= ''/g, "");
    if (!SECRETS.some((name) => new RegExp(`\\{\\{[^{}]*${name}\\b`).test(text))) continue;
    seen++;
    assertEquals(task["no_log"], true, `${file}: ${task["name"]}`);
  }
  assertEquals(seen, 5);
});

Deno.test("every command says what it changes and what check mode makes of it; none is a shell's", async () => {
  const commands = (await allTasks()).filter(({ task }) => "ansible.builtin.command" in task);
  assert(commands.length > 8);
  for (const { file, task } of commands) {
    const where = `${file}: ${task["name"]}`;
    const command = task["ansible.builtin.command"] as Readonly<Record<string, unknown>>;
    const looks = task["changed_when"] === false;
    const foretells = "creates" in command || "removes" in command;
    assert(Array.isArray(command["argv"]) || /\{\{/.test(String(command["argv"])), where);
    assert(looks !== foretells || file === "handlers/main.yml", where);
    assert(!looks || task["check_mode"] === false || task["name"] === "Ask the doctor", where);
  }
  const shells = (await allTasks()).filter(({ task }) =>
    "ansible.builtin.shell" in task || "ansible.builtin.raw" in task
  );
  assertEquals(shells, []);
});

/** The rows of the README's table. */
function rows(): readonly (readonly string[])[] {
  return Object.entries(OPTIONS).map(([name, option]) => [
    `\`${name}\``,
    (option.choices?.join(", ") ?? option.type) + (option.no_log === true ? ", secret" : ""),
    option.required === true ? "required" : shown(DEFAULTS[name]),
    option.description.replaceAll(/C\((.*?)\)/g, "`$1`"),
  ]);
}

function shown(value: unknown): string {
  if (String(value).includes("{{")) return "made from others";
  return `\`${value === "" ? '""' : typeof value === "object" ? JSON.stringify(value) : value}\``;
}

function cells(table: string): readonly (readonly string[])[] {
  return table.split("\n")
    .filter((line) => line.startsWith("|") && !line.startsWith("| -"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

async function allTasks(): Promise<readonly { readonly file: string; readonly task: Task }[]> {
  const found: { file: string; task: Task }[] = [];
  const add = (file: string, tasks: readonly Task[]): void => {
    for (const task of tasks) {
      found.push({ file, task });
      for (const part of ["block", "rescue", "always"]) {
        // A block hides what is in it.
        const hidden = task["no_log"] === true ? { no_log: true } : {};
        const inner = (task[part] ?? []) as readonly Task[];
        add(file, inner.map((one) => ({ ...hidden, ...one })));
      }
    }
  };
  for (const folder of ["tasks", "handlers"]) {
    for await (const { name } of Deno.readDir(ROLE + folder)) {
      add(`${folder}/${name}`, await readYaml<readonly Task[]>(`${folder}/${name}`));
    }
  }
  return found;
}

async function readYaml<T>(name: string): Promise<T> {
  return parse(await Deno.readTextFile(ROLE + name)) as T;
}
