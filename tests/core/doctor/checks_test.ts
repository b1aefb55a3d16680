import { assertEquals } from "@std/assert";
import {
  blockedFinding,
  blockerOf,
  CHECK_NAMES,
  CHECKS,
  type Finding,
  findingOf,
  firstCause,
} from "../../../src/core/doctor/checks.ts";
import { fail, notChecked, ok, warn } from "../../../src/core/doctor/verdict.ts";
import { judgeMesh } from "../../../src/core/doctor/judge_way.ts";
import { AgentError } from "../../../src/errors.ts";
import { placeOf } from "./box.ts";
import { findingsJson, showFindings } from "../../../src/core/show_findings.ts";

/** Runs the table with some checks failing; gives each check's state. */
function play(failing: readonly string[]): readonly Finding[] {
  const findings: Finding[] = [];
  for (const check of CHECK_NAMES) {
    const blocker = blockerOf(check, findings);
    findings.push(
      blocker !== null
        ? blockedFinding(check, blocker)
        : findingOf(check, failing.includes(check) ? fail("INTERNAL", "x", "y") : ok("fine")),
    );
  }
  return findings;
}

Deno.test("every check stands behind those it hangs on, and config before all", () => {
  for (const [index, check] of CHECK_NAMES.entries()) {
    for (const need of CHECKS[check]) {
      assertEquals(CHECK_NAMES.indexOf(need) < index, true, `${check} before ${need}`);
    }
  }
  assertEquals(CHECK_NAMES[0], "config");
});

Deno.test("what hangs on a failed check is not made, also at second hand, and names the cause", () => {
  const blocked = (cause: string): readonly string[] =>
    play([cause]).filter(({ blockedBy }) => blockedBy === cause).map(({ check }) => check);
  assertEquals(blocked("mesh"), [
    "clock",
    "tls",
    "openbao",
    "role",
    "token",
    "policy",
    "tenancy",
  ]);
  assertEquals(blocked("config"), CHECK_NAMES.filter((check) => check !== "config"));
  assertEquals(blocked("docker"), []);
});

Deno.test("a way that fails for tenancy alone keeps nobody from looking at OpenBao", () => {
  const away = new AgentError("TENANCY_UNAVAILABLE", "connection refused");
  const place = placeOf("transport: proxy");
  const mesh = (bao: AgentError | null): readonly (string | null)[] => {
    const before = [findingOf("mesh", judgeMesh({ tenancy: away, bao }, place))];
    return (["clock", "tls", "tenancy"] as const).map((check) => blockerOf(check, before));
  };
  assertEquals(mesh(null), [null, null, "mesh"]);
  assertEquals(
    mesh(new AgentError("BAO_UNAVAILABLE", "connection refused")),
    Array(3).fill("mesh"),
  );
});

Deno.test("with a config that cannot be read the other checks are one line, for a person", () => {
  const findings = play(["config"]);
  assertEquals(showFindings(findings).split("\n").slice(3), [
    "FAIL  config     INTERNAL: x",
    "                 do: y",
    `-     and ${CHECK_NAMES.length - 1} checks that need the config`,
    "",
  ]);
  assertEquals(JSON.parse(findingsJson(findings, "0.2.0")).checks.length, CHECK_NAMES.length);
  const policy = findingOf("policy", ok("fine"));
  assertEquals(showFindings([policy]), "a tick has all it needs\nok    bao policy fine\n");
});

Deno.test("a release that fails stands in the first line, and is no cause", () => {
  const release = findingOf("release", warn("release aaaa fails with UNHEALTHY", "status"));
  const findings = [findingOf("config", ok("good")), release];
  assertEquals(
    showFindings(findings).split("\n")[0],
    "a tick has all it needs, but release aaaa fails with UNHEALTHY; warnings: 1",
  );
  assertEquals(JSON.parse(findingsJson(findings, "0.2.0")).healthy, true);
});

Deno.test("the first failing check is the cause, however many fail", () => {
  assertEquals(firstCause(play(["docker", "state", "disk"]))?.check, "state");
  assertEquals(firstCause(play([])), null);
});

Deno.test("a check that could not be made, or warns, keeps nothing else from being made", () => {
  const before = [
    findingOf("identity", warn("soon over", "renew it")),
    findingOf("dns", notChecked("no reason")),
  ];
  assertEquals(blockerOf("mesh", before), null);
});

Deno.test("the answer names the cause and its fix first, then every check", () => {
  const findings = [
    findingOf("config", ok("good")),
    findingOf("mesh", fail("ZITI_TIMEOUT", "nobody\nanswers", "restart it")),
    blockedFinding("tls", "mesh"),
  ];
  assertEquals(
    showFindings(findings),
    `cause: mesh: ZITI_TIMEOUT: nobody
answers
do:    restart it

ok    config     good
FAIL  mesh       ZITI_TIMEOUT: nobody
                 answers
                 do: restart it
-     tls        not checked: first mend "mesh"
`,
  );
  const { healthy, cause, checks } = JSON.parse(findingsJson(findings, "0.2.0"));
  assertEquals([healthy, cause.check, cause.fix, checks.length], [false, "mesh", "restart it", 3]);
  assertEquals(checks[2].blocked_by, "mesh");
  assertEquals(
    showFindings([findingOf("folders", warn("loose", "chmod 700 /x"))]),
    "a tick has all it needs; warnings: 1\nwarn  folders    loose\n                 do: chmod 700 /x\n",
  );
});

Deno.test("docs/COMMANDS.md lists what doctor --json gives", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/COMMANDS.md", import.meta.url));
  const [, part = ""] = /### `doctor --json`\n([\s\S]*?)\n### /.exec(page) ?? [];
  const { checks: [first], ...document } = JSON.parse(
    findingsJson([findingOf("config", ok("good"))], "0.2.0"),
  );
  const rows = [...part.matchAll(/^\| `([a-z_]+)`/gm)].map(([, key]) => key);
  assertEquals(rows, [...Object.keys(document), "checks"]);
  const [, keys = ""] = /`\[\{([a-z_, ]+)\}\]`/.exec(part) ?? [];
  assertEquals(keys.split(", "), Object.keys(first));
});
