/** Every command line in the documents, the hints and the doctor's fixes is one that there is. */

import { assert, assertEquals } from "@std/assert";
import { listFiles } from "../scripts/check/paths.ts";
import { CATALOGUE } from "../src/errors.ts";
import { commandsIn, type Known, wrongIn } from "./support/doc_commands.ts";

const ROOT = decodeURIComponent(new URL("../", import.meta.url).pathname);

function textOf(path: string): string {
  return Deno.readTextFileSync(`${ROOT}${path}`);
}

const KNOWN: Known = {
  tasks: Object.keys(JSON.parse(textOf("deno.json")).tasks),
  installOptions: textOf("packaging/install/options.sh"),
  units: [...Deno.readDirSync(`${ROOT}packaging/systemd`)].map(({ name }) => name),
  isThere: (path) => {
    try {
      return Deno.statSync(`${ROOT}${path}`) !== null;
    } catch {
      return false;
    }
  },
};

const DOCS = (await listFiles(ROOT, (path) => /\.md$/.test(path)))
  .filter((path) => !path.startsWith("tests/cases/"));

Deno.test("every command line in the documents is one that there is", () => {
  const wrong: string[] = [];
  let count = 0;
  for (const path of DOCS) {
    for (const { line, words } of commandsIn(textOf(path))) {
      count++;
      const why = wrongIn(words, KNOWN);
      if (why !== null) wrong.push(`${path}:${line}: ${words.join(" ")}: ${why}`);
    }
  }
  assertEquals(wrong, []);
  assert(count > 40, `only ${count} command lines were found`);
});

Deno.test("every file and page that a document links to is there", () => {
  const dead: string[] = [];
  for (const path of DOCS) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    for (const [, target = ""] of textOf(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const there = new URL(target, `file:///${folder}`).pathname.slice(1);
      if (!KNOWN.isThere(there)) dead.push(`${path}: ${target}`);
    }
  }
  assertEquals(dead, []);
});

Deno.test("every hint's commands of the agent and units are ones that there are", () => {
  const wrong: string[] = [];
  for (const [code, { hint }] of Object.entries(CATALOGUE)) {
    const agent = hint.matchAll(/(?<!chown |docker )\bmonky-deployd (config \w+|[a-z]+)/g);
    for (const [typed] of agent) {
      const why = wrongIn(typed.split(" "), KNOWN);
      if (why !== null) wrong.push(`${code}: ${typed}: ${why}`);
    }
    for (const [unit = ""] of hint.matchAll(/monky-deployd[a-z-]*\.(?:service|timer)/g)) {
      if (!KNOWN.units.includes(unit)) wrong.push(`${code}: ${unit}`);
    }
  }
  assertEquals(wrong, []);
});
