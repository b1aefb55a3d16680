// What the lab's command line says to a person, without a lab.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { exportsOf, secretProblem } from "../scripts/lab.ts";
import type { LabInfo } from "../scripts/lab/mod.ts";

Deno.test("lab secret says what is wrong with its words, and no value", () => {
  const rows: readonly [string, string][] = [
    ["", "ENV is missing"],
    ["Env_1 db password=CANARY", 'not "Env_1"'],
    ["env-dev", "PATH is missing"],
    ["env-dev password=CANARY", "PATH is missing: a KEY=VALUE stands in its place"],
    ["env-dev db", "no KEY=VALUE after db"],
    ["env-dev db a=b CANARY", "word 2 after db"],
    ["env-dev db =CANARY", "word 1 after db"],
  ];
  for (const [words, problem] of rows) {
    const said = secretProblem(words.split(" ").filter((word) => word !== "")) ?? "nothing";
    assertStringIncludes(said, problem);
    assertEquals(said.includes("CANARY"), false, said);
  }
  assertEquals(secretProblem(["env-dev", "db", "password=a=b", "user="]), null);
});

Deno.test("lab status gives the exports for a shell, and names the file of the token", () => {
  const lab = {
    dir: "/it's/.lab",
    docker: { host: "unix:///it's/docker.sock" },
    bao: { address: "https://127.0.0.1:1", caFile: "/ca.pem", rootToken: "CANARY" },
  } as LabInfo;
  assertEquals(exportsOf(lab), [
    "export DOCKER_HOST='unix:///it'\\''s/docker.sock'",
    "export BAO_ADDR='https://127.0.0.1:1' BAO_CACERT='/ca.pem'",
    '# BAO_TOKEN: "rootToken" in /it\'s/.lab/lab.json',
  ]);
});
