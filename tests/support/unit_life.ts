/**
 * A box's life as systemd runs it: every step that a tick can take, under the sandbox of the units.
 * The agent is never called by hand here; what it did is seen in the reports and the journal.
 */

import { assertEquals } from "@std/assert";
import { waitFor } from "../../scripts/lab/mod.ts";
import { dockerCall } from "../../scripts/lab/docker_api.ts";
import type { BundleFiles } from "../../scripts/tenancy/mod.ts";
import { type BoxToInstall, JOURNALCTL } from "./box_to_install.ts";
import { runningBundle } from "./boxes.ts";

const BROKEN: BundleFiles = {
  "docker-compose.yml": `services:\n  web: {image: "lab/bb:1", command: ["sh", "-c", "exit 3"]}\n`,
};

/** Lives it on a box whose timer ticks and on which a release runs; leaves one running. */
export async function liveUnderUnits({ bare, control }: BoxToInstall): Promise<void> {
  const { tenancy, lab } = control;
  const after = async (result: string, act: () => Promise<unknown>): Promise<void> => {
    tenancy.record.clear();
    await act();
    const isThere = (): boolean => tenancy.record.reports.some((each) => each.result === result);
    await waitFor(result, 300_000, () => Promise.resolve(isThere() ? true : null));
  };
  await bare.must(
    "printf 'settle_s: 1\\non_failure: restore\\n' >>/etc/monky-deployd/config.yaml",
  );

  await after("repaired", async () => {
    const [web] = await control.containers();
    await dockerCall(lab.docker.socket, "POST", `/containers/${web?.Id}/kill`);
  });
  await after("restored", () => tenancy.publish(control.env, BROKEN));
  const { username: user, password, address: host } = lab.registry;
  await control.secret("registry", { user, password });
  await after("applied", () => tenancy.publish(control.env, fromRegistry(host)));

  await bare.must("systemctl --quiet disable --now monky-deployd.timer");
  await bare.must("systemctl --quiet enable --now monky-deployd-run.service");
  await after("applied", () => tenancy.publish(control.env, runningBundle("of the loop")));
  await after("removed", () => tenancy.setAbsent(control.env));
  await after("applied", () => tenancy.publish(control.env, runningBundle("again")));
  await bare.must("systemctl --quiet disable --now monky-deployd-run.service");
  await bare.must("systemctl --quiet enable --now monky-deployd.timer");

  const journal = await bare.must(`${JOURNALCTL} -t monky-deployd -p err -o cat`);
  const codes = [...journal.matchAll(/^([A-Z_]+): /gm)].map(([, code]) => code);
  assertEquals([...new Set(codes)], ["UNHEALTHY"], journal);
}

/** The same service, its image from the private registry. */
function fromRegistry(host: string): BundleFiles {
  const entries = ["user", "password"]
    .map((key) => ({ var: `REG_${key.toUpperCase()}`, path: "registry", key }));
  const registries = [{ host, username_var: "REG_USER", password_var: "REG_PASSWORD" }];
  return {
    "docker-compose.yml": `services:\n  web: {image: "${host}/lab/bb:1", init: true}\n`,
    "manifest.json": JSON.stringify({ entries, registries }),
  };
}
