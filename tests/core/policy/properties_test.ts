/** What holds for any input: the policy never breaks, and more is never allowed than less. */

import { assert } from "@std/assert";
import fc from "fast-check";
import { stringify } from "@std/yaml";
import { findingName } from "../../../src/core/policy/finding.ts";
import { reachFiles } from "../../../src/core/policy/reach.ts";
import { AgentError } from "../../../src/errors.ts";
import { HARMLESS_BUNDLES } from "../../support/harmless_bundles.ts";
import { HOSTILE_FILES } from "./hostile_files.ts";
import { bind, judged } from "./resolved.ts";

const WORDS = [
  "services",
  "include",
  "env_file",
  "extends",
  "file",
  "path",
  "<<",
  "volumes",
  "driver_opts",
  "networks",
  "deploy",
  "secrets",
  "__proto__",
  "ports",
  "published",
  "ipam",
  "config",
  "cap_add",
  "privileged",
];
const leaf = fc.oneof(
  fc.constantFrom("/etc", "../x", "a.yml", "host", "~", "${X}", "bind", "", "\u0000", "oci://x"),
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    leaf,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 6 })),
      tie("tree"),
      { maxKeys: 5 },
    ),
  ),
}));

const reach = (files: Readonly<Record<string, string>>): readonly string[] =>
  reachFiles({
    has: (path) => Object.hasOwn(files, path),
    text: (path) => files[path] ?? "",
  }).findings.map(findingName);

/** Gives the names of findings, or null when the files are not read at all. */
function reachOrRefuse(files: Readonly<Record<string, string>>): readonly string[] | null {
  try {
    return reach(files);
  } catch (error) {
    assert(error instanceof AgentError && error.code === "COMPOSE_FILE_INVALID", String(error));
    return null;
  }
}

Deno.test("any text and any tree for a compose file: findings or COMPOSE_FILE_INVALID", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.array(
      fc.constantFrom("a: ", "- ", "&a ", "*a", "<<: ", "{", "}", "[", "]", "\n", "  ", "!!x "),
    )
      .map((parts) => parts.join("")),
    tree.map((value) => stringify(value ?? null, { skipInvalid: true })),
  );
  fc.assert(
    fc.property(text, text, (main, other) => {
      reachOrRefuse({ "docker-compose.yml": main, "a.yml": other });
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("any tree for a resolved model: findings, never a crash", () => {
  fc.assert(
    fc.property(tree, (resolved) => {
      judged(resolved);
      judged({ services: { web: resolved }, networks: { n: resolved }, volumes: { v: resolved } });
      judged({ services: { web: { volumes: [resolved, bind("/x")], ports: [resolved] } } });
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("a hostile service beside a harmless one is denied, whatever else the files hold", () => {
  const hostile = [
    { image: "x", privileged: true },
    { image: "x", network_mode: "host" },
    { image: "x", volumes: [bind("/")] },
    { image: "x", cap_add: ["SYS_ADMIN"] },
    { image: "x", devices: [{ source: "/dev/sda" }] },
  ];
  const name = fc.stringMatching(/^[a-z]{1,6}$/);
  fc.assert(
    fc.property(
      fc.dictionary(name, tree),
      tree,
      fc.constantFrom(...hostile),
      (services, rest, bad) => {
        const alone = judged({ services: { bad } });
        const more = typeof rest === "object" && rest !== null && !Array.isArray(rest) ? rest : {};
        const together = judged({ ...more, services: { ...services, bad } });
        assert(alone.every((each) => together.includes(each)));
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("hostile files included by a harmless bundle are denied like alone", () => {
  const harmless = HARMLESS_BUNDLES.filter(({ files }) =>
    !/^(?:include|version|name):/m.test(files["docker-compose.yml"] ?? "")
  );
  for (const { files, findings } of HOSTILE_FILES) {
    for (const host of harmless) {
      const moved = Object.fromEntries(
        Object.entries(files).map(([path, text]) => [
          path === "docker-compose.yml" ? "hostile.yml" : path,
          text,
        ]),
      );
      const main = `include: [hostile.yml]\n${host.files["docker-compose.yml"]}`;
      const found = reach({ ...host.files, ...moved, "docker-compose.yml": main });
      assert(findings.every((each) => found.includes(each)), `${host.name}: ${found}`);
    }
  }
});
