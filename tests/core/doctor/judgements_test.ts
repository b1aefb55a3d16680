/** The doctor's judgements as tables: what was seen, and what it comes to. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { judgeFolders, type SeenPath } from "../../../src/core/doctor/judge_folders.ts";
import { judgeIdentity } from "../../../src/core/doctor/judge_identity.ts";
import { judgePolicy, policyPaths } from "../../../src/core/doctor/judge_policy.ts";
import { judgeUnits, parseUnits } from "../../../src/core/doctor/judge_units.ts";
import { judgeClock, judgeDns, judgeMesh, judgeTls } from "../../../src/core/doctor/judge_way.ts";
import { judgeListeners, listenerProbes } from "../../../src/core/doctor/listeners.ts";
import { AgentError, type Code } from "../../../src/errors.ts";
import { parseAcls } from "../../../src/model/acl.ts";
import { identityText } from "../../bridge/install.ts";
import { placeOf } from "./box.ts";

const PROXY = placeOf("transport: proxy");
const SDK = placeOf("transport: sdk");
const NOW = Date.parse("2026-06-01T00:00:00Z");
const DAY_MS = 86_400_000;

const FILE_ACL =
  "# file: f\n# owner: 0\nuser::rw-\nuser:990:r--\ngroup::rw-\nmask::rw-\nother::---\n";
const FOLDER_ACL = "# file: d\n# owner: 0\nuser::rwx\nuser:990:--x\ngroup::rwx\nmask::rwx\n" +
  "other::---\ndefault:user::rwx\ndefault:user:990:r--\ndefault:mask::rwx\n";

function acls(file: string, folder: string): Parameters<typeof judgeIdentity>[0]["acls"] {
  const [first, second] = parseAcls(`${file}\n${folder}`);
  if (first === undefined || second === undefined) throw new Error("unread");
  return { file: first, folder: second };
}

Deno.test("identity: ACL on file and folder, and for the file that a renewal makes", async () => {
  const text = await identityText();
  const judge = (file: string, folder: string): string => {
    const { state, fix } = judgeIdentity(
      { text, mode: 0o660, acls: acls(file, folder), now: NOW },
      SDK,
    );
    return `${state} ${fix?.split("; ").length ?? 0}`;
  };
  const noEntry = FILE_ACL.replace("user:990:r--\n", "");
  const noPassage = FOLDER_ACL.replace("user:990:--x\n", "");
  const noDefault = FOLDER_ACL.replaceAll(/^default:.*\n/gm, "");
  assertEquals(judge(FILE_ACL, FOLDER_ACL), "ok 0");
  assertEquals(judge(noEntry, FOLDER_ACL), "fail 3");
  assertEquals(judge(FILE_ACL.replace("mask::rw-", "mask::---"), FOLDER_ACL), "fail 3");
  assertEquals(judge(FILE_ACL, noPassage), "fail 3");
  assertEquals(judge(FILE_ACL, noDefault), "warn 3");
  assertEquals(
    judge(FILE_ACL, noDefault.replace("owner: 0", "owner: 990").replace("user:990:--x\n", "")),
    "ok 0",
  );
});

Deno.test("identity: the command gives the three entries that survive a renewal", async () => {
  const folder = "/opt/openziti/etc/identities";
  const text = await identityText();
  const broken = acls(FILE_ACL.replace("user:990:r--\n", ""), FOLDER_ACL);
  assertEquals(
    judgeIdentity({ text, mode: 0o660, acls: broken, now: NOW }, SDK).fix,
    `setfacl -m u:990:x ${folder}; setfacl -d -m u:990:r ${folder}; ` +
      `setfacl -m u:990:r ${folder}/monky-host.env-qa-02.json`,
  );
});

Deno.test("identity: thirty days before its end, and when others may read it, it warns", async () => {
  const text = await identityText();
  const end = Date.parse("2045-01-01T00:00:00Z");
  const judge = (now: number, mode = 0o600): string =>
    judgeIdentity({ text, mode, acls: null, now }, SDK).state;
  assertEquals(judge(end - 31 * DAY_MS), "ok");
  assertEquals(judge(end - 29 * DAY_MS), "warn");
  assertEquals(judge(end + 1), "fail");
  assertEquals(judge(NOW, 0o644), "warn");
});

Deno.test("folders: kind, owner, space and mode, the worst first", () => {
  const seen = (path: string, uid = 990, mode = 0o700, kind = "directory"): SeenPath => ({
    path,
    stat: { kind, mode, uid },
  });
  const none: SeenPath = { path: "/s/x", stat: null };
  const judge = (
    state: SeenPath,
    owned: readonly SeenPath[] = [none],
    freeBytes: number | null = 1 << 30,
  ): string => {
    const { state: how, code } = judgeFolders(
      { state, deploy: seen("/d"), owned, freeBytes },
      PROXY,
    );
    return `${how} ${code}`;
  };
  assertEquals(judge(seen("/s")), "ok null");
  assertEquals(judge(seen("/s", 990, 0o644, "file")), "fail FILE_UNWRITABLE");
  assertEquals(
    judge(seen("/s"), [seen("/s/state.json", 0, 0o600, "file")]),
    "fail FILE_UNREADABLE",
  );
  assertEquals(judge(seen("/s"), [none], 1 << 20), "fail DISK_FULL");
  assertEquals(judge(seen("/s", 990, 0o750)), "warn null");
  const fresh = { state: none, deploy: none, owned: [none], freeBytes: null };
  assertStringIncludes(judgeFolders(fresh, PROXY).detail, "the first tick makes it");
});

Deno.test("clock: sixty seconds are forgiven, and of two remotes the odd one is named", () => {
  const judge = (bao: number | null, tenancy: number | null): string => {
    const { state, fix } = judgeClock({ bao, tenancy });
    return `${state} ${fix ?? ""}`.trim();
  };
  assertEquals(judge(60, -60), "ok");
  assertEquals(judge(null, null), "not_checked");
  assertEquals(judge(61, null), "fail timedatectl set-ntp true; timedatectl status");
  assertEquals(judge(-61, -70), "fail timedatectl set-ntp true; timedatectl status");
  assertEquals(
    judge(0, -3600),
    "fail on tenancy's host: timedatectl set-ntp true; timedatectl status",
  );
});

Deno.test("the way: each error belongs to the one part that is broken", () => {
  const system = placeOf("transport: system");
  const error = (code: Code, data = {}, message = "x"): AgentError =>
    new AgentError(code, message, { data });
  const parts = (bao: AgentError): readonly string[] => {
    const facts = { tenancy: null, bao };
    return [judgeDns(facts, system), judgeMesh(facts, system), judgeTls(facts, system)]
      .map(({ state }) => state);
  };
  const table: readonly (readonly [AgentError, readonly string[]])[] = [
    [error("TRANSPORT_NOT_INTERCEPTED"), ["fail", "ok", "ok"]],
    [error("BAO_UNAVAILABLE", {}, "a: nobody knows the name of b"), ["fail", "ok", "ok"]],
    [error("BAO_UNAVAILABLE"), ["ok", "fail", "ok"]],
    [error("BAO_TIMEOUT"), ["ok", "fail", "ok"]],
    [error("ZITI_TIMEOUT"), ["ok", "fail", "ok"]],
    [error("TRANSPORT_UNMAPPED"), ["ok", "fail", "ok"]],
    [error("TLS_REFUSED"), ["ok", "ok", "fail"]],
    [error("CLOCK_OR_CERT"), ["ok", "ok", "fail"]],
    [error("BAO_UNAVAILABLE", { status: 500 }), ["ok", "ok", "ok"]],
    [error("BAO_BAD_ANSWER"), ["ok", "ok", "ok"]],
  ];
  for (const [bao, expected] of table) assertEquals(parts(bao), expected, bao.code);
});

Deno.test("policy: reading secrets is needed, renewing and ending the token is wished for", () => {
  const { secrets, renew, revoke } = policyPaths(PROXY.config);
  assertEquals(secrets, "monky/data/env-qa-02/see/doctor");
  const all: readonly (readonly [string, readonly string[]])[] = [
    [secrets, ["read"]],
    [renew, ["update"]],
    [revoke, ["update"]],
  ];
  const judge = (...change: readonly (readonly [string, readonly string[]])[]): string =>
    judgePolicy(new Map([...all, ...change]), PROXY).state;
  assertEquals(judge(), "ok");
  assertEquals(judge([secrets, ["deny"]]), "fail");
  assertEquals(judge([revoke, ["deny"]]), "warn");
  assertEquals(judge([secrets, ["root"]], [renew, ["root"]]), "ok");
  assertEquals(judgePolicy(null, PROXY).state, "not_checked");
});

const show = (id: string, load: string, active: string, file: string): string =>
  `Result=success\nId=${id}\nLoadState=${load}\nActiveState=${active}\nUnitFileState=${file}\n`;

Deno.test("units: the timer or the loop, whichever the transport wants, started and enabled", () => {
  const judge = (
    place: typeof PROXY,
    timer: readonly [string, string, string],
    loop: readonly [string, string, string],
  ): string => {
    const units = parseUnits([
      show("monky-deployd.timer", ...timer),
      show("monky-deployd-run.service", ...loop),
    ].join("\n"));
    const { state, fix } = judgeUnits(units, place.config);
    return `${state} ${fix ?? ""}`.trim();
  };
  const off = ["loaded", "inactive", "disabled"] as const;
  const on = ["loaded", "active", "enabled"] as const;
  const none = ["not-found", "inactive", ""] as const;
  assertEquals(judge(PROXY, on, off), "ok");
  assertEquals(judge(SDK, off, on), "ok");
  assertEquals(judge(PROXY, off, off), "fail systemctl enable --now monky-deployd.timer");
  assertEquals(judge(SDK, off, off), "fail systemctl enable --now monky-deployd-run.service");
  assertMatch(judge(PROXY, none, none), /^warn install/);
  assertMatch(judge(SDK, on, off), /^warn systemctl disable --now monky-deployd\.timer; /);
  assertEquals(judge(PROXY, on, on), "warn systemctl disable --now monky-deployd-run.service");
  assertEquals(
    judge(PROXY, ["loaded", "active", "disabled"], off),
    "warn systemctl enable monky-deployd.timer",
  );
  assertMatch(judge(PROXY, ["masked", "inactive", "masked"], off), /^fail systemctl unmask/);
});

Deno.test("listeners: a probe for each proxy port, on a loopback address that nobody uses", () => {
  const other = placeOf('transport: proxy\nbao: {proxy_addr: "127.0.0.2:9"}').config;
  assertEquals(listenerProbes(other), [
    { host: "127.0.0.2", port: 18443 },
    { host: "127.0.0.3", port: 9 },
  ]);
  assertEquals(listenerProbes(SDK.config), []);
  const judge = (host: string, takenElsewhere: boolean): string =>
    judgeListeners([{ address: { host, port: 18443 }, takenElsewhere }], "/c.yaml").state;
  assertEquals(judge("127.0.0.1", false), "ok");
  assertEquals(judge("::1", false), "ok");
  assertEquals(judge("127.0.0.1", true), "warn");
  assertEquals(judge("10.0.0.7", false), "warn");
});
