import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ComposeStep } from "../../src/core/compose_failure.ts";
import { type AgentError, CATALOGUE, type Code } from "../../src/errors.ts";
import { classify } from "../fakes/docker_failures.ts";

const EfD = "Error response from daemon: ";

Deno.test("each last line of a pull or up has its code", () => {
  const table: readonly [ComposeStep, string, Code][] = [
    [
      "pull",
      `${EfD}manifest for h/a:2 not found: manifest unknown: manifest unknown`,
      "IMAGE_NOT_FOUND",
    ],
    ["pull", `${EfD}Head "http://h/v2/a/manifests/1": no basic auth credentials`, "REGISTRY_AUTH"],
    ["pull", `${EfD}unauthorized: authentication required`, "REGISTRY_AUTH"],
    [
      "pull",
      `${EfD}pull access denied for a, repository does not exist or may require 'docker login': denied: x`,
      "REGISTRY_AUTH",
    ],
    ["pull", `${EfD}toomanyrequests: slow down`, "REGISTRY_RATE_LIMITED"],
    [
      "pull",
      `${EfD}received unexpected HTTP status: 500 Internal Server Error`,
      "REGISTRY_UNAVAILABLE",
    ],
    [
      "pull",
      `${EfD}Get "http://h/v2/": dial tcp 127.0.0.1:1: connect: connection refused`,
      "REGISTRY_UNAVAILABLE",
    ],
    ["pull", `${EfD}Get "http://h/v2/": dial tcp: lookup h: no such host`, "REGISTRY_UNAVAILABLE"],
    ["pull", `${EfD}Get "http://h/v2/": context deadline exceeded`, "REGISTRY_UNAVAILABLE"],
    ["pull", "unexpected EOF", "REGISTRY_UNAVAILABLE"],
    ["pull", "something that nobody has seen", "PULL_FAILED"],
    ["pull", `unable to get image 'Lab/BB:1': ${EfD}invalid reference format`, "COMPOSE_INVALID"],
    ["up", `${EfD}no such image: h/a:1: No such image: h/a:1`, "IMAGE_NOT_FOUND"],
    ["up", `${EfD}No such image: h/a:1`, "IMAGE_NOT_FOUND"],
    [
      "up",
      `${EfD}driver failed programming external connectivity on endpoint p-web-1 (0a): Error starting userland proxy: listen tcp4 127.0.0.1:8080: bind: address already in use`,
      "PORT_IN_USE",
    ],
    [
      "up",
      `${EfD}driver failed programming external connectivity on endpoint p-web-1 (0a): Bind for 0.0.0.0:8080 failed: port is already allocated`,
      "PORT_IN_USE",
    ],
    [
      "up",
      `${EfD}failed to set up container networking: driver failed programming external connectivity on endpoint p-web-1 (0a): failed to bind host port for 127.0.0.1:8080:172.17.0.2:80/tcp: address already in use`,
      "PORT_IN_USE",
    ],
    ["up", `${EfD}network edge not found`, "NETWORK_MISSING"],
    ["up", "network edge declared as external, but could not be found", "NETWORK_MISSING"],
    ["up", `external volume "data" not found`, "VOLUME_MISSING"],
    [
      "up",
      `network p_default was found but has incorrect label com.docker.compose.network set to ""`,
      "NAME_CONFLICT",
    ],
    [
      "up",
      `failed to create network p_n: ${EfD}Pool overlaps with other one on this address space`,
      "UP_FAILED",
    ],
    ["up", "dependency failed to start: container p-db-1 is unhealthy", "UNHEALTHY"],
    ["up", "dependency failed to start: container p-db-1 exited (7)", "UNHEALTHY"],
    [
      "up",
      `${EfD}invalid mount config for type "bind": bind source path does not exist: /d/x`,
      "BIND_MISSING",
    ],
    [
      "up",
      `${EfD}OCI runtime create failed: exec: "/nope": stat /nope: no such file or directory`,
      "UP_FAILED",
    ],
    [
      "up",
      "Cannot connect to the Docker daemon at unix:///s. Is the docker daemon running?",
      "DOCKER_UNAVAILABLE",
    ],
    [
      "pull",
      "unable to get image 'h/a:1': Cannot connect to the Docker daemon at unix:///s. Is the docker daemon running?",
      "DOCKER_UNAVAILABLE",
    ],
    [
      "up",
      "permission denied while trying to connect to the Docker daemon socket at unix:///s: Get x",
      "DOCKER_PERMISSION",
    ],
    [
      "up",
      `${EfD}client version 1.52 is too new. Maximum supported API version is 1.41`,
      "DOCKER_TOO_OLD",
    ],
    [
      "up",
      `${EfD}client version 1.40 is too old. Minimum supported API version is 1.44`,
      "COMPOSE_TOO_OLD",
    ],
    ["pull", "unknown flag: --policy", "COMPOSE_TOO_OLD"],
    ["up", "no service selected", "COMPOSE_INVALID"],
    ["up", "something that nobody has seen", "UP_FAILED"],
    ["down", "something that nobody has seen", "REMOVE_FAILED"],
    ["validate", "something that nobody has seen", "COMPOSE_INVALID"],
    ["up", "", "UP_FAILED"],
  ];
  for (const [step, line, code] of table) assertEquals(classify(step, line).code, code, line);
});

Deno.test("the message names what the line names", () => {
  const says = (line: string, step: ComposeStep = "up"): string => classify(step, line).message;
  assertEquals(
    says(`${EfD}manifest for h/a:2 not found: manifest unknown`, "pull"),
    `image "h/a:2" does not exist: manifest for h/a:2 not found: manifest unknown`,
  );
  assertStringIncludes(
    says(`${EfD}x: listen tcp4 127.0.0.1:8080: bind: address already in use`),
    "published port 8080 is taken: ",
  );
  assertStringIncludes(
    says(`${EfD}x: Bind for 0.0.0.0:81 failed: port is already allocated`),
    "published port 81 is taken: ",
  );
  for (const at of ["for 0.0.0.0:82:172.17.0.2:80/tcp", "for [fd00::1:2]:82:[fd00::2]:80/udp"]) {
    assertStringIncludes(
      says(`${EfD}x: failed to bind host port ${at}: address already in use`),
      "published port 82 is taken: ",
    );
  }
  assertEquals(says(`${EfD}network edge not found`), `external network "edge" does not exist`);
  assertEquals(says(`external volume "data" not found`), `external volume "data" does not exist`);
  assertEquals(says(`${EfD}No such image: h/a:1`), `image "h/a:1" is not on this box`);
  assertEquals(
    says(`${EfD}no such image: h/a:1: No such image: h/a:1`),
    `image "h/a:1" is not on this box`,
  );
  assertEquals(says("odd"), "docker compose could not bring the services up: odd");
  assertEquals(
    classify("up", "", { code: 137 }).message,
    "docker compose could not bring the services up (ended by signal 9, nothing said)",
  );
});

Deno.test("only the last line counts: a cancelled neighbour complains of a healthy Engine", () => {
  const stderr = [
    " b Error Cannot connect to the Docker daemon at unix:///s. Is the docker daemon running?",
    " a Error manifest unknown",
    `${EfD}manifest for h/a:2 not found: manifest unknown: manifest unknown`,
    `time="2026-01-01T00:00:00Z" level=warning msg="Cannot connect to the Docker daemon"`,
    "",
  ].join("\n");
  assertEquals(classify("pull", stderr).code, "IMAGE_NOT_FOUND");
});

Deno.test("a step that was stopped or took too long says so, whatever stands on its last line", () => {
  const line = "manifest unknown";
  assertEquals(classify("pull", line, { timedOut: true, code: 130 }).code, "STEP_TIMEOUT");
  assertEquals(classify("pull", line, { timedOut: true, code: 0 }).code, "STEP_TIMEOUT");
  assertEquals(classify("up", line, { aborted: true }).code, "INTERRUPTED");
  assertEquals(classify("up", "canceled", { code: 130 }).code, "INTERRUPTED");
  assertEquals(
    classify("pull", line, { timedOut: true }).message,
    "docker compose pull did not end within 600000 ms",
  );
});

Deno.test("an invalid file is told by line, unknown key or required variable", () => {
  const says = (stderr: string): string => classify("validate", stderr, { code: 15 }).message;
  const refuses = "docker compose refuses the files";
  assertEquals(
    says("yaml: line 2: mapping values are not allowed in this context"),
    `${refuses}: line 2`,
  );
  assertEquals(says("yaml: unmarshal errors:\n  line 7: key already set"), `${refuses}: line 7`);
  assertEquals(
    says("validating /d/c.yml: services.web Additional property imagee is not allowed"),
    `${refuses}: the key "imagee" of services.web is unknown to it`,
  );
  assertEquals(
    says("validating /d/c.yml: services.web additional properties 'imagee' not allowed"),
    `${refuses}: the key "imagee" of services.web is unknown to it`,
  );
  assertEquals(
    says("validating /d/c.yml: (root) Additional property servicess is not allowed"),
    `${refuses}: the key "servicess" is unknown to it`,
  );
  assertEquals(
    says("error while interpolating services.a.image: required variable TAG is missing a value: m"),
    `${refuses}: the required variable TAG is not set`,
  );
  assertEquals(
    says(`service "a" depends on undefined service "m": invalid compose project`),
    `${refuses}: service "a" names something that is not defined`,
  );
  assertEquals(
    says(`service "a" has neither an image nor a build context specified: invalid compose project`),
    `${refuses}: service "a" has no image`,
  );
  assertEquals(
    says(
      "services.deploy.replicas: can't set container_name and a as container name must be unique",
    ),
    `${refuses}: service "a" has a container_name and more than one container`,
  );
  assertEquals(
    says("dependency cycle detected: a -> b -> a"),
    `${refuses}: services depend on each other in a circle`,
  );
  assertEquals(says("empty compose file"), `${refuses}: the compose file is empty`);
  assertEquals(says("anything else: value"), refuses);
});

Deno.test("what compose says of a rendered .env is told by its line alone", () => {
  const error = classify(
    "pull",
    `failed to read /d/.env: line 3: unterminated quoted value "topsecret`,
  );
  assertEquals(error.code, "ENV_VALUE_INVALID");
  assertEquals(error.message, "docker compose cannot read the rendered .env: line 3");
});

Deno.test("quoted text is masked, without escapes and controls, and bounded", () => {
  const error = classify("up", `OCI: exec "\x1b[31ms3c\x1b[0mr3t\x07": ${"x".repeat(5_000)}`);
  assertStringIncludes(error.message, `OCI: exec "[masked]": xxx`);
  assertEquals(error.message.length < 500, true);
  assertEquals(error.message.endsWith("…"), true);
});

Deno.test("a registry's failure names the image of the service at fault, and the account it wants", () => {
  const images = new Map([["web", "r.example.org:5/a:1"], ["db", "r.example.org:5/s3cr3t:1"]]);
  const down = `${EfD}Get "http://r/v2/": dial tcp: lookup r: no such host`;
  const failed = (service: string, line: string, accounts: readonly string[] | null): AgentError =>
    classify("pull", ` ${service} Error ${line.replace(EfD, "")}\n${line}`, { images, accounts });
  assertStringIncludes(
    failed("web", down, null).message,
    "the registry does not answer as it should (web, image r.example.org:5/a:1): Get ",
  );
  assertStringIncludes(failed("db", down, null).message, "(db, image r.example.org:5/[masked]:1)");
  const line = `${EfD}Head "https://r.example.org:5/v2/a/manifests/1": no basic auth credentials`;
  assertEquals(
    failed("web", line, []).hint,
    'Name an account for r.example.org:5 under "registries" in manifest.json, and publish again.',
  );
  assertEquals(failed("web", line, ["r.example.org:5"]).hint, CATALOGUE.REGISTRY_AUTH.hint);
  assertEquals(failed("web", line, null).hint, CATALOGUE.REGISTRY_AUTH.hint);
});
