/** What each transport must show in its world. */

import { assert, assertEquals } from "@std/assert";
import { CANARY, EXCHANGES } from "./exchanges.ts";
import type { World } from "./mesh_world.ts";

/**
 * Runs the table: each outcome is right, each POST arrived once, and no sniffer saw the token.
 * `other` holds the outcomes that are different by the nature of a transport.
 */
export async function assertExchanges(
  world: World,
  other: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { outcomes, stderr } = await world.run();
  const table = Object.fromEntries(EXCHANGES.map(({ name, right }) => [name, right]));
  const right = { ...table, ...other };
  assertEquals(outcomes, right, stderr);
  const posts = world.tenancy.requests.map((request) => request.split("\r\n", 1)[0] ?? "")
    .filter((line) => line.startsWith("POST"));
  assertEquals(posts.toSorted(), [
    "POST /count HTTP/1.1",
    "POST /drop HTTP/1.1",
    "POST /echo HTTP/1.1",
  ]);
  assert(world.faces.tenancy.seen.includes("mesh-only"), "the sniffer sees nothing at all");
  for (const { seen, connections } of world.faces.bao) {
    assert(connections > 0, "a sniffer was not passed");
    assert(!seen.includes(CANARY), "the token was seen in clear");
  }
}

/**
 * The net grants of a config are what is dialled for the two remotes, and nothing else: besides the
 * Engine's socket and the agent's own, each has an exchange that fails without it, and there is no other.
 */
export async function assertExactlyDialled(
  world: World,
  byGrant: Readonly<Record<string, string>>,
): Promise<void> {
  const own = ["unix:/var/run/docker.sock", `unix:${world.folder}/s0/.run/compose.sock`];
  assertEquals(world.ofFirst.net.toSorted(), [...own, ...Object.keys(byGrant)].toSorted());
  const names = Object.values(byGrant);
  const { outcomes } = await world.run({ permissions: world.ofFirst, names });
  assertEquals(
    Object.values(outcomes).map((outcome) => outcome.slice(0, 3)),
    names.map(() => "ok "),
  );
  await assertOneFewerFails(world, byGrant);
}

/** Takes one grant away at a time: the exchange named for it must fail for want of exactly that. */
export async function assertOneFewerFails(
  world: World,
  byGrant: Readonly<Record<string, string>>,
  kind: "net" | "run" | "read" = "net",
): Promise<void> {
  const granted = world.permissions[kind];
  for (const [grant, name] of Object.entries(byGrant)) {
    const fewer = granted.filter((each) => each !== grant);
    assertEquals(fewer.length, granted.length - 1, `${grant} was not granted`);
    const { outcomes } = await world.run({
      permissions: { ...world.permissions, [kind]: fewer },
      names: [name],
    });
    assertEquals(outcomes, { [name]: "PERMISSION_MISSING dial" });
  }
}
