import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { editDistance, nearestName } from "../../src/config/nearest.ts";
import { KEY_PATHS, SECTIONS } from "../../src/config/schema.ts";

const DISTANCES: readonly (readonly [string, string, number])[] = [
  ["", "", 0],
  ["", "abc", 3],
  ["port", "port", 0],
  ["prot", "port", 1],
  ["site", "sites", 1],
  ["kitten", "sitting", 3],
  ["ca", "abc", 3],
];

for (const [left, right, distance] of DISTANCES) {
  Deno.test(`from "${left}" to "${right}" it is ${distance} changes`, () => {
    assertEquals(editDistance(left, right), distance);
    assertEquals(editDistance(right, left), distance);
  });
}

const MEANT: readonly (readonly [string, string])[] = [
  ["envid", "env_id"],
  ["intervall_s", "interval_s"],
  ["tenancy.baseurl", "tenancy.base_url"],
  ["proxy_adr", "tenancy.proxy_addr"],
  ["bao.adress", "bao.addr"],
  ["docker.dataroot", "docker.data_root"],
  ["disk_factor", "docker.disk_factor"],
  ["timeout.pull_s", "timeouts.pull_s"],
  ["polcy", "policy"],
];

for (const [written, meant] of MEANT) {
  Deno.test(`whoever writes ${written} is told of ${meant}`, () => {
    assertEquals(nearestName(written, [...KEY_PATHS, ...SECTIONS]), meant);
  });
}

for (const written of ["foo", "nonsense", "x", "bogus", "__proto__"]) {
  Deno.test(`${written} is near no key, and nothing is guessed`, () => {
    assertEquals(nearestName(written, [...KEY_PATHS, ...SECTIONS]), null);
  });
}

Deno.test("a known name is nearest to itself, and one slip does not lead away from long names", () => {
  fc.assert(fc.property(fc.constantFrom(...KEY_PATHS), (path) => {
    assertEquals(nearestName(path, KEY_PATHS), path);
  }));
});

Deno.test("names of any length are compared within bounds", () => {
  assertEquals(editDistance("x".repeat(1_000_000), "y".repeat(1_000_000)), 64);
  assertEquals(nearestName("anything", []), null);
});
