import { assertEquals, assertStringIncludes } from "@std/assert";
import { refuseEmptyModel } from "../../src/core/compose_failure.ts";
import type { Code } from "../../src/errors.ts";
import { classify } from "../fakes/docker_failures.ts";
import { caseFile, model, service } from "../fakes/docker_values.ts";

Deno.test("case 17: nothing that compose quotes from .env or the files reaches the message", () => {
  const secrets = caseFile("17-secret-text-in-errors/must-not-appear.txt").trim().split("\n");
  const lines = [
    `failed to read /d/.env: line 3: unexpected character "+" in variable name "MIIEsecretmaterial+abc"`,
    `failed to read /d/.env: line 2: unterminated quoted value "topsecretvalue`,
    `unterminated quoted value "topsecretvalue`,
    `invalid interpolation format for services.a.environment.V: "topsecret\${value".`,
    `error while interpolating services.a.image: required variable X is missing a value: topsecret`,
    `services.a.ports.0: invalid hostPort: topsecretvalue`,
    `services.a.image: topsecretvalue: invalid reference format`,
    `topsecretvalue: unauthorized`,
    `yaml: line 2: could not find expected ':' topsecretvalue`,
    `time="x" level=warning msg="The \\"fragmentofsecret\\" variable is not set."`,
  ];
  for (const line of lines) {
    for (const code of [1, 14, 15]) {
      const error = classify("validate", line, { code, mask: (text) => text });
      const told = `${error.message} ${JSON.stringify(error.data)} ${error.cause}`;
      for (const secret of secrets) assertEquals(told.includes(secret), false, told);
    }
  }
});

Deno.test("cases 44, 45, 46: every text of the registries is classed", () => {
  const codes: Readonly<Record<string, Code>> = {
    PULL_RATE_LIMITED: "REGISTRY_RATE_LIMITED",
    REGISTRY_DOWN: "REGISTRY_UNAVAILABLE",
    REGISTRY_AUTH: "REGISTRY_AUTH",
    IMAGE_NOT_FOUND: "IMAGE_NOT_FOUND",
    IMAGE_PLATFORM: "IMAGE_PLATFORM",
  };
  const files = [
    "44-pull-rate-limit",
    "45-registry-auth-expired",
    "46-manifest-unknown-and-platform",
  ];
  for (const file of files) {
    const rows: { rc: number; stderr: string; class: string }[] = JSON.parse(
      caseFile(`${file}/cases.json`),
    );
    for (const row of rows.filter((each) => each.rc !== 0)) {
      const error = classify("pull", row.stderr, { code: row.rc });
      assertEquals<string | undefined>(error.code, codes[row.class], row.stderr);
    }
  }
});

Deno.test("case 44: a rate limit is temporary, paced and reported", () => {
  const error = classify("pull", `Error response from daemon: toomanyrequests: x`, { code: 18 });
  assertEquals([error.kind, error.reported], ["temporary", true]);
});

Deno.test("case 48: a full disk is DISK_FULL, temporary and paced", () => {
  const error = classify("pull", caseFile("48-disk-full-mid-pull/stderr.txt"), { code: 18 });
  assertEquals([error.code, error.kind, error.reported], ["DISK_FULL", "temporary", true]);
});

Deno.test("case 30: a foreign network of the name is named, and nobody is told to remove a container", () => {
  const line =
    `network p_default was found but has incorrect label com.docker.compose.network set to ""`;
  const error = classify("up", line);
  assertEquals(error.message, `network "p_default" was made by somebody else`);
  assertStringIncludes(error.hint, "network");
});

Deno.test("case 33: the name conflict of two ups at once names the container", () => {
  const error = classify("up", caseFile("33-two-ups-at-once/stderr.txt"));
  assertEquals([error.code, error.message], [
    "NAME_CONFLICT",
    `container name "bugs-x-c-1" is taken`,
  ]);
});

Deno.test("case 22: a one-shot that failed under up is named with its exit code", () => {
  const error = classify("up", `service "migrate" didn't complete successfully: exit 1`);
  assertEquals(error.code, "UNHEALTHY");
  assertStringIncludes(error.message, `service "migrate" didn't complete successfully: exit 1`);
});

Deno.test("case 42: a missing plugin and a missing Engine are told apart from a bad bundle", () => {
  const codes: Readonly<Record<string, Code>> = {
    COMPOSE_MISSING: "COMPOSE_MISSING",
    DOCKER_DOWN: "DOCKER_UNAVAILABLE",
  };
  for (const line of caseFile("42-plugin-or-home-missing/cases.txt").trim().split("\n")) {
    const [, code, text, name] = /^rc=(\d+)\s+(.*?)\s*-> (\w+)$/.exec(line) ?? [];
    // "spawn NotFound" is the Exec port's: there is no child to classify.
    if (code === undefined || text === undefined) continue;
    for (const step of ["validate", "up"] as const) {
      const error = classify(step, text, { code: Number(code) });
      assertEquals<string | undefined>(error.code, codes[name ?? ""], line);
    }
  }
});

Deno.test("case 28: files that start nothing are refused before an apply begins", () => {
  assertEquals(refuseEmptyModel(model([]))?.code, "COMPOSE_INVALID");
  assertEquals(refuseEmptyModel(model([service()])), null);
});
