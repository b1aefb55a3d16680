/** check.cjs tells a person how the mesh stands, with the code that the bridge itself uses. */

import { assertEquals, assertMatch } from "@std/assert";
import { rawServer } from "../io/raw_server.ts";
import { identityText, installBridge, nodePath, type StandinOptions } from "./install.ts";

async function check(
  standin: (port: number) => StandinOptions,
  services: readonly string[],
): Promise<{ readonly code: number; readonly out: string }> {
  const folder = await Deno.makeTempDir({ prefix: "check_" });
  const server = rawServer((peer) => peer.drain());
  try {
    await installBridge(folder, standin(server.port));
    await Deno.writeTextFile(`${folder}/identity.json`, await identityText());
    const { code, stdout } = await new Deno.Command(await nodePath(), {
      args: [`${folder}/bridge/check.cjs`, `${folder}/identity.json`, ...services],
      stdin: "null",
      signal: AbortSignal.timeout(60_000),
    }).output();
    return { code, out: new TextDecoder().decode(stdout).replaceAll(/\d+ ms/g, "N ms") };
  } finally {
    await server.close();
    await Deno.remove(folder, { recursive: true });
  }
}

for (const api of ["connect", "dial"] as const) {
  Deno.test(`check.cjs over ${api}() dials each service and says how it went`, async () => {
    const { code, out } = await check((port) => ({
      api,
      services: { good: { port }, gone: { port: 1 } },
    }), ["good", "gone", "nowhere"]);
    assertEquals(code, 1);
    assertMatch(
      out,
      new RegExp(
        `^ok      login \\(N ms\\)\n        the addon speaks ${api}\\(\\)\n` +
          "ok      dial good \\(N ms\\)\n" +
          "FAILED  dial gone \\(N ms\\): ZITI_SERVICE_UNAVAILABLE: .+\n" +
          "FAILED  dial nowhere \\(N ms\\): ZITI_SERVICE_UNAVAILABLE: .+\n$",
      ),
    );
  });
}

Deno.test("check.cjs is content when every service can be dialled, and knows a wrong command line", async () => {
  const standin = (port: number): StandinOptions => ({ services: { good: { port } } });
  assertEquals((await check(standin, ["good"])).code, 0);
  assertEquals((await check(standin, [])).code, 64);
});

Deno.test("check.cjs ends when the login does not", async () => {
  const rejecting = (): StandinOptions => ({ services: {}, login: { reject: "key is invalid" } });
  const { code, out } = await check(rejecting, ["t"]);
  assertEquals([code, out], [
    1,
    "FAILED  login (N ms): ZITI_IDENTITY: the mesh does not accept the identity\n",
  ]);
});
