/**
 * Wrong variables of the ansible role: each has a message of its own, all are told at once, and nothing
 * of the box is touched. The facts of the box are given, so no box is needed.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Ansible, findAnsible, readLab, sayOnStderr } from "../../scripts/lab/mod.ts";
import { fakeEnrolment, fakeGrant, fakeJwt } from "../support/install_world.ts";
import { playbook } from "../support/play.ts";

type Variables = Readonly<Record<string, unknown>>;

const PAST = Math.floor(Date.now() / 1000) - 60;
const SECRET = "S3cretOfTheKit";
const DPKG = (text: string): Variables => ({ monky_deployd__dpkg: { stdout: text } });
const FACTS = (change: Variables): Variables => ({
  ...{ service_mgr: "systemd", pkg_mgr: "apt", architecture: "x86_64", user_uid: 0 },
  ...change,
});

/** What is right; a case changes some. */
const RIGHT: Variables = {
  monky_deployd_env_id: "env-qa-02",
  monky_deployd_site: "cbs",
  monky_deployd_transport: "proxy",
  monky_deployd_download_token: "gldt-1",
  monky_deployd_bootstrap_grant: fakeGrant({}, SECRET),
};

/** What is wrong at once, and what is said of it: each wrong thing has a message of its own. */
const CASES: Readonly<Record<string, readonly (readonly [change: Variables, says: string])[]>> = {
  "names, half a version, a token over http, no grant": [
    [{ monky_deployd_env_id: "env/x" }, "monky_deployd_env_id may hold"],
    [{ monky_deployd_site: "" }, "monky_deployd_site may hold"],
    [{ monky_deployd_version: "0.2" }, "is no whole version"],
    [{ monky_deployd_base_url: "http://mirror/x" }, "in clear text over http"],
    [{ monky_deployd_docker_data_root: "/a/../b" }, "no plain absolute path"],
    [{ monky_deployd_bao_ca: "hello" }, "is no PEM certificate"],
    [{ monky_deployd_config: { transport: "sdk" } }, "may not hold env_id"],
    [{ monky_deployd_bootstrap_grant: "" }, "monky_deployd_bootstrap_grant is missing"],
  ],
  "an env that is too long, an address with a query, a grant that is none": [
    [{ monky_deployd_env_id: "e".repeat(64) }, "monky_deployd_env_id may hold"],
    [{ monky_deployd_site: "CBS" }, "monky_deployd_site may hold"],
    [DPKG("installed 0.3.0"), "0.3.0 is installed, which is newer"],
    [{ monky_deployd_base_url: `https://x/y?token=${SECRET}` }, "without account and query"],
    [{ monky_deployd_docker_data_root: "srv" }, "no plain absolute path"],
    [{
      monky_deployd_bao_ca: `-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----${SECRET}`,
    }, "holds a private key"],
    [{ monky_deployd_bootstrap_grant: SECRET }, "is no deploy grant"],
  ],
  "an address with an account, a grant of garbage, an enrolment token that is a grant": [
    [{ monky_deployd_base_url: `https://a:${SECRET}@x/y` }, "without account and query"],
    [{ monky_deployd_bootstrap_grant: `a.${SECRET}.c` }, "is no deploy grant"],
    [
      { monky_deployd_enrol_jwt: fakeGrant({}, SECRET) },
      "monky_deployd_enrol_jwt is no enrolment token",
    ],
  ],
  "no token for the private project, a grant of another kind, sdk without anything": [
    [{ monky_deployd_download_token: "" }, "monky_deployd_download_token is missing"],
    [{ monky_deployd_bootstrap_grant: fakeJwt({ kind: "lease" }, SECRET) }, "is no deploy grant"],
    [
      { monky_deployd_transport: "sdk" },
      "there is no identity /opt/openziti/etc/identities/monky-host.env-qa-02.json",
    ],
    [{}, "sdk needs Node 20"],
  ],
  "a token of two lines, the grant of another box, an enrolment token that has expired": [
    [{ monky_deployd_download_token: `${SECRET}\nx` }, "characters that no deploy token has"],
    [
      { monky_deployd_bootstrap_grant: fakeGrant({ env_id: "env-qa-03" }, SECRET) },
      "for another environment",
    ],
    [
      { monky_deployd_enrol_jwt: fakeEnrolment({ exp: PAST }, SECRET) },
      "monky_deployd_enrol_jwt has expired",
    ],
  ],
  "the box of another environment and another system, a grant that has expired": [
    [
      { monky_deployd__config_read: { content: btoa('site: x\nenv_id: "env-qa-07"\n') } },
      "this box belongs to env-qa-07",
    ],
    [{ ansible_facts: FACTS({ service_mgr: "openrc" }) }, "systemd, apt and amd64"],
    [
      { monky_deployd_bootstrap_grant: fakeGrant({ exp: PAST }, SECRET) },
      "monky_deployd_bootstrap_grant has expired",
    ],
  ],
  "another user than root": [[{ ansible_facts: FACTS({ user_uid: 1000 }) }, "needs root"]],
};

/** A box with nothing on it, as tasks/inspect.yml would find it. */
const BARE: Variables = {
  ansible_facts: FACTS({}),
  monky_deployd__find: { stdout_lines: [] },
  monky_deployd__dpkg: { stdout: "" },
  monky_deployd__config_read: {},
  monky_deployd__mark_read: {},
  monky_deployd__grant_stat: { stat: {} },
};

for (const version of ["ansible-2.14", "ansible-2.19"] as const) {
  Deno.test(`wrong variables are refused, each with its message and no secret (${version})`, async () => {
    const cases = Object.values(CASES);
    const changes = cases.map((rows) => Object.assign({}, ...rows.map(([change]) => change)));
    const { text } = await refusals(await ansible(version), [...changes, {}]);
    const told = [...text.matchAll(/^VERDICT \d+ (.*)$/gm)].map(([, says]) => says?.split(";;"));
    assertEquals(told.at(-1), ["right"], text.slice(-2000));
    for (const [at, rows] of cases.entries()) {
      const kept = (told[at] ?? []).map((line) =>
        rows.find(([, says]) => line.includes(says))?.[1] ?? line
      );
      assertEquals(kept.toSorted(), rows.map(([, says]) => says).toSorted());
    }
    assert(!text.includes(SECRET), "a secret was told");
  });

  Deno.test(`types and choices are refused before the box is looked at (${version})`, async () => {
    const dir = await Deno.makeTempDir({ prefix: "inputs-" });
    try {
      await Deno.writeTextFile(
        `${dir}/play.yml`,
        "- {hosts: localhost, connection: local, gather_facts: false, roles: [monky_deployd]}\n",
      );
      const wrong = {
        monky_deployd_site: "cbs",
        monky_deployd_transport: "vpn",
        monky_deployd_tenancy_port: "https",
        monky_deployd_unit: "cron",
        monky_deployd_config: "interval_s",
      };
      await Deno.writeTextFile(`${dir}/vars.json`, JSON.stringify(wrong));
      const { code, text } = await playbook(await ansible(version), [
        "-e",
        "@vars.json",
        "play.yml",
      ], {
        dir,
      });
      assertEquals(code, 2);
      assertStringIncludes(text, "missing required arguments: monky_deployd_env_id");
      for (const name of ["transport", "tenancy_port", "unit", "config"]) {
        assert(
          new RegExp(`rgument.*monky_deployd_${name}|monky_deployd_${name} must be`).test(text),
          name,
        );
      }
      assertEquals([...text.matchAll(/^TASK /gm)].length, 1, "the first task was the last");
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
}

/** Plays tasks/refuse.yml for each case, in one run; a line for each says how it ended. */
async function refusals(
  with_: Ansible,
  cases: readonly Variables[],
): ReturnType<typeof playbook> {
  const dir = await Deno.makeTempDir({ prefix: "inputs-" });
  try {
    const plays = cases.map((change, at) => ({
      hosts: "localhost",
      connection: "local",
      gather_facts: false,
      vars: { ...BARE, ...RIGHT, ...change },
      tasks: [{
        block: [
          { include_role: { name: "monky_deployd", tasks_from: "secrets.yml" } },
          { include_role: { name: "monky_deployd", tasks_from: "refuse.yml" } },
          { debug: { msg: `VERDICT ${at} right` } },
        ],
        rescue: [{
          debug: {
            msg:
              `VERDICT ${at} {{ ansible_failed_result.msg if ansible_failed_result.msg is string ` +
              "else ansible_failed_result.msg | join(';;') }}",
          },
        }],
      }],
    }));
    await Deno.writeTextFile(`${dir}/play.yml`, JSON.stringify(plays));
    const result = await playbook(with_, ["play.yml"], { dir });
    return { ...result, text: result.text.replaceAll(/^ *"msg": "(VERDICT .*)"$/gm, "$1") };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function ansible(version: Ansible["version"]): Promise<Ansible> {
  const lab = await readLab();
  if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  return await findAnsible(`${lab.dir}/cache`, version, sayOnStderr);
}
