/** Images from a private registry, with an account that OpenBao holds. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { importImage, pushImage, removeImage } from "../../scripts/lab/mod.ts";
import { readTree } from "../../scripts/box/tree.ts";
import type { Box } from "../../scripts/box/box.ts";
import { onBox } from "../support/boxes.ts";
import { LONG_RUNNING } from "../support/bundles.ts";

/** Pushes an image of its own that is then gone from the Engine; gives its reference. */
async function privateImage(box: Box): Promise<string> {
  const name = `lab/private-${crypto.randomUUID().slice(0, 8)}:1`;
  await importImage(box.lab, name, {});
  const reference = await pushImage(box.lab, name);
  await removeImage(box.lab, reference);
  await removeImage(box.lab, name);
  return reference;
}

function bundle(box: Box, reference: string): Readonly<Record<string, string>> {
  return {
    "docker-compose.yml": `services:\n  web:\n    image: ${reference}\n    ${LONG_RUNNING}\n`,
    "manifest.json": JSON.stringify({
      entries: [
        { var: "REGISTRY_USER", path: "registry", key: "username" },
        { var: "REGISTRY_PASSWORD", path: "registry", key: "password" },
      ],
      registries: [{
        host: box.lab.registry.address,
        username_var: "REGISTRY_USER",
        password_var: "REGISTRY_PASSWORD",
      }],
    }),
  };
}

Deno.test("a private image is pulled with the account from OpenBao, which is nowhere afterwards", async () => {
  await onBox(async (box) => {
    const { username, password } = box.lab.registry;
    await box.secret("registry", { username, password });
    await box.reveal();
    const reference = await privateImage(box);
    await box.tenancy.publish(box.env, bundle(box, reference));
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    assertEquals((await box.containers())[0]?.State, "running");
    const files = [...readTree([box.stateDir]).keys()];
    assert(
      !files.some((path) => path.endsWith("/docker/config.json")),
      "the account is still there",
    );
    assert(!run.stderr.includes(password), "the password was logged");
    assert(!run.children.some((args) => args.includes(password)), "the password was an argument");
  });
});

Deno.test("case 45: a wrong account is REGISTRY_AUTH, is not retried at once, and leaves nothing", async () => {
  await onBox(async (box) => {
    await box.secret("registry", { username: box.lab.registry.username, password: "expired" });
    await box.reveal();
    await box.tenancy.publish(box.env, bundle(box, await privateImage(box)));
    const run = await box.tick();
    assertEquals(run.code, 1, run.stderr);
    assertStringIncludes(run.stderr, "REGISTRY_AUTH");
    assertEquals(box.tenancy.record.reports.at(-1)?.code, "REGISTRY_AUTH");
    assertEquals((await box.tick()).children, []);
    const files = [...readTree([box.stateDir]).keys()];
    assert(
      !files.some((path) => path.endsWith("/docker/config.json")),
      "the account is still there",
    );
  });
});

Deno.test("accounts that a killed tick left behind are removed by the next", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await Deno.mkdir(`${box.stateDir}/docker`, { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(`${box.stateDir}/docker/config.json`, `{"auths":{}}`, { mode: 0o600 });
    await box.tenancy.setAbsent(box.env);
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    const files = [...readTree([box.stateDir]).keys()];
    assert(!files.some((path) => path.endsWith("/docker/config.json")), "still there");
  });
});
