/**
 * Degrees of offline, whole ticks on real sockets: each is exit 75 with its code and the phase it got
 * to, the service runs on; a laptop says it once, with the phase, and is quiet then. (The same degrees
 * over `system` need a namespace: tests/io/transport_system_test.ts.)
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import {
  changeStandin,
  identityText,
  installBridge,
  nodePath,
  type StandinOptions,
} from "../bridge/install.ts";
import { onRunningBox } from "../support/boxes.ts";

interface Degree {
  readonly name: string;
  readonly code: string;
  readonly phase: "dial" | "headers";
  readonly says: string;
}

interface ProxyDegree extends Degree {
  readonly begin: (box: Box) => Promise<void> | void;
}

const PROXY: readonly ProxyDegree[] = [
  {
    name: "the mesh is not there: nobody listens at the proxy's address",
    begin: (box) => box.paths.tenancy.refuse(),
    code: "TENANCY_UNAVAILABLE",
    phase: "dial",
    says: "refuses connections",
  },
  {
    name:
      "the service is not there, or its dial is refused: the proxy takes the connection and resets",
    begin: (box) => box.paths.tenancy.reset(),
    code: "TENANCY_UNAVAILABLE",
    phase: "headers",
    says: "the proxy took the connection and let it go",
  },
  {
    name: "the dial is slow: the proxy took the connection and dials for ever",
    begin: (box) => {
      box.paths.tenancy.faults.silent = true;
    },
    code: "TENANCY_TIMEOUT",
    phase: "headers",
    says: "did not answer within 2000 ms",
  },
  {
    name: "half open: the first byte of an answer, and then nothing",
    begin: (box) => void box.tenancy.faults.arm({ kind: "drip", call: "checkin", ms: 60_000 }),
    code: "TENANCY_TIMEOUT",
    phase: "headers",
    says: "did not answer within 2000 ms",
  },
];

interface SdkDegree extends Degree {
  readonly standin: (up: StandinOptions["services"]) => StandinOptions;
}

const TENANCY = "monky.tenancy.deploy";
const SDK: readonly SdkDegree[] = [
  {
    name: "the mesh is not there: the controller cannot be reached",
    standin: (services) => ({ services, login: { reject: "x", code: -16 } }),
    code: "ZITI_UNAVAILABLE",
    phase: "dial",
    says: "controller",
  },
  {
    name: "the service is not there",
    standin: ({ openbao = {} }) => ({ services: { openbao } }),
    code: "ZITI_SERVICE_UNAVAILABLE",
    phase: "dial",
    says: "cannot be dialled over the mesh",
  },
  {
    name: "the dial is refused",
    standin: (up) => ({ services: { ...up, [TENANCY]: { failMs: 5 } } }),
    code: "ZITI_SERVICE_UNAVAILABLE",
    phase: "dial",
    says: "cannot be dialled over the mesh",
  },
  {
    name: "the dial is slow",
    standin: (up) => ({ services: { ...up, [TENANCY]: { fault: "never" } } }),
    code: "TENANCY_TIMEOUT",
    phase: "dial",
    says: "did not answer within 2000 ms",
  },
];

/** What tells nothing ends in the deadline; what tells something must not meet it on a busy machine. */
function configOf({ code }: Degree): Readonly<Record<string, unknown>> {
  return { tenancy: { timeout_s: code === "TENANCY_TIMEOUT" ? 2 : 30 } };
}

/** A tick of this degree: exit 75, told, the service untouched. */
async function assertTold(box: Box, { code, phase, says }: Degree): Promise<void> {
  const before = (await box.containers()).map(({ Id, State }) => [Id, State]);
  const run = await box.tick();
  assertEquals(run.code, 75, run.stderr);
  for (const told of [code, `phase=${phase}`, says]) assertStringIncludes(run.stderr, told);
  assertEquals((await box.containers()).map(({ Id, State }) => [Id, State]), before);
}

/** The same on a laptop: exit 0, said once. */
async function assertSaidOnce(box: Box, { code, phase }: Degree): Promise<void> {
  const first = await box.tick();
  assertEquals(first.code, 0, first.stderr);
  for (const told of ["offline, which is normal here", code, `phase=${phase}`]) {
    assertStringIncludes(first.stderr, told);
  }
  const second = await box.tick();
  assertEquals([second.code, second.stderr, second.children], [0, "", []]);
  await Deno.remove(`${box.stateDir}/offline`);
}

async function onLaptop(box: Box, config: Readonly<Record<string, unknown>>): Promise<void> {
  await box.configure({ ...config, laptop_mode: true });
}

async function overProxy(box: Box, degree: ProxyDegree): Promise<void> {
  const config = configOf(degree);
  await box.configure(config);
  await degree.begin(box);
  await assertTold(box, degree);
  await onLaptop(box, config);
  await assertSaidOnce(box, degree);
  box.tenancy.faults.clear();
  await box.paths.tenancy.heal();
}

/** Configures the box for its bridge over the stand-in; gives how that is changed. */
async function onSdk(box: Box): Promise<{
  readonly config: Readonly<Record<string, unknown>>;
  readonly change: (standin: SdkDegree["standin"]) => Promise<void>;
}> {
  const home = `${box.dir}/mesh`;
  const up = {
    [TENANCY]: { port: box.paths.tenancy.port },
    openbao: { port: box.paths.bao.port },
  };
  const bridge = await installBridge(home, { services: up });
  await Deno.writeTextFile(`${home}/identity.json`, await identityText(), { mode: 0o600 });
  const config = {
    transport: "sdk",
    identity: `${home}/identity.json`,
    sdk: { node: await nodePath(), bridge },
  };
  return { config, change: (standin) => changeStandin(home, standin(up)) };
}

Deno.test("each degree of offline is exit 75 with its phase, and said once on a laptop", async (t) => {
  await onRunningBox(async (box) => {
    for (const degree of PROXY) {
      await t.step(`proxy: ${degree.name}`, () => overProxy(box, degree));
    }
    const { config, change } = await onSdk(box);
    for (const degree of SDK) {
      await t.step(`sdk: ${degree.name}`, async () => {
        await change(degree.standin);
        await box.configure({ ...config, ...configOf(degree) });
        await assertTold(box, degree);
      });
    }
    await t.step("sdk: … on a laptop", async () => {
      for (const degree of SDK.filter(({ name }) => name === "the service is not there")) {
        await onLaptop(box, { ...config, ...configOf(degree) });
        await change(degree.standin);
        await assertSaidOnce(box, degree);
      }
    });
    await change((services) => ({ services }));
    await box.configure(config);
    const online = await box.tick();
    assertEquals(online.code, 0, online.stderr);
  });
});
