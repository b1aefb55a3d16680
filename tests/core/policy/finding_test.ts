import { assert, assertEquals } from "@std/assert";
import { finding, findingName, refuseFindings } from "../../../src/core/policy/finding.ts";
import { engineSockets } from "../../../src/core/policy/engine_sockets.ts";
import { isPrivateSubnet, overlaps } from "../../../src/core/policy/subnet.ts";
import { KEYS } from "../../../src/config/schema.ts";

const mask = (text: string): string => text;

Deno.test("a refusal names every finding with its place, and the host's config takes the names", () => {
  const findings = [
    finding("privileged", { key: "services.web.privileged" }),
    finding("bind", { value: "/a b,c\n", key: "services.web.volumes[0]", why: "is outside" }),
    finding("bind_missing", { value: "conf", key: "services.db.volumes[0]" }),
  ];
  const refusal = refuseFindings(findings, { allow: [], mask });
  assertEquals(refusal?.code, "POLICY_DENIED");
  assertEquals(
    refusal?.message,
    "services.web.privileged: privileged; services.web.volumes[0]: bind:/a%20b%2Cc%0A (is outside); " +
      "services.db.volumes[0]: bind_missing:conf",
  );
  assertEquals(refusal?.data, { findings: 3 });
  const names = findings.map(findingName);
  const { kind } = KEYS["policy.allow"];
  assert("value" in kind.read(names.slice(0, 2)));
  assert("wrongs" in kind.read(names), "the config says so, too");
  const left = refuseFindings(findings, { allow: names, mask });
  assertEquals(left?.code, "BIND_MISSING", "what is missing cannot be allowed");
});

Deno.test("a finding that stands twice is told once, of very many the first are", () => {
  const one = finding("privileged", { key: "k" });
  assertEquals(refuseFindings([one, one], { allow: [], mask })?.message, "k: privileged");
  const many = Array.from(
    { length: 5_000 },
    (_, n) =>
      finding("bind", {
        value: `/${"x".repeat(5_000)}${n}`,
        key: `services.${"s".repeat(900)}.${n}`,
      }),
  );
  const message = refuseFindings(many, { allow: [], mask })?.message ?? "";
  assert(message.endsWith("and 4960 more"), message.slice(-100));
  assert(message.length < 16_000, String(message.length));
});

Deno.test("a value is masked before it is printed, and compared as it is", () => {
  const secret = finding("bind", { value: "/x y/hunter2 z", key: "k" });
  const hide = (text: string): string => text.replaceAll("hunter2 z", "[redacted]");
  assertEquals(
    refuseFindings([secret], { allow: [], mask: hide })?.message,
    "k: bind:/x%20y/[redacted]",
  );
  assertEquals(refuseFindings([secret], { allow: [findingName(secret)], mask: hide }), null);
});

Deno.test("names are no bridge from one value to another", () => {
  const names = ["/a b", "/a%20b", "/a\tb", "/a\u00a0b", "/a_b"].map((value) =>
    findingName({ kind: "bind", value })
  );
  assertEquals(new Set(names).size, names.length);
  assertEquals(findingName({ kind: "bind", value: "\ud800" }), "bind:\ufffd");
});

Deno.test("the Engine's sockets are known under each of their names", () => {
  const usual = engineSockets("/var/run/docker.sock", null);
  for (
    const path of ["/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock"]
  ) {
    assert(usual.includes(path), path);
  }
  assert(
    engineSockets("/srv/d.sock", "/run/user/1/docker.sock").includes("/var/run/user/1/docker.sock"),
  );
  assert(engineSockets("/srv/d.sock", "../run/x.sock").includes("/run/x.sock"));
});

Deno.test("subnets: private or not, apart or not", () => {
  const table: readonly (readonly [string, boolean])[] = [
    ["10.0.0.0/8", true],
    ["172.16.0.0/12", true],
    ["172.31.255.0/24", true],
    ["192.168.1.0/24", true],
    ["fd00::/8", true],
    ["fdab:1::/64", true],
    ["10.0.0.0/7", false],
    ["172.32.0.0/16", false],
    ["169.254.0.0/16", false],
    ["127.0.0.0/8", false],
    ["10.0.0.0", false],
    ["10.0.0.0/33", false],
    ["10.0.0.256/32", false],
    ["fe80::/10", false],
    ["fd00::/7", false],
    ["::/0", false],
    ["x", false],
  ];
  for (const [cidr, isPrivate] of table) assertEquals(isPrivateSubnet(cidr), isPrivate, cidr);
  assert(overlaps("10.1.0.0/16", "10.0.0.0/8"));
  assert(overlaps("10.0.0.0/8", "10.1.2.0/24"));
  assert(!overlaps("10.1.0.0/16", "10.2.0.0/16"));
});
