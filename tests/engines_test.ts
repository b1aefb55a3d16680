import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { CHOSEN } from "../scripts/matrix/engines/chosen.ts";
import { parseEnginesOptions } from "../scripts/matrix/engines/options.ts";
import {
  choosePackages,
  isAtLeast,
  NEWER,
  NEWER_COMPOSE,
  NEWER_ENGINE,
  versionIn,
} from "../scripts/matrix/engines/packages.ts";
import { selectTests } from "../scripts/test/select.ts";

const ROOT = decodeURIComponent(new URL("..", import.meta.url).pathname).replace(/\/$/, "");

/** What `apt-cache show` says of one package. */
function paragraph(name: string, version: string, depends = "libc6 (>= 2.34)"): string {
  return `Package: ${name}\nOld-Version: 1.0\nVersion: ${version}\nArchitecture: amd64\nDepends: runc, ${depends}\n` +
    `Description: has Version: 1.0 and libc6 (>= 9)\n Tags: a,\n b\n`;
}

const ENGINE = paragraph("docker.io", "28.5.2+dfsg4-5", "libc6 (>= 2.34), runc (>= 1.0.0~rc8~)");
const COMPOSE = paragraph("docker-compose", "2.40.3-3");
const CONTAINERD = paragraph("containerd", "2.1.9+ds1-5");
const TINI = "Package: tini-static\nSource: tini (0.19.0-6)\nVersion: 0.19.0-6+b2\n";
const TAKEN = ["docker.io=28.5.2+dfsg4-5", "docker-compose=2.40.3-3"];

Deno.test("packages are chosen that are new enough and run here, or the reason is named", () => {
  const table: readonly {
    readonly has: readonly string[];
    readonly packages: readonly string[];
    readonly lacking: readonly string[];
    readonly libc?: string;
  }[] = [
    {
      has: [ENGINE, COMPOSE, CONTAINERD, TINI],
      packages: [...TAKEN, "containerd=2.1.9+ds1-5", "tini-static=0.19.0-6+b2"],
      lacking: [],
    },
    { has: [ENGINE, COMPOSE], packages: TAKEN, lacking: [] },
    {
      has: [COMPOSE, ENGINE, paragraph("containerd", "2.3.0", "libc6 (>= 2.41)")],
      packages: TAKEN,
      lacking: [],
    },
    {
      has: [ENGINE, COMPOSE, paragraph("containerd", "1.6.20~ds1-1")],
      packages: TAKEN,
      lacking: [],
    },
    {
      has: [paragraph("docker.io", "27.5.1+dfsg3-1"), COMPOSE, ENGINE],
      packages: TAKEN,
      lacking: [],
    },
    {
      has: [paragraph("docker.io", "27.5.1+dfsg3-1"), COMPOSE],
      packages: ["docker-compose=2.40.3-3"],
      lacking: ["its docker.io is 27.5.1+dfsg3-1, 28 or newer counts"],
    },
    {
      has: [ENGINE, paragraph("docker-compose", "2.39.4-1")],
      packages: ["docker.io=28.5.2+dfsg4-5"],
      lacking: ["its docker-compose is 2.39.4-1, 2.40 or newer counts"],
    },
    {
      has: [paragraph("docker.io", "29.1.0+dfsg-1", "libc6 (>= 2.41)"), COMPOSE],
      packages: ["docker-compose=2.40.3-3"],
      lacking: ["its docker.io 29.1.0+dfsg-1 needs libc6 2.41, this machine has 2.36-9+deb12u14"],
    },
    {
      has: [paragraph("docker.io", "29.1.0+dfsg-1", "libc6 (>= 2.41)"), COMPOSE],
      packages: ["docker.io=29.1.0+dfsg-1", "docker-compose=2.40.3-3"],
      lacking: [],
      libc: "2.41-12",
    },
    {
      has: [],
      packages: [],
      lacking: ["it has no docker.io", "it has no docker-compose"],
    },
  ];
  for (const { has, packages, lacking, libc = "2.36-9+deb12u14" } of table) {
    const chosen = choosePackages(has.join("\n"), { wanted: NEWER, libc });
    assertEquals(chosen, { packages, lacking });
  }
});

Deno.test("the newer end of the field begins at Engine 28 and compose 2.40", () => {
  const table: readonly (readonly [string, string, boolean])[] = [
    ["20.10.24+dfsg1", NEWER_ENGINE.atLeast, false],
    ["27.5.1", NEWER_ENGINE.atLeast, false],
    ["28.0.0", NEWER_ENGINE.atLeast, true],
    ["28.5.2+dfsg4", NEWER_ENGINE.atLeast, true],
    ["100.1", NEWER_ENGINE.atLeast, true],
    ["2.26.1-4", NEWER_COMPOSE.atLeast, false],
    ["2.4.0", NEWER_COMPOSE.atLeast, false],
    ["v2.40.0", NEWER_COMPOSE.atLeast, true],
    ["2.40.3-3", NEWER_COMPOSE.atLeast, true],
    ["5:5.0.1-1", NEWER_COMPOSE.atLeast, true],
    ["5:2.39.1-1", NEWER_COMPOSE.atLeast, false],
    ["unknown", NEWER_COMPOSE.atLeast, false],
  ];
  for (const [version, oldest, counts] of table) {
    assertEquals(isAtLeast(version, oldest), counts, `${version} against ${oldest}`);
  }
});

Deno.test("a version is found in what a program says of itself", () => {
  const table: readonly (readonly [string, string | null])[] = [
    ["Docker version 28.5.2+dfsg4, build 3ef3c07c883be49a2e8097bcf6d2952fce1d70eb", "28.5.2+dfsg4"],
    ["Docker Compose version 2.40.3-3\n", "2.40.3-3"],
    ["Docker Compose version v2.40.3", "2.40.3"],
    ["error while loading shared libraries: libx.so", null],
    ["", null],
  ];
  for (const [said, version] of table) assertEquals(versionIn(said), version, said);
});

Deno.test("the chosen tests are there, and all of them need the lab", async () => {
  const { fast, real } = await selectTests(ROOT, CHOSEN, false);
  assertEquals(fast, []);
  assertEquals([...real.together, ...real.alone].toSorted(), CHOSEN.toSorted());
});

Deno.test("the engines' command line names files, all of them, or leaves the choice", () => {
  assertEquals(parseEnginesOptions([]), { wanted: [], deadlineSeconds: 1800 });
  assertEquals(parseEnginesOptions(["--all"]), { wanted: ["tests/real"], deadlineSeconds: 3600 });
  assertEquals(parseEnginesOptions(["tests/real/a_test.ts", "--deadline=9"]), {
    wanted: ["tests/real/a_test.ts"],
    deadlineSeconds: 9,
  });
  const table: readonly (readonly [readonly string[], string])[] = [
    [["--fast"], "Unknown option: --fast"],
    [["--all", "tests/real"], "not both"],
    [["--deadline=soon"], "--deadline"],
    [["--deadline=0"], "--deadline"],
  ];
  for (const [args, why] of table) {
    assertStringIncludes(assertThrows(() => parseEnginesOptions(args), Error).message, why);
  }
});
