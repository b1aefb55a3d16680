/**
 * The ansible role on a bare Debian 12 with systemd as PID 1, played by Debian's ansible-core and by a
 * current one in turns: what check mode tells is what a run then does, and a second run does nothing.
 * tests/real/ansible_inputs_test.ts has the wrong inputs, tests/ansible_role_test.ts the role's files.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type LabInfo,
  readLab,
  type ReleaseMirror,
  startReleaseMirror,
  waitFor,
} from "../../scripts/lab/mod.ts";
import { runningBundle } from "../support/boxes.ts";
import { type BoxToInstall, JOURNALCTL, makeBoxToInstall } from "../support/box_to_install.ts";
import { latin1, needles } from "../support/canary.ts";
import {
  makeController,
  type PlayOptions,
  type PlayResult,
  watchArguments,
} from "../support/play.ts";
import { addVersion } from "../support/release.ts";

const OLD = "0.1.98";
const NEW = "0.2.0";
const DEBIAN = { version: "ansible-2.14" } as const;
const CURRENT = { version: "ansible-2.19" } as const;
const CHECK = { check: true } as const;

Deno.test("a bare box is made what the inventory says, and stays so", async (t) => {
  await using made = await makeBoxToInstall();
  const { bare, control } = made;
  await using release = await releaseWithOld(made);
  await control.secret("key", { value: "first value" });
  await control.tenancy.publish(control.env, runningBundle("1"));
  // What ansible needs of any box; curl is what install.sh has on top.
  const apt = "DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install";
  await bare.must(`apt-get -qq update && ${apt} python3 python3-apt curl`);
  const kit = async (name: string): Promise<string> => (await bare.must(`cat kit/${name}`)).trim();
  const variables = {
    monky_deployd_env_id: control.env,
    monky_deployd_site: "lab",
    monky_deployd_transport: "proxy",
    monky_deployd_base_url: release.url,
    monky_deployd_download_token: await kit("token"),
    monky_deployd_bootstrap_grant: await kit("bootstrap.jwt"),
    monky_deployd_enrol_jwt: await kit("enrol.jwt"),
    monky_deployd_bao_ca: await kit("ca.pem"),
    monky_deployd_disk_factor: 1.25,
    monky_deployd_config: { settle_s: 1, policy: { registries: ["registry.lab"] } },
  };
  const older = { ...variables, monky_deployd_version: OLD, monky_deployd_config: { settle_s: 1 } };
  await using controller = await makeController(await theLab(), bare);
  await using watch = watchArguments();
  const said: string[] = [];
  const play = async (given: object, how: PlayOptions): Promise<PlayResult> => {
    const result = await controller.play({ ...given }, how);
    said.push(result.text);
    return result;
  };

  await t.step("on the bare box check mode tells all and changes nothing", async () => {
    const before = await boxState(made);
    const told = await play(older, { ...CURRENT, ...CHECK });
    assertEquals(told.code, 0, told.text.slice(-4000));
    assertEquals(told.changed, [
      "Install what is missing",
      "Fetch the package and compare its checksum",
      "Install the package",
      "Tell what follows once the package is there",
    ]);
    for (const part of ["openziti", "docker-compose-plugin", "acl", "enrol the identity"]) {
      assertStringIncludes(told.text, part);
    }
    await assertUnchanged(made, before);
  });

  await t.step("a token that the server does not take is known before the run", async () => {
    const told = await play(
      { ...older, monky_deployd_download_token: "another" },
      { ...DEBIAN, ...CHECK },
    );
    assertEquals(told.code, 2);
    assertStringIncludes(told.text, "does not accept monky_deployd_download_token");
  });

  await t.step("a package with another checksum is not installed", async () => {
    const file = `monky-deployd_${OLD}_amd64.deb`;
    const files = new Map([["SHA256SUMS", `${"0".repeat(64)}  ${file}\n`]]);
    await using sums = startReleaseMirror({ files });
    const failed = await play(
      { ...older, monky_deployd_sums_url: `${sums.url}/SHA256SUMS` },
      DEBIAN,
    );
    assertEquals(failed.code, 2);
    assertStringIncludes(failed.text, "was not fetched and nothing was installed");
    assertStringIncludes(failed.text, "did not match");
    assertEquals((await bare.exec("ls /var/cache/monky* /usr/bin/monky-deployd")).stdout, "");
  });

  await t.step("a run makes it so: the agent applies, the doctor is content", async () => {
    const done = await play(older, DEBIAN);
    assertEquals(done.code, 0, done.text.slice(-4000));
    await waitFor("an apply", 300_000, () => {
      const [report] = control.tenancy.record.reports;
      return Promise.resolve(report?.result === "applied" ? true : null);
    });
    assertEquals((await control.containers()).map(({ State }) => State), ["running"]);
    const modes = "cd /etc/monky-deployd && stat -c '%n %a %U:%G' config.yaml openbao-ca.pem . " +
      "/opt/openziti/etc/identities/monky-host.*.json";
    assertEquals((await bare.must(modes)).trim().split("\n"), [
      "config.yaml 640 root:monky-deployd",
      "openbao-ca.pem 644 root:root",
      ". 750 root:monky-deployd",
      `/opt/openziti/etc/identities/monky-host.${control.env}.json 640 root:root`,
    ]);
    assertEquals(await config(made), [
      `env_id: ${control.env}`,
      "site: lab",
      "transport: proxy",
      "docker:",
      "  disk_factor: 1.25",
      "bao:",
      "  ca: /etc/monky-deployd/openbao-ca.pem",
      "settle_s: 1",
    ]);
  });

  await t.step("a second run changes nothing", async () => {
    const before = await boxState(made);
    const again = await play(older, CURRENT);
    assertEquals(again.code, 0, again.text.slice(-4000));
    assertEquals(again.changed, []);
    await assertUnchanged(made, before);
  });

  await t.step("install.sh takes the box as it is, and finds nothing to do", async () => {
    const before = await boxState(made);
    const script = `sh install.sh ${made.options.join(" ")}`;
    const { code, stderr } = await bare.exec(
      `${script.replace(made.mirror.url, release.url)} --version ${OLD}`,
    );
    assertEquals(code, 0, stderr);
    await assertUnchanged(made, before);
  });

  const drifted = [
    "Fetch the package and compare its checksum",
    "Install the package",
    "Let the agent read the identity",
    "Lay OpenBao's CA down",
    "Write the config",
    "Stop what the other unit replaces",
    "Start what ticks",
  ];
  const wanted = { ...variables, monky_deployd_unit: "loop" };

  await t.step(
    "check mode tells what drifted and what the inventory changed, and no more",
    async () => {
      await bare.must(
        "echo 'interval_s: 7' >>/etc/monky-deployd/config.yaml; systemctl stop monky-deployd.timer; " +
          "echo '# mine' >>/etc/monky-deployd/openbao-ca.pem; " +
          "setfacl -x u:monky-deployd /opt/openziti/etc/identities/*.json",
      );
      const before = await boxState(made);
      const told = await play(wanted, { ...DEBIAN, ...CHECK });
      assertEquals(told.code, 0, told.text.slice(-4000));
      assertEquals(told.changed, drifted);
      await assertUnchanged(made, before);
    },
  );

  await t.step("a run mends it, after which nothing is left to do", async () => {
    const done = await play(wanted, CURRENT);
    assertEquals(done.code, 0, done.text.slice(-4000));
    // What follows from these, and which check mode does not tell apart.
    const follows = ["Remove the file", "Renew the loop"];
    assertEquals(done.changed.filter((task) => !follows.includes(task)), drifted);
    assertEquals((await config(made)).slice(-4), [
      "settle_s: 1",
      "policy:",
      "  registries:",
      "  - registry.lab",
    ]);
    assertStringIncludes(await bare.must("monky-deployd version"), NEW);
    const units = "systemctl is-active monky-deployd-run.service monky-deployd.timer";
    assertEquals((await bare.exec(units)).stdout.trim().split("\n"), ["active", "inactive"]);
    const told = await play(wanted, { ...DEBIAN, ...CHECK });
    assertEquals([told.code, told.changed], [0, []], told.text.slice(-4000));
  });

  await t.step("a config that the agent refuses is not put", async () => {
    const before = await boxState(made);
    const refused = await play({ ...wanted, monky_deployd_config: { settle: 1 } }, CURRENT);
    assertEquals(refused.code, 2);
    assertStringIncludes(refused.text, "settle_s");
    await assertUnchanged(made, before);
  });

  await t.step("an enrolment that fails says why, and leaves nothing", async () => {
    const identity = `/opt/openziti/etc/identities/monky-host.${control.env}.json`;
    await bare.must(`rm ${identity}`);
    const failed = await play(wanted, DEBIAN);
    assertEquals(failed.code, 2);
    assertStringIncludes(failed.text, "reveal the install kit again");
    assertStringIncludes(failed.text, "[token]");
    assertEquals((await bare.exec(`ls ${identity}* /run/monky-deployd-enrol*`)).stdout, "");
  });

  await t.step(
    "no secret is in output, journal, arguments or a file that others can read",
    async () => {
      const found = needles(made.secrets);
      assert(watch.seen.length > 100, "arguments were looked at");
      assert(found.some((needle) => JSON.stringify(variables).includes(needle)));
      const places = {
        output: said.join("\n"),
        arguments: watch.seen.join("\n"),
        journal: await bare.must(`${JOURNALCTL} -o export --no-pager`),
        files: await bare.must(
          "find / -xdev -type f -perm /077 -newer /root/install.sh -size -2M " +
            "! -path '/proc/*' ! -path '/root/*' -exec cat {} +",
        ),
      };
      for (const [name, place] of Object.entries(places)) {
        const text = latin1(place);
        assertEquals(found.filter((needle) => text.includes(needle)).length, 0, name);
      }
    },
  );
});

/** A mirror of the release and of an older version of it; the folder is this test's own. */
async function releaseWithOld({ bare, release }: BoxToInstall): Promise<ReleaseMirror> {
  const folder = await Deno.makeTempDir({ prefix: "release-" });
  for (const name of ["SHA256SUMS", `monky-deployd_${NEW}_amd64.deb`]) {
    await Deno.copyFile(`${release}/${name}`, `${folder}/${name}`);
  }
  await addVersion(folder, { from: NEW, to: OLD });
  const token = (await bare.must("cat kit/token")).trim();
  const mirror = startReleaseMirror({ files: { folder }, token });
  const stop = mirror[Symbol.asyncDispose];
  return Object.assign(mirror, {
    [Symbol.asyncDispose]: async () => {
      await stop();
      await Deno.remove(folder, { recursive: true });
    },
  });
}

async function theLab(): Promise<LabInfo> {
  const found = await readLab();
  if (found === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  return found;
}

/** The config without its comments. */
async function config({ bare }: BoxToInstall): Promise<readonly string[]> {
  const text = await bare.must("grep -v '^#' /etc/monky-deployd/config.yaml");
  return text.trimEnd().split("\n");
}

/**
 * Everything that the role makes, a line each, and what runs: files with times, folders without. Not
 * what ansible, Python and the agent's runtime leave.
 */
async function boxState({ bare }: BoxToInstall): Promise<ReadonlySet<string>> {
  const text = await bare.must(
    "for type in 'f -printf %T@\\040%s\\040' 'd,l,s'; do " +
      "find /etc /usr /opt /lib/systemd /var/lib/dpkg/status /var/cache/monky*.deb -xdev " +
      "! -name '*.pyc' ! -name __pycache__ -type $type -printf '%p %m %u:%g\\n' 2>/dev/null; done; " +
      "getfacl -R /opt/openziti/etc 2>/dev/null; ls /run/monky-deployd-enrol* 2>/dev/null; " +
      "systemctl show -p ActiveEnterTimestampMonotonic monky-deployd.timer monky-deployd-proxy",
  );
  return new Set(text.split("\n"));
}

/** Insists that the box is as it was; tells the lines that are not. */
async function assertUnchanged(made: BoxToInstall, before: ReadonlySet<string>): Promise<void> {
  const after = await boxState(made);
  assert(before.size > 1000, "the box was looked at");
  assertEquals([...after.symmetricDifference(before)], []);
}
