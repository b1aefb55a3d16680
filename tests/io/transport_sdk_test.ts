/**
 * The transport `sdk` carries the table of exchanges through the bridge process, over both
 * generations of the addon's API, under its own grants.
 */

import { assertEquals } from "@std/assert";
import { identityText, installBridge, nodePath } from "../bridge/install.ts";
import { CERTS, openWorld, type World } from "./mesh_world.ts";
import { testCerts } from "./tls_setup.ts";
import { assertExactlyDialled, assertExchanges, assertOneFewerFails } from "./transport_asserts.ts";

async function withSdkWorld(
  api: "connect" | "dial",
  test: (world: World) => Promise<void>,
): Promise<void> {
  const node = await nodePath();
  const world = await openWorld({
    config: async ({ folder, index, tenancyPort, baoPort }) => {
      const home = `${folder}/i${index}`;
      const bridge = await installBridge(home, {
        api,
        services: {
          "monky.tenancy.deploy": { port: tenancyPort },
          [`openbao-${CERTS[index]}`]: { port: baoPort },
        },
      });
      await Deno.writeTextFile(`${home}/identity.json`, await identityText());
      return {
        transport: "sdk",
        identity: `${home}/identity.json`,
        sdk: { node, bridge },
        bao: {
          service: `openbao-${CERTS[index]}`,
          addr: `https://vault.internal:8200`,
          ca: `${folder}/ca.pem`,
        },
      };
    },
  });
  try {
    await test(world);
  } finally {
    await world.close();
  }
}

const LOGIN = 'a login at a server with the certificate "good"';

Deno.test("sdk over connect(): every exchange ends right, POSTs arrive once, no token is seen", async () => {
  await withSdkWorld("connect", (world) => assertExchanges(world));
});

/** The old API never tells that the other side has ended (facts: ziti §1): the deadline does. */
Deno.test("sdk over dial(): every exchange ends right, a lost end in X_TIMEOUT", async () => {
  await withSdkWorld("dial", (world) =>
    assertExchanges(world, {
      "a connection closed before the answer, under a POST": "TENANCY_TIMEOUT headers",
      "a connection closed in the body": "TENANCY_TIMEOUT body",
    }));
});

Deno.test("sdk: the net grants are exactly what is dialled, with one fewer an exchange is PERMISSION_MISSING", async () => {
  await withSdkWorld("connect", async (world) => {
    const { folder } = world;
    await assertExactlyDialled(world, {
      [`unix:${folder}/s0/.run/tenancy.sock`]: "JSON both ways",
      [`unix:${folder}/s0/.run/bao.sock`]: LOGIN,
    });
    await assertOneFewerFails(world, { [await nodePath()]: "JSON both ways" }, "run");
    await assertOneFewerFails(world, { [`${folder}/i0/identity.json`]: LOGIN }, "read");
  });
});

Deno.test("sdk: bao.ca is added to the system's roots, not put in their place", async () => {
  await withSdkWorld("connect", async (world) => {
    const { caPem } = await testCerts();
    await Deno.writeTextFile(`${world.folder}/roots.pem`, caPem);
    await Deno.writeTextFile(`${world.folder}/ca.pem`, (await testCerts()).otherCaPem);
    const { outcomes } = await world.run({
      names: [LOGIN],
      env: { SSL_CERT_FILE: `${world.folder}/roots.pem` },
    });
    assertEquals(outcomes, { [LOGIN]: "ok /v1/login" });
    assertEquals((await world.run({ names: [LOGIN] })).outcomes, { [LOGIN]: "TLS_REFUSED tls" });
  });
});
