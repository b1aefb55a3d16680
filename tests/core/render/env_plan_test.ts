import { assertEquals } from "@std/assert";
import { composeReferences } from "../../../src/core/render/compose_references.ts";
import { type EnvPlan, planEnv } from "../../../src/core/render/env_plan.ts";
import { isReserved } from "../../../src/core/render/reserved.ts";
import { parseTemplate } from "../../../src/core/render/template.ts";
import { manifestOf } from "./from_case.ts";

interface Row {
  readonly template?: string;
  readonly manifest?: readonly string[];
  /** Texts of a compose file. */
  readonly compose?: readonly string[];
  /** Variables in the order of the file; `=` in front: the secret itself. */
  readonly variables?: readonly string[];
  readonly unresolved?: readonly string[];
}

function plan({ template, manifest = [], compose = [] }: Row): EnvPlan {
  return planEnv({
    template: template === undefined ? null : parseTemplate(template),
    manifest: manifestOf(manifest),
    compose: composeReferences([{ path: "docker-compose.yml", document: { "x-texts": compose } }]),
  });
}

const ROWS: Readonly<Record<string, Row>> = {
  "no template: every manifest variable": { manifest: ["B", "A"], variables: ["=B", "=A"] },
  "a variable that the template refers to is not added": {
    template: "X=${A}",
    manifest: ["A", "B"],
    variables: ["X", "=B"],
  },
  "a reference with a default counts as one": {
    template: "X=${A:-d}",
    manifest: ["A"],
    variables: ["X"],
  },
  "the secret stands last where the template assigns the same name": {
    template: "A=changeme\nX=1",
    manifest: ["A"],
    variables: ["=A", "X"],
  },
  "a template that assigns a name from itself keeps its line": {
    template: "A=x-${A}",
    manifest: ["A"],
    variables: ["A"],
  },
  "a variable that a compose file asks for is there under its own name": {
    template: "X=${A}",
    manifest: ["A"],
    compose: ["${A}"],
    variables: ["X", "=A"],
  },
  "a compose file gets what the template makes of a name": {
    template: "A=x-${A}",
    manifest: ["A"],
    compose: ["${A}"],
    variables: ["A"],
  },
  "references are filled from the manifest, not from earlier lines": {
    template: "BASE=/x\nURL=${BASE}/y",
    variables: ["BASE", "URL"],
    unresolved: ["BASE"],
  },
  "a default stands in for what is missing": {
    template: "X=${N:-d}${N-d}${N:+d}${N+d}",
    variables: ["X"],
  },
  "a reference inside a default counts": {
    template: "X=${A:-${N}}",
    manifest: ["A"],
    variables: ["X"],
    unresolved: ["N"],
  },
  "names of template and compose files come sorted, once, all together": {
    template: "X=${Z}$B ${Z}",
    compose: ["${B} ${A:?say A}", "${C-c}"],
    variables: ["X"],
    unresolved: ["A (say A)", "B", "Z"],
  },
  "compose defines its project name itself": { compose: ["${COMPOSE_PROJECT_NAME}"] },
};

for (const [name, row] of Object.entries(ROWS)) {
  Deno.test(`planEnv(): ${name}`, () => {
    const { variables, unresolved } = plan(row);
    const shown = [...variables].map(([key, parts]) => parts === null ? `=${key}` : key);
    assertEquals(shown, row.variables ?? []);
    assertEquals(unresolved, row.unresolved ?? []);
  });
}

Deno.test("planEnv() says where each missing name is asked for, and which defined one is near", () => {
  const { asked } = plan({
    template: "# note\nX=${GREETNG}\nY=1\nZ=a${GREETNG} ${Q:-d}",
    manifest: ["GREETING"],
    compose: ["${OTHER}"],
  });
  assertEquals(asked, [
    "GREETNG in .env.template lines 2, 4 (GREETING is defined)",
    "OTHER in docker-compose.yml: x-texts.0",
  ]);
  const many = Array.from({ length: 30 }, (_, index) => `\${V${index}}`);
  assertEquals(plan({ compose: many }).asked.length, 10);
});

Deno.test("planEnv() gives the template's references sorted, comments left out", () => {
  const { references } = plan({ template: "X=${B}${A:-${C}}\n# ${D}\nY=1 # ${E}" });
  assertEquals(references, ["A", "B", "C"]);
});

Deno.test("planEnv() finds reserved names among template and manifest, not among references", () => {
  const { reserved } = plan({ template: "GIT_DIR=x\nX=${HOME:-h}", manifest: ["PATH", "A"] });
  assertEquals(reserved, ["GIT_DIR", "PATH"]);
  // It would be read from OpenBao all the same, and is one reference away from the file.
  assertEquals(plan({ template: "X=${LD_A}", manifest: ["LD_A"] }).reserved, ["LD_A"]);
});

Deno.test("planEnv() finds names of compose's own environment among what compose files ask for", () => {
  // compose would give `/nonexistent` and the agent's folder, whatever the default says.
  const { reserved } = plan({ compose: ["${PATH:-/bin}", "${HOME-x}", "${BUILD_ID:-dev}"] });
  assertEquals(reserved, ["HOME", "PATH"]);
  const bare = plan({ compose: ["${HOME}"] });
  assertEquals([bare.reserved, bare.unresolved], [[], ["HOME"]]);
  const passed = composeReferences([{
    path: "docker-compose.yml",
    document: { services: { web: { environment: ["PATH", "HOMEPAGE", "DOCKER_HOST"] } } },
  }]);
  const found = planEnv({ template: null, manifest: manifestOf([]), compose: passed });
  assertEquals(found.reserved, ["DOCKER_HOST", "PATH"]);
});

Deno.test("isReserved() knows the names of SPEC §4 and no others", () => {
  const yes = ["COMPOSE_FILE", "DOCKER_HOST", "GIT_SSH_COMMAND", "SSH_AUTH_SOCK", "BUILDX_BUILDER"];
  for (const name of [...yes, "BUILD", "LD_PRELOAD", "PATH", "HOME"]) {
    assertEquals(isReserved(name), true, name);
  }
  for (const name of ["HOMEPAGE", "PATH_PREFIX", "MY_PATH", "home", "DOCKERHUB", "GITHUB_TOKEN"]) {
    assertEquals(isReserved(name), false, name);
  }
});
