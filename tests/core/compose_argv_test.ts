import { assertEquals, assertThrows } from "@std/assert";
import {
  composeEnvironment,
  type ComposeTarget,
  configArgs,
  downArgs,
  pullArgs,
  repairArgs,
  upArgs,
  versionArgs,
} from "../../src/core/compose_argv.ts";
import { AgentError } from "../../src/errors.ts";
import { caseFile } from "../fakes/docker_values.ts";

const TARGET: ComposeTarget = {
  project: "monky-env-qa-02",
  projectDir: "/d/project",
  file: "/d/releases/ab/docker-compose.yml",
  overrideFile: null,
  envFile: "/d/releases/ab/.env",
  profiles: [],
};
const FILES = "--ansi never --progress plain -p monky-env-qa-02 --project-directory /d/project " +
  "-f /d/releases/ab/docker-compose.yml --env-file /d/releases/ab/.env";

Deno.test("every command line, word for word", () => {
  const table: readonly [readonly string[], string][] = [
    [configArgs(TARGET), `${FILES} config --format json`],
    [pullArgs(TARGET), `${FILES} pull --policy missing`],
    [pullArgs(TARGET, ["a", "-v"]), `${FILES} pull --policy missing -- a -v`],
    [upArgs(TARGET), `${FILES} up -d --remove-orphans --no-build --pull never`],
    [
      repairArgs(TARGET, ["web", "-v"], { recreate: false }),
      `${FILES} up -d --no-deps --no-build --pull never -- web -v`,
    ],
    [
      repairArgs(TARGET, ["web"], { recreate: true }),
      `${FILES} up -d --no-deps --no-build --pull never --force-recreate -- web`,
    ],
    [
      downArgs("monky-env-qa-02", { stopTimeoutS: 30, volumes: false }),
      "--ansi never --progress plain -p monky-env-qa-02 --env-file /dev/null " +
      "down --remove-orphans -t 30",
    ],
    [
      downArgs("monky-env-qa-02", { stopTimeoutS: null, volumes: true }),
      "--ansi never --progress plain -p monky-env-qa-02 --env-file /dev/null " +
      "down --remove-orphans --volumes",
    ],
    [versionArgs(), "version --short"],
  ];
  for (const [args, line] of table) assertEquals(args.join(" "), line);
});

Deno.test("the override file and the profiles follow the bundle's file", () => {
  const target = { ...TARGET, overrideFile: "/d/o.yml", profiles: ["a", "b"] };
  assertEquals(
    pullArgs(target).join(" "),
    "--ansi never --progress plain -p monky-env-qa-02 --project-directory /d/project " +
      "-f /d/releases/ab/docker-compose.yml -f /d/o.yml --env-file /d/releases/ab/.env " +
      "--profile a --profile b pull --policy missing",
  );
});

Deno.test("case 38: volumes go only when it is asked for", () => {
  const flags = (volumes: boolean): readonly string[] =>
    downArgs("p", { stopTimeoutS: null, volumes }).filter((arg) => /^-v$|^--volumes$/.test(arg));
  assertEquals(flags(false), []);
  assertEquals(flags(true), ["--volumes"]);
});

Deno.test("cases 20, 46: no command waits by compose's idea of health, ignores failed pulls, or builds", () => {
  const lines = [
    configArgs(TARGET),
    pullArgs(TARGET),
    upArgs(TARGET),
    repairArgs(TARGET, ["a"], { recreate: true }),
    downArgs("p", { stopTimeoutS: 1, volumes: false }),
  ].map((args) => args.join(" "));
  for (const line of lines) {
    assertEquals(/--wait|--ignore-pull-failures|--build\b|--dry-run/.test(line), false, line);
  }
});

Deno.test("a repair without services is refused: compose would take it for all of them", () => {
  assertThrows(() => repairArgs(TARGET, [], { recreate: true }), AgentError, "names no service");
});

Deno.test("case 29: a project name is passed as it is or refused", () => {
  const more = ["Bugs refuse", "bugS refuse", "-bugs refuse", "b accept", "0_b accept"];
  const names = caseFile("29-project-name/names.txt").trim().split("\n");
  for (const line of [...names, ...more]) {
    const [name = "", verdict] = line.split(" ");
    const project = name === "(empty)" ? "" : name;
    const calls = [
      (): unknown => downArgs(project, { stopTimeoutS: null, volumes: false }),
      (): unknown => upArgs({ ...TARGET, project }),
    ];
    for (const call of calls) {
      if (verdict === "accept") call();
      else assertEquals(assertThrows(call, AgentError).code, "CONFIG_INVALID");
    }
  }
});

Deno.test("compose's environment is made from nothing, with every switch that a bundle could turn", () => {
  const facts = {
    home: "/d",
    dockerConfigDir: "/d/.docker",
    dockerHost: "unix:///s",
    lifeline: "/l",
  };
  assertEquals(composeEnvironment(facts), {
    PATH: "/nonexistent",
    HOME: "/d",
    DOCKER_CONFIG: "/d/.docker",
    DOCKER_HOST: "unix:///s",
    DOCKER_CLI_PLUGIN_SOCKET: "/l",
    COMPOSE_EXPERIMENTAL_GIT_REMOTE: "0",
    COMPOSE_EXPERIMENTAL_OCI_REMOTE: "0",
    COMPOSE_PROFILES: "",
    COMPOSE_COMPATIBILITY: "0",
    COMPOSE_PARALLEL_LIMIT: "-1",
  });
});
