/** A compose that was killed or fell over says nothing about the bundle. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { crashOf } from "../../src/core/compose_crash.ts";
import type { ComposeStep } from "../../src/core/compose_failure.ts";
import type { Code } from "../../src/errors.ts";
import { classify } from "../fakes/docker_failures.ts";

const FRAMES = ["", "goroutine 1 [running]:", "main.main()", "\t/src/main.go:12 +0x11c fp=0x7f"];

Deno.test("field: a compose that was killed or found no memory is no fault of the files", () => {
  const starved: readonly (readonly [readonly string[], number])[] = [
    [[], 137],
    [["fatal error: failed to reserve page summary memory", ...FRAMES], 2],
    [["fatal error: runtime: out of memory", ...FRAMES], 2],
    [["runtime: out of memory: cannot allocate 4194304-byte block", ...FRAMES], 2],
    [["runtime: failed to create new OS thread (have 7 already; errno=11)", ...FRAMES], 2],
    [
      ["runtime/cgo: pthread_create failed: Resource temporarily unavailable", "SIGABRT: abort"],
      134,
    ],
  ];
  const steps: readonly (readonly [ComposeStep, Code])[] = [
    ["validate", "SPAWN_FAILED"],
    ["pull", "PULL_FAILED"],
    ["up", "UP_FAILED"],
    ["down", "REMOVE_FAILED"],
  ];
  for (const [stderrTail, code] of starved) {
    for (const [step, expected] of steps) {
      const error = classify(step, stderrTail.join("\n"), { code });
      assertEquals(error.code, expected, `${step} ${stderrTail[0]}`);
      assertStringIncludes(error.message, code === 137 ? "signal 9" : "memory");
      assertStringIncludes(error.hint, "free -m");
      assert(!error.message.includes("refuses the files"));
    }
  }
});

Deno.test("field: another signal is named, and tried again before the files are blamed", () => {
  const error = classify("validate", "", { code: 128 + 11 });
  assertEquals(error.code, "SPAWN_FAILED");
  assertStringIncludes(error.message, "signal 11");
});

Deno.test("field: a compose that crashes over the files says so in one line, and no stack", () => {
  const stderr = ["panic: runtime error: invalid memory address s3cr3t", ...FRAMES].join("\n");
  const validate = classify("validate", stderr, { code: 2 });
  assertEquals(
    [validate.code, validate.message],
    ["COMPOSE_INVALID", "docker compose crashed over the files"],
  );
  const up = classify("up", stderr, { code: 2 });
  assertEquals(up.code, "UP_FAILED");
  assertStringIncludes(
    up.message,
    "crashed: panic: runtime error: invalid memory address [masked]",
  );
  // The first lines of a long dump are not kept.
  const headless = classify("up", FRAMES.join("\n"), { code: 2 });
  assertEquals(headless.code, "UP_FAILED");
  assert(!headless.message.includes("0x"), headless.message);
});

Deno.test("field: what compose says before it ends by itself is read as ever", () => {
  const stderr = "panic: of a service's own log\nunexpected EOF";
  assertEquals(classify("pull", stderr, { code: 18 }).code, "REGISTRY_UNAVAILABLE");
});

Deno.test("an exit code that no signal leaves is no kill", () => {
  assertEquals(crashOf({ code: 255, stderrTail: [] }), null);
  assertEquals(crashOf({ code: 192, stderrTail: [] }), { kind: "killed", signal: 64 });
});
