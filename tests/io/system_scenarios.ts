/**
 * What happens to the transport `system` in a namespace whose resolver tells the truth or lies. Run
 * by transport_system_test.ts, one scenario a process: 100.64.0.7 is the mesh, 203.0.113.7 and
 * 2001:db8::7 are the world outside.
 */

import { assert, assertEquals } from "@std/assert";
import type { Permissions } from "../../src/core/permissions.ts";
import { type Answers, startResolver } from "../support/lying_resolver.ts";
import { openWorld, type World } from "./mesh_world.ts";
import { assertExactlyDialled, assertExchanges } from "./transport_asserts.ts";

const MESH = "100.64.0.7";
const LOGIN = 'a login at a server with the certificate "good"';
const ASKED = ["JSON both ways", LOGIN];

/** A world whose faces listen at one address, behind a resolver. */
async function withWorld(
  { at, answers, baoHost = "vault.internal" }: {
    readonly at: string;
    readonly answers: Answers;
    readonly baoHost?: string;
  },
  test: (world: World) => Promise<void>,
): Promise<void> {
  const stop = await startResolver(answers);
  const world = await openWorld({
    tenancy: { hostname: at, port: 443 },
    bao: (index) => ({ hostname: at, port: 8200 + index }),
    config: ({ folder, index }) =>
      Promise.resolve({
        transport: "system",
        bao: { addr: `https://${baoHost}:${8200 + index}`, ca: `${folder}/ca.pem` },
      }),
  });
  try {
    await test(world);
  } finally {
    await world.close();
    stop();
  }
}

function both(addresses: readonly string[] | "silent"): Answers {
  return { "monky.tenancy.deploy": addresses, "vault.internal": addresses };
}

/** Both remotes are refused; `connections` is what their faces may have seen, never a byte. */
async function assertNotIntercepted(
  world: World,
  { permissions = world.permissions, connections = 0 }: {
    readonly permissions?: Permissions;
    readonly connections?: number;
  } = {},
): Promise<void> {
  const { outcomes } = await world.run({ permissions, names: ASKED });
  assertEquals(Object.values(outcomes), ASKED.map(() => "TRANSPORT_NOT_INTERCEPTED dial"));
  const faces = [world.faces.tenancy, world.faces.bao[0]];
  assertEquals(faces.map((face) => face?.seen), ["", ""], "a byte left the box");
  assertEquals(faces.map((face) => face?.connections), [connections, connections]);
}

function withoutDenials({ denyNet, ...permissions }: Permissions): Permissions {
  assert(denyNet !== undefined);
  return permissions;
}

async function assertOutcomes(
  world: World,
  right: Readonly<Record<string, string>>,
): Promise<void> {
  const { outcomes } = await world.run({ names: Object.keys(right) });
  assertEquals(outcomes, right);
}

const SCENARIOS: Readonly<Record<string, () => Promise<void>>> = {
  exchanges: () =>
    withWorld({ at: MESH, answers: both([MESH]) }, async (world) => {
      await assertExchanges(world);
      assert(world.faces.bao[0]?.seen.includes("vault.internal"), "SNI is not the name");
    }),
  one_fewer: () =>
    withWorld({ at: MESH, answers: both([MESH]) }, (world) =>
      assertExactlyDialled(world, {
        "monky.tenancy.deploy:443": "JSON both ways",
        "vault.internal:8200": LOGIN,
      })),
  public_answer: () =>
    withWorld(
      { at: "203.0.113.7", answers: both(["203.0.113.7"]) },
      (world) => assertNotIntercepted(world),
    ),
  public_answer_without_denials: () =>
    withWorld(
      { at: "203.0.113.7", answers: both(["203.0.113.7"]) },
      (world) =>
        assertNotIntercepted(world, {
          permissions: withoutDenials(world.permissions),
          connections: 1,
        }),
    ),
  mixed_answer: () =>
    withWorld(
      { at: "203.0.113.7", answers: both([MESH, "203.0.113.7"]) },
      (world) => assertNotIntercepted(world),
    ),
  mixed_answer_mesh_first: () =>
    withWorld(
      { at: MESH, answers: both([MESH, "203.0.113.7"]) },
      (world) => assertNotIntercepted(world),
    ),
  public_ipv6_answer: () =>
    withWorld(
      { at: "2001:db8::7", answers: both(["2001:db8::7"]) },
      (world) => assertNotIntercepted(world, { connections: 1 }),
    ),
  literal_outside: () =>
    withWorld(
      { at: "203.0.113.7", answers: both(["203.0.113.7"]), baoHost: "203.0.113.7" },
      (world) => assertNotIntercepted(world),
    ),
  unknown_name: () =>
    withWorld({ at: MESH, answers: {} }, (world) =>
      assertOutcomes(world, {
        "JSON both ways": "TENANCY_UNAVAILABLE dial",
        [LOGIN]: "BAO_UNAVAILABLE dial",
      })),
  nobody_listens: () =>
    withWorld(
      { at: MESH, answers: both(["100.64.0.9"]) },
      (world) => assertOutcomes(world, { "JSON both ways": "TENANCY_UNAVAILABLE dial" }),
    ),
  silent_resolver: () =>
    withWorld({ at: MESH, answers: both("silent") }, async (world) => {
      const from = performance.now();
      await assertOutcomes(world, { "an answer that does not come": "TENANCY_TIMEOUT dial" });
      // It would have waited for half a minute at least (namespace.ts).
      assert(performance.now() - from < 20_000, "the process waited for the resolver");
    }),
};

if (import.meta.main) {
  await SCENARIOS[Deno.args[0] ?? ""]?.();
  console.log(`scenario ${Deno.args[0]} ended`);
}
