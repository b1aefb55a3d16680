import { assertEquals } from "@std/assert";
import {
  knownComposeVersion,
  refuseOldCompose,
  refuseOldEngine,
  rememberCompose,
} from "../../src/core/docker_versions.ts";
import type { FailedRelease } from "../../src/model/state.ts";

Deno.test("versions below the oldest that was proven are refused, Debian's suffixes are none", () => {
  const engines: readonly [string, string | undefined][] = [
    ["20.10.24+dfsg1", undefined],
    ["20.10.0", undefined],
    ["28.5.2", undefined],
    ["19.03.15", "DOCKER_TOO_OLD"],
    ["1.13.1", "DOCKER_TOO_OLD"],
  ];
  for (const [version, code] of engines) {
    assertEquals(refuseOldEngine(version)?.code, code, version);
  }
  const composes: readonly [string, string | undefined][] = [
    ["2.26.1-4", undefined],
    ["2.40.3-3", undefined],
    ["2.22.0", undefined],
    ["2.5.0", "COMPOSE_TOO_OLD"],
    ["1.29.2", "COMPOSE_TOO_OLD"],
  ];
  for (const [version, code] of composes) {
    assertEquals(refuseOldCompose(version)?.code, code, version);
  }
});

Deno.test("a plugin that told its version is not asked again while it is the same file", () => {
  const compose = { path: "/p", identity: "1", version: "2.26.1" };
  const failed: FailedRelease = {
    sha: "5".repeat(64),
    code: "UP_FAILED",
    attempts: 1,
    at: 0,
    nextAttemptAt: 0,
    quarantined: false,
  };
  const same = { path: "/p", identity: "1" };
  assertEquals(knownComposeVersion(same, { compose, failed: null }), "2.26.1");
  assertEquals(knownComposeVersion(same, { failed: null }), null);
  assertEquals(knownComposeVersion({ ...same, path: "/q" }, { compose, failed: null }), null);
  assertEquals(knownComposeVersion({ ...same, identity: "2" }, { compose, failed: null }), null);
  assertEquals(knownComposeVersion({ ...same, identity: null }, { compose, failed: null }), null);
  // It may be a script that runs another program since.
  assertEquals(knownComposeVersion(same, { compose, failed }), null);
});

Deno.test("what a link to a plugin told is not remembered", () => {
  const remembered = rememberCompose({ path: "/p", identity: "1" }, "2.26.1");
  assertEquals(remembered, { path: "/p", identity: "1", version: "2.26.1" });
  assertEquals(rememberCompose({ path: "/p", identity: null }, "2.26.1"), null);
});
