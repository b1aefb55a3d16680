import { assertEquals } from "@std/assert";
import { parseConfig } from "../../src/config/parse.ts";
import { covers, ungranted } from "../../src/core/grants.ts";
import { type Permissions, permissionsOf } from "../../src/core/permissions.ts";

function of(more: string): Permissions {
  const { config } = parseConfig(`env_id: env-qa-02\nsite: cbs\ntransport: proxy\n${more}`);
  return permissionsOf(config, { configPath: "/c" });
}

Deno.test("a folder's grant holds for all in it, every other grant for itself alone", () => {
  const rows: readonly [Parameters<typeof covers>, boolean][] = [
    [["read", "/a", "/a"], true],
    [["read", "/a", "/a/b/c"], true],
    [["write", "/a", "/a/b"], true],
    [["read", "/a", "/ab"], false],
    [["read", "/a/b", "/a"], false],
    [["run", "/a", "/a/b"], false],
    [["net", "unix:/a", "unix:/a/b"], false],
    [["net", "127.0.0.1:1", "127.0.0.1:1"], true],
  ];
  for (const [asked, covered] of rows) assertEquals(covers(...asked), covered, asked.join(" "));
});

const CHANGES: readonly (readonly [string, string, ...string[]])[] = [
  ["nothing for a shorter interval", "interval_s: 5"],
  ["a path inside", "deploy_dir: /var/lib/monky-deployd/x"],
  ["less", "docker: {compose: /usr/lib/docker/cli-plugins/docker-compose}"],
  [
    "another socket",
    "docker: {host: 'unix:///d.sock'}",
    "net unix:/d.sock",
    "read /d.sock",
    "write /d.sock",
  ],
  ["another port", "tenancy: {proxy_addr: '127.0.0.1:1'}", "net 127.0.0.1:1"],
  ["another CA", "bao: {ca: /ca.pem}", "read /ca.pem"],
];

for (const [what, more, ...missing] of CHANGES) {
  Deno.test(`what a process that runs lacks for a new config: ${what}`, () => {
    assertEquals(ungranted(of(""), of(more)), missing);
  });
}

Deno.test("another range of the mesh is no matter of grants alone, and is told", () => {
  const system = (more: string): Permissions =>
    permissionsOf(
      parseConfig(`env_id: a\nsite: b\ntransport: system\n${more}`).config,
      { configPath: "/c" },
    );
  assertEquals(ungranted(system(""), system("system: {ip_range: 10.0.0.0/8}")), [
    "net to another system.ip_range",
  ]);
});
