/** The transport `proxy` carries the table of exchanges, through a real forwarder, under its own grants. */

import { openWorld, type World } from "./mesh_world.ts";
import { assertExactlyDialled, assertExchanges } from "./transport_asserts.ts";

async function withProxyWorld(test: (world: World) => Promise<void>): Promise<void> {
  const world = await openWorld({
    config: ({ folder, index, tenancyPort, baoPort }) =>
      Promise.resolve({
        transport: "proxy",
        tenancy: { proxy_addr: `127.0.0.1:${tenancyPort}` },
        bao: {
          addr: `https://vault.internal:${8200 + index}`,
          proxy_addr: `127.0.0.1:${baoPort}`,
          ca: `${folder}/ca.pem`,
        },
      }),
  });
  try {
    await test(world);
  } finally {
    await world.close();
  }
}

Deno.test("proxy: every exchange of the table ends right, POSTs arrive once, no token is seen", async () => {
  await withProxyWorld(assertExchanges);
});

Deno.test("proxy: the net grants are exactly what is dialled, with one fewer an exchange is PERMISSION_MISSING", async () => {
  await withProxyWorld(async (world) => {
    await assertExactlyDialled(world, {
      [`127.0.0.1:${world.faces.tenancy.port}`]: "JSON both ways",
      [`127.0.0.1:${world.faces.bao[0]?.port}`]: 'a login at a server with the certificate "good"',
    });
  });
});
