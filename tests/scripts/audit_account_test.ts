/** The audit's own judgement (scripts/audit): it must see a grant too many and one too few. */

import { assertEquals } from "@std/assert";
import { type Access, accessesOf, grantsOf } from "../../scripts/audit/access.ts";
import { accountOf, faultsOf } from "../../scripts/audit/account.ts";

const grant = (text: string): Access => {
  const [kind = "", value = ""] = text.split(" ");
  return { kind: kind as Access["kind"], value };
};

const ROWS: readonly (readonly [string, string[], string[], string[]])[] = [
  ["all used, all granted", ["read /a", "net h:1"], ["read /a/b", "net h:1"], []],
  ["a grant too many", ["read /a", "run /p"], ["read /a"], ["granted and never used: run /p"]],
  ["an access too many", ["read /a"], ["read /a", "env HOME"], ["never granted: s: env HOME"]],
  ["reading is not writing", ["read /a"], ["read /a", "write /a"], ["never granted: s: write /a"]],
  ["a neighbour", ["read /a"], ["read /a", "read /ab"], ["never granted: s: read /ab"]],
];

for (const [what, granted, accesses, faults] of ROWS) {
  Deno.test(`the audit's account: ${what}`, () => {
    const run = {
      scene: "s",
      granted: granted.map(grant),
      accesses: accesses.map(grant),
    };
    assertEquals(faultsOf(accountOf([run])), faults);
  });
}

Deno.test("the audit's account: a grant that another run had does not cover, one use is enough", () => {
  const one = { scene: "one", granted: [grant("read /a")], accesses: [grant("read /b")] };
  const two = {
    scene: "two",
    granted: [grant("read /a"), grant("read /b")],
    accesses: [grant("read /a"), grant("read /b")],
  };
  const account = accountOf([one, two]);
  assertEquals(account.uses.map(({ value, scenes }) => [value, scenes]), [["/a", ["two"]], ["/b", [
    "two",
  ]]]);
  assertEquals(account.ungranted, ["one: read /b"]);
});

Deno.test("flags and audit files are read as the runtime writes them", () => {
  assertEquals(
    grantsOf(["--no-prompt", "--allow-net=a:1,unix:/s", "--allow-read=/c", "--deny-net=1.0.0.0/8"]),
    [grant("net a:1"), grant("net unix:/s"), grant("read /c")],
  );
  const line = (permission: string, value: string | null): string =>
    JSON.stringify({ v: 1, datetime: "2026-11-30T00:00:00Z", permission, value });
  const text = [
    line("read", "/x/src/a.ts"),
    line("read", "/x"),
    line("read", "/x"),
    line("sys", "statfs"),
  ].join("\n");
  assertEquals(accessesOf(text, /\.ts$/), [grant("read /x"), grant("sys statfs")]);
});
