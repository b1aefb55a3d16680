import { assertEquals } from "@std/assert";
import { parseConfig, readConfig } from "../../src/config/parse.ts";
import { showCheck, showConfig } from "../../src/config/show.ts";

Deno.test("config show prints every key, aligned, with where its value came from", () => {
  const lines = showConfig(parseConfig("env_id: env-qa-02\nsite: cbs\n")).split("\n");
  const width = "docker.disk_headroom_bytes".length + 2;
  assertEquals(lines[0]?.slice(0, width), "env_id".padEnd(width));
  assertEquals(lines[0]?.trim().split(/ {2,}/), ["env_id", "env-qa-02", "file"]);
  assertEquals(lines.find((line) => line.startsWith("deploy_dir"))?.trim().split(/ {2,}/), [
    "deploy_dir",
    "/var/lib/monky-deployd/env-qa-02",
    "derived",
  ]);
  const columns = lines.slice(0, -1).map((line) => line.search(/(file|default|derived)$/));
  assertEquals(new Set(columns).size, 1);
});

Deno.test("config check prints OK, or each problem on a line", () => {
  assertEquals(showCheck([]), "OK\n");
  const reading = readConfig("env_id: e\nsite: s\nx: 1\nlaptop_mode: 1\n");
  assertEquals(
    showCheck("problems" in reading ? reading.problems : []),
    "x: unknown key; docs/CONFIG.md lists them all\n" +
      "laptop_mode: found a number; allowed: true or false\n",
  );
});
