/**
 * install.sh on a bare Debian 12 with systemd as PID 1: from a mirror of the release to a box that
 * runs what tenancy wants, an upgrade in the middle of an apply, and away again. Nothing is done by
 * hand; what the box lacks comes from apt. tests/install_sh_*_test.ts have the many small cases.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  dockerCall,
  installMissing,
  type RunResult,
  sayOnStderr,
  waitFor,
} from "../../scripts/lab/mod.ts";
import { packTar } from "../../scripts/lab/tar.ts";
import { runningBundle } from "../support/boxes.ts";
import { type BoxToInstall, JOURNALCTL, makeBoxToInstall } from "../support/box_to_install.ts";
import { latin1, needles } from "../support/canary.ts";
import { addVersion } from "../support/release.ts";
import { liveUnderUnits } from "../support/unit_life.ts";

const OLD = "0.1.99";
const NEW = "0.2.0";
const ROOT = new URL("../../", import.meta.url).pathname;
/** The mark in the box that dpkg is held. */
const HELD = "/run/held";

Deno.test("shellcheck has nothing to say about the installer", async () => {
  await installMissing([{ program: "shellcheck", packages: ["shellcheck"] }], sayOnStderr);
  const { success, stdout, stderr } = await new Deno.Command("shellcheck", {
    args: ["-x", "packaging/install.sh", "tests/support/install_stub.sh"],
    cwd: ROOT,
    env: { LC_ALL: "C.UTF-8" },
  }).output();
  const text = new TextDecoder();
  assert(success, text.decode(stdout) + text.decode(stderr));
});

Deno.test("a bare box is installed, lives, is upgraded in the middle of an apply, and removed", async (t) => {
  await using made = await makeBoxToInstall();
  const { bare, control } = made;
  await addVersion(made.release, { from: NEW, to: OLD });
  await control.secret("key", { value: "first value" });
  await control.tenancy.publish(control.env, runningBundle("1"));
  const seen: string[] = [];
  const processes = new Set<string>();
  const old = [...made.options, "--version", OLD];

  await t.step("killed while dpkg is at work, it goes on where it was", async () => {
    const killing = killAtDpkg(made).catch(String);
    const cut = await install(made, old, { seen, processes });
    // Nobody waits for dpkg any more when the installer did not get as far.
    await bare.must(`: >${HELD}`);
    assertMatch(await killing, /^half-(?:installed|configured)$/, cut.stderr);
    assert(cut.code !== 0, cut.stderr);
    const done = await install(made, old, { seen, processes });
    assertEquals(done.code, 0, done.stderr);
    assertStringIncludes(done.stderr, `monky-deployd ${OLD} runs on ${control.env}`);
  });

  await t.step("the first tick applies the bundle, and the timer goes on ticking", async () => {
    await until("an apply", () => control.tenancy.record.reports[0]?.result === "applied");
    const [container] = await control.containers();
    assertEquals(container?.State, "running");
    control.tenancy.record.clear();
    await until("two more ticks", () => control.tenancy.record.checkins.length >= 2);
    const names = "systemctl show -p ActiveState --value monky-deployd.timer monky-deployd-proxy";
    assertEquals((await bare.must(names)).split(/\s+/).filter(Boolean), ["active", "active"]);
  });

  await t.step("journal, status and doctor have no complaint", async () => {
    assertEquals(
      await bare.must(`${JOURNALCTL} -u monky-deployd.service -p warning -o cat`),
      "",
    );
    assertEquals(await bare.must("systemctl --failed --plain --no-legend"), "");
    const status = await bare.must("monky-deployd status");
    assertStringIncludes(status, "web");
    assertStringIncludes(status, "reached tenancy and Docker");
    const doctor = await bare.must("monky-deployd doctor");
    assertEquals(doctor.split("\n").filter((line) => /^(fail|warn)/.test(line)), []);
  });

  await t.step("a second run changes nothing", async () => {
    const [files, containers] = [await boxState(made), await control.containers()];
    const again = await install(made, old, { seen, processes });
    assertEquals(again.code, 0, again.stderr);
    assertEquals(await boxState(made), files);
    assertEquals((await control.containers()).map(({ Id }) => Id), containers.map(({ Id }) => Id));
  });

  await t.step(
    "the agent may read the identity, also when it was renewed in either way",
    async () => {
      const file = `/opt/openziti/etc/identities/monky-host.${control.env}.json`;
      const readable =
        `setpriv --reuid=monky-deployd --regid=monky-deployd --init-groups cat ${file} | wc -c`;
      assert(Number(await bare.must(readable)) > 0);
      // What the tunneler does before 1.18.7, and since: a new inode with the old mode.
      const renewals = [
        "m=$(stat -c %a $f); mv $f $f.bak; cat $f.bak >$f; chmod $m $f",
        "m=$(stat -c %a $f); cp $f $f.bak; cat $f.bak >$f.tmp; chmod $m $f.tmp; mv $f.tmp $f",
      ];
      for (const renewal of renewals) {
        await bare.must(`set -e; f=${file}; ${renewal}`);
        assert(Number(await bare.must(readable)) > 0, renewal);
      }
    },
  );

  await t.step("an upgrade in the middle of an apply cuts nothing", async () => {
    // However long the upgrade takes: the apply goes on until the test lets it end.
    await bare.must("printf 'health_timeout_s: 1800\\n' >>/etc/monky-deployd/config.yaml");
    control.tenancy.record.clear();
    await control.tenancy.publish(control.env, slowBundle());
    await until(
      "the slow service",
      async () => (await control.containers()).some(({ Status }) => /starting/.test(Status)),
    );
    const during = await bare.must("systemctl show -p MainPID --value monky-deployd.service");
    const done = await install(made, made.options, { seen, processes });
    assertEquals(done.code, 0, done.stderr);
    assertStringIncludes(done.stderr, `upgrade monky-deployd from ${OLD} to ${NEW}`);
    assertEquals(
      await bare.must("systemctl show -p MainPID --value monky-deployd.service"),
      during,
    );
    assertEquals(control.tenancy.record.reports.length, 0, "the apply outlived the upgrade");
    await makeReady(made);
    await until("the apply's report", () => control.tenancy.record.reports.length > 0);
    assertEquals(control.tenancy.record.reports.map(({ result }) => result), ["applied"]);
    assertStringIncludes(await bare.must("dpkg-query -W -f '${Version}' monky-deployd"), NEW);
    control.tenancy.record.clear();
    // One that is healthy by itself, also when it is made anew.
    await control.tenancy.publish(control.env, runningBundle("2"));
    await until("an apply of the new version", () => control.tenancy.record.reports.length > 0);
    assertEquals(control.tenancy.record.reports.map(({ result }) => result), ["applied"]);
  });

  await t.step("under the units' sandbox a box lives a whole life", () => liveUnderUnits(made));

  await t.step(
    "no token or grant is in a log, a process list or a file that others can read",
    async () => {
      const found = needles(made.secrets);
      const looked = [...processes].some((each) => each.includes("install.sh"));
      assert(looked, "the process list was not looked at while the installer ran");
      const told = latin1([...seen, ...processes].join("\n"));
      assertEquals(found.filter((needle) => told.includes(needle)).length, 0);
      await bare.put([{ path: "/root/needles", content: found.join("\n"), mode: 0o600 }]);
      const search = "LC_ALL=C grep -a -F -l -f /root/needles";
      await bare.must(`${JOURNALCTL} -o export --no-pager >/root/journal`);
      const places = `${search} /root/journal; find /etc /opt /usr /var -xdev -type f ` +
        `-perm /077 -newer /root/install.sh -size -4M -exec env ${search} {} +`;
      assertEquals((await bare.exec(places)).stdout, "");
      assertStringIncludes((await bare.exec(`${search} /root/kit/*`)).stdout, "/root/kit/token");
    },
  );

  await t.step("--uninstall leaves what runs, config and state; --purge takes them", async () => {
    const gone = await bare.exec("sh /root/install.sh --uninstall");
    assertEquals(gone.code, 0, gone.stderr);
    assertEquals(await bare.must("command -v monky-deployd || echo none"), "none\n");
    await bare.must(
      "test -s /etc/monky-deployd/config.yaml && test -s /var/lib/monky-deployd/state.json",
    );
    assertEquals((await control.containers()).length, 1);
    const purged = await bare.exec("sh /root/install.sh --uninstall --purge");
    assertEquals(purged.code, 0, purged.stderr);
    const left = "ls -d /etc/monky-deployd /var/lib/monky-deployd /var/cache/monky-deployd* " +
      "/usr/lib/monky-deployd /lib/systemd/system/monky-deployd*; getfacl -R /opt/openziti/etc | grep monky-deployd:";
    assertEquals((await bare.exec(left)).stdout, "");
    assertEquals(await control.containers(), []);
    assertEquals(await bare.must("systemctl --failed --plain --no-legend"), "");
  });
});

interface InstallOptions {
  /** Gets what is told. */
  readonly seen: string[];
  /** Gets the arguments of every process that is seen meanwhile. */
  readonly processes: Set<string>;
}

/** Runs install.sh in the box, traced. */
async function install(
  { bare }: BoxToInstall,
  args: readonly string[],
  { seen, processes }: InstallOptions,
): Promise<RunResult> {
  const unit = "systemd-run --quiet --pipe --wait --collect --unit=installer";
  const [program = "", ...words] = bare.command(`${unit} sh -x /root/install.sh ${args.join(" ")}`);
  const child = new Deno.Command(program, {
    args: words,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let isOver = false;
  const watching = (async (): Promise<void> => {
    while (!isOver) {
      await addProcesses(processes);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const { code, ...output } = await child.output();
  isOver = true;
  await watching;
  const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) =>
    new TextDecoder().decode(bytes)
  );
  seen.push(stderr ?? "", stdout ?? "");
  return { code, stdout: stdout ?? "", stderr: stderr ?? "" };
}

/**
 * Kills the installer and all its children while dpkg unpacks the package; gives what dpkg calls the
 * package then. It cannot come too late: where the package makes its group dpkg is held for good.
 */
async function killAtDpkg({ bare }: BoxToInstall): Promise<string> {
  const hold = "/usr/local/sbin/groupadd";
  const content = `#!/bin/sh\n: >${HELD}\nexec sleep infinity\n`;
  await bare.put([{ path: hold, content, mode: 0o755 }]);
  const state = await bare.must(`
    until [ -e ${HELD} ] ||
      [ -n "$(find /usr/lib/monky-deployd -name '*.dpkg-new' -print -quit 2>/dev/null)" ]
    do sleep 0.01; done
    systemctl kill --signal=KILL installer.service
    dpkg-query -W -f '\${db:Status-Status}' monky-deployd
  `);
  await bare.must(`rm ${hold}`);
  return state;
}

/** Adds the arguments of every process of the machine; the box's are among them. */
async function addProcesses(processes: Set<string>): Promise<void> {
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    processes.add(await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => ""));
  }
}

/** Everything that an installation makes, with times; and what runs. */
async function boxState({ bare }: BoxToInstall): Promise<string> {
  return await bare.must(
    "find /etc /usr /opt /lib/systemd -xdev -printf '%p %m %u:%g %T@ %s\\n' | sort; " +
      "getfacl -R /opt/openziti/etc 2>/dev/null; " +
      "systemctl show -p ActiveEnterTimestampMonotonic monky-deployd.timer monky-deployd-proxy",
  );
}

/** One service that is healthy when the test says so. */
function slowBundle(): Readonly<Record<string, string>> {
  return {
    "docker-compose.yml": `services:
  web:
    image: lab/bb:1
    command: ["sleep", "86400"]
    init: true
    stop_grace_period: 1s
    healthcheck: {test: ["CMD", "test", "-e", "/tmp/ready"], interval: 1s, retries: 9999}
`,
  };
}

/** Makes the service of `slowBundle` healthy. */
async function makeReady({ control }: BoxToInstall): Promise<void> {
  const [web] = await control.containers();
  await dockerCall(control.lab.docker.socket, "PUT", `/containers/${web?.Id}/archive?path=/tmp`, {
    body: packTar([{ path: "ready", content: "" }]),
  });
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  await waitFor(what, 300_000, async () => (await holds()) ? true : null);
}
