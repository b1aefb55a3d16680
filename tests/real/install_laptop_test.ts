/** install.sh --laptop on a real box: a user's own installation, offline first and online later. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { startForwarder } from "../../scripts/lab/mod.ts";
import { runningBundle } from "../support/boxes.ts";
import { JOURNALCTL, makeBoxToInstall } from "../support/box_to_install.ts";

const USER = `set -e
apt-get -qq update && apt-get -qq install -y --no-install-recommends curl libpam-systemd
dpkg -i /root/packages/docker-compose-plugin_*.deb
useradd -m -G docker dev
cp -r /root/kit /root/install.sh /home/dev && chown -R dev: /home/dev
loginctl enable-linger dev
until [ -S /run/user/$(id -u dev)/bus ] || [ -S /run/user/$(id -u dev)/systemd/private ]; do sleep 0.2; done
`;
const AS_DEV = "cd /home/dev; setpriv --reuid=dev --regid=dev --init-groups env HOME=/home/dev " +
  "XDG_RUNTIME_DIR=/run/user/$(id -u dev) PATH=/usr/bin:/bin:/home/dev/.local/bin ";

Deno.test("a laptop is installed without root while it is offline, deploys when it is online, and is removed", async () => {
  await using made = await makeBoxToInstall();
  const { bare, control } = made;
  await control.secret("key", { value: "first value" });
  await control.tenancy.publish(control.env, runningBundle("1"));
  await bare.must(USER);
  const options = made.options.filter((word) => !/enrol/.test(word)).join(" ")
    .replaceAll("/root/", "/home/dev/");
  const command = `${AS_DEV} sh install.sh --laptop ${options}`;
  const systemctl = `${AS_DEV} systemctl --user`;

  const first = await bare.exec(command);
  assertEquals(first.code, 0, first.stderr);
  assertStringIncludes(
    first.stderr,
    "for a laptop that is offline, complaints of the doctor are normal",
  );
  const files =
    "find /home/dev/.local/bin /home/dev/.local/lib /home/dev/.config -printf '%p %m %u %T@\\n'";
  const before = await bare.must(files);
  assertEquals(before.split("\n").filter((line) => / root /.test(line)), []);
  assertEquals((await bare.exec(command)).code, 0);
  assertEquals(await bare.must(files), before, "a second run changes nothing");

  // A tick of the timer's, begun offline, would be the one that a start further down waits for.
  assertEquals(await bare.must(`${systemctl} is-active monky-deployd.timer`), "active\n");
  await bare.must(`${systemctl} stop monky-deployd.timer`);
  await bare.must(`${systemctl} start monky-deployd.service`);
  assertStringIncludes(await bare.must(`${JOURNALCTL} -o cat`), "offline, which is normal here");
  {
    await using _tenancy = startForwarder({
      listen: { hostname: "127.0.0.1", port: 18443 },
      target: { hostname: "127.0.0.1", port: control.paths.tenancy.port },
    });
    await using _bao = startForwarder({
      listen: { hostname: "127.0.0.1", port: 18200 },
      target: { hostname: "127.0.0.1", port: control.paths.bao.port },
    });
    await bare.must(`${systemctl} start monky-deployd.service`);
  }
  assertEquals(control.tenancy.record.reports.map(({ result }) => result), ["applied"]);
  assertEquals((await control.containers()).map(({ State }) => State), ["running"]);
  assertStringIncludes(await bare.must(`${AS_DEV} monky-deployd status`), "web");

  const gone = await bare.exec(`${AS_DEV} sh install.sh --laptop --uninstall --purge`);
  assertEquals(gone.code, 0, gone.stderr);
  assertEquals(await bare.must("find /home/dev -path '*monky*'"), "");
  assertEquals(await control.containers(), []);
});
