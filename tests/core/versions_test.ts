import { assertEquals } from "@std/assert";
import { compareVersions } from "../../src/core/versions.ts";

Deno.test("versions compare by number, and a pre-release is older than its release", () => {
  const rows: readonly [string, string, number][] = [
    ["0.2.0", "0.2.0", 0],
    ["0.2.0", "0.10.0", -1],
    ["1.0.0", "0.99.99", 1],
    ["v1.2.3", "1.2.3", 0],
    ["1.2", "1.2.0", 0],
    ["1.0.0-rc.1", "1.0.0", -1],
    ["1.0.0", "1.0.0-rc.1", 1],
    ["1.0.0-rc.1", "1.0.0-rc.2", -1],
    ["garbage", "0.0.0", 0],
  ];
  for (const [left, right, sign] of rows) {
    assertEquals(Math.sign(compareVersions(left, right)), sign, `${left} against ${right}`);
  }
});
