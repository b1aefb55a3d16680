/**
 * SPEC §10, §11: what the units say of cores, files, stops and exit codes. How systemd rates their
 * sandbox stands in tests/real/packaging_lint_test.ts.
 */

import { assert, assertEquals } from "@std/assert";

const FOLDER = decodeURIComponent(new URL("../packaging/systemd", import.meta.url).pathname);
const UNITS = ["monky-deployd", "monky-deployd-run", "monky-deployd-proxy"] as const;

type Unit = (typeof UNITS)[number];

function read(unit: string): string {
  return Deno.readTextFileSync(`${FOLDER}/${unit}`);
}

/** The values of a directive, in order. */
function values(unit: Unit, directive: string): readonly string[] {
  const lines = read(`${unit}.service`).split("\n");
  return lines.filter((line) => line.startsWith(`${directive}=`))
    .map((line) => line.slice(directive.length + 1));
}

for (const unit of UNITS) {
  Deno.test(`${unit}.service leaves no core and no readable file, and starts only where a config is`, () => {
    assertEquals(values(unit, "LimitCORE"), ["0"]);
    assertEquals(values(unit, "UMask"), ["0077"]);
    assertEquals(values(unit, "User"), ["monky-deployd"]);
    assertEquals(values(unit, "ConditionPathExists"), ["/etc/monky-deployd/config.yaml"]);
    // V8 compiles what it runs: with this set the runtime dies at its first function.
    assertEquals(values(unit, "MemoryDenyWriteExecute"), []);
  });
}

for (const unit of ["monky-deployd", "monky-deployd-run"] as const) {
  Deno.test(`${unit}.service: 75 is no failure, a stop lets the tick end in order, and children are not signalled behind its back`, () => {
    assertEquals(values(unit, "SuccessExitStatus"), ["75"]);
    assertEquals(values(unit, "KillMode"), ["mixed"]);
    assertEquals(values(unit, "TimeoutStopSec"), ["60"]);
    // The flags are made by root, outside of the sandbox, and a fault in that stops no tick.
    assertEquals(values(unit, "ExecStartPre"), ["-+/usr/lib/monky-deployd/write-grants"]);
  });
}

Deno.test("the tick and the loop have the same sandbox", () => {
  const sandbox = (unit: Unit): string => {
    const text = read(`${unit}.service`);
    return text.slice(text.indexOf("StateDirectory="), text.indexOf("LimitCORE=0"));
  };
  assert(sandbox("monky-deployd").length > 500);
  assertEquals(sandbox("monky-deployd-run"), sandbox("monky-deployd"));
});

Deno.test("the timer starts a tick each minute, not all boxes at once, and makes up for a missed one", () => {
  const timer = read("monky-deployd.timer");
  for (const line of ["OnCalendar=minutely", "RandomizedDelaySec=20", "Persistent=yes"]) {
    assert(timer.includes(`\n${line}\n`), line);
  }
});

Deno.test("the loop and the timer exclude each other, and the loop comes back after anything", () => {
  assertEquals(values("monky-deployd-run", "Conflicts"), ["monky-deployd.timer"]);
  assertEquals(values("monky-deployd-run", "Restart"), ["always"]);
  assertEquals(values("monky-deployd-run", "StartLimitIntervalSec"), ["0"]);
});

Deno.test("the proxy may open two ports and no other, and cannot reach the Docker Engine", () => {
  assertEquals(values("monky-deployd-proxy", "SocketBindDeny"), ["any"]);
  assertEquals(values("monky-deployd-proxy", "SocketBindAllow"), [
    "ipv4:tcp:18443",
    "ipv4:tcp:18200",
  ]);
  assertEquals(values("monky-deployd-proxy", "RestrictAddressFamilies"), [
    "AF_INET AF_INET6 AF_NETLINK",
  ]);
});
