import { assertEquals } from "@std/assert";
import { refuseOldCompose, refuseOldEngine } from "../../src/core/docker_versions.ts";

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
