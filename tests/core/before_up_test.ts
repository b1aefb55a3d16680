import { assertEquals } from "@std/assert";
import { type BeforeUpFacts, neededBeforeUp, refuseBeforeUp } from "../../src/core/before_up.ts";
import type { ComposeModel } from "../../src/model/compose_model.ts";
import { parseComposeModel } from "../../src/model/compose_model_parse.ts";

function model(
  services: Readonly<Record<string, unknown>>,
  rest: Readonly<Record<string, unknown>> = {},
): ComposeModel {
  const parsed = parseComposeModel({ name: "p", services, ...rest });
  if (parsed === null) throw new Error("no model");
  return parsed;
}

const NOTHING: BeforeUpFacts = {
  apiVersion: null,
  composeVersion: null,
  networks: [],
  checkedImages: new Set(),
  missingNetworks: [],
  missingVolumes: [],
  missingImages: [],
  heldPorts: [],
  heldNames: [],
};
const held = (
  port: number,
  change: Partial<BeforeUpFacts["heldPorts"][number]> = {},
): BeforeUpFacts["heldPorts"][number] => ({
  port,
  protocol: "tcp",
  hostIp: "0.0.0.0",
  project: "other",
  container: "holder",
  ...change,
});
const port = (published: string, more: Readonly<Record<string, unknown>> = {}): unknown => ({
  image: "x",
  ports: [{ target: 80, published, ...more }],
});

Deno.test("before up: external things by their real names, images of services that run", () => {
  const needed = neededBeforeUp(model(
    { a: { image: "x" }, b: { image: "x" }, c: { image: "y", scale: 0 }, d: { image: "a" } },
    {
      networks: { n: { name: "real-n", external: true }, own: { name: "p_own" } },
      volumes: { v: { name: "real-v", external: true }, w: { external: true }, own: {} },
    },
  ));
  assertEquals(needed, { networks: ["real-n"], volumes: ["real-v", "w"], images: ["a", "x"] });
});

Deno.test("before up: each kind of missing thing has its own code and names all", () => {
  const empty = model({ a: { image: "x" } });
  const code = (facts: Partial<BeforeUpFacts>): string | undefined => {
    const error = refuseBeforeUp(empty, { ...NOTHING, ...facts });
    return error === null ? undefined : `${error.code}: ${error.message}`;
  };
  assertEquals(code({}), undefined);
  assertEquals(
    code({ missingNetworks: ["a", "b"], missingVolumes: ["c"] }),
    "NETWORK_MISSING: the box has no such external networks: a, b",
  );
  assertEquals(
    code({ missingVolumes: ["c"] }),
    "VOLUME_MISSING: the box has no such external volumes: c",
  );
  assertEquals(code({ missingImages: ["x"] }), "IMAGE_NOT_FOUND: the box has no such images: x");
});

type Row = readonly [
  name: string,
  services: Readonly<Record<string, unknown>>,
  holders: BeforeUpFacts["heldPorts"],
  says: string | null,
];

const ROWS: readonly Row[] = [
  ["free", { a: port("80") }, [held(81)], null],
  [
    "held",
    { a: port("80") },
    [held(80)],
    "a publishes 80/tcp, which container holder (other) holds",
  ],
  [
    "held by a container of no project",
    { a: port("80") },
    [held(80, { project: null })],
    "a publishes 80/tcp, which container holder holds",
  ],
  ["held by this project", { a: port("80") }, [held(80, { project: "p" })], null],
  ["another protocol", { a: port("80") }, [held(80, { protocol: "udp" })], null],
  ["another address", { a: port("80", { host_ip: "127.0.0.1" }) }, [
    held(80, { hostIp: "10.0.0.1" }),
  ], null],
  [
    "one address of every one",
    { a: port("80", { host_ip: "127.0.0.1" }) },
    [held(80)],
    "a publishes 127.0.0.1:80/tcp, which container holder (other) holds",
  ],
  [
    "every address, one of them held",
    { a: port("80") },
    [held(80, { hostIp: "10.0.0.1" })],
    "a publishes 80/tcp, which container holder (other) holds",
  ],
  ["the Engine picks", { a: { image: "x", ports: [{ target: 80 }] } }, [held(80)], null],
  ["a range with room", { a: port("80-82") }, [held(80), held(81)], null],
  [
    "a range without room",
    { a: port("80-81") },
    [held(80), held(81)],
    "a publishes 80-81/tcp, which container holder (other) holds",
  ],
  [
    "one port held on two addresses counts once",
    { a: port("80-81") },
    [held(80), held(80, { hostIp: "::" })],
    null,
  ],
  [
    "two containers, one port",
    { a: { ...port("80") as object, scale: 2 } },
    [],
    "a publishes 80/tcp for 2 containers",
  ],
  ["two containers, two ports", { a: { ...port("80-81") as object, scale: 2 } }, [], null],
  ["no container", { a: { ...port("80") as object, scale: 0 } }, [held(80)], null],
  [
    "two services, one port",
    { a: port("80"), b: port("80", { host_ip: "127.0.0.1" }) },
    [],
    "b publishes 127.0.0.1:80/tcp, which a publishes too",
  ],
  [
    "two services, two addresses",
    { a: port("80", { host_ip: "10.0.0.1" }), b: port("80", { host_ip: "127.0.0.1" }) },
    [],
    null,
  ],
  [
    "all of them at once",
    { a: port("80"), b: port("81") },
    [held(80), held(81, { container: "second" })],
    "a publishes 80/tcp, which container holder (other) holds; " +
    "b publishes 81/tcp, which container second (other) holds",
  ],
];

for (const [name, services, heldPorts, says] of ROWS) {
  Deno.test(`before up: a port, ${name}`, () => {
    const error = refuseBeforeUp(model(services), { ...NOTHING, heldPorts });
    assertEquals(
      error === null ? null : `${error.code}: ${error.message}`,
      says === null ? null : `PORT_IN_USE: ${says}`,
    );
  });
}

const NAMES: readonly (readonly [
  name: string,
  service: Readonly<Record<string, unknown>>,
  holders: BeforeUpFacts["heldNames"],
  says: string | null,
])[] = [
  [
    "container_name of a container that is nobody's",
    { container_name: "db" },
    [{ name: "db", project: null, service: null }],
    "a needs the name db, which another container has",
  ],
  [
    "container_name of another project's container, stopped or not",
    { container_name: "db" },
    [{ name: "db", project: "q", service: "a" }],
    "a needs the name db, which another container of q has",
  ],
  [
    "a name within the project, as after a service was renamed",
    { container_name: "db" },
    [{ name: "db", project: "p", service: "old" }],
    null,
  ],
  [
    "the name that compose makes, of a service that is new",
    { scale: 2 },
    [{ name: "p-a-2", project: null, service: null }],
    "a needs the name p-a-2, which another container has",
  ],
  [
    "the same, of a service that runs under other numbers",
    {},
    [{ name: "p-a-1", project: null, service: null }, {
      name: "p-a-3",
      project: "p",
      service: "a",
    }],
    null,
  ],
  [
    "a service without containers",
    { container_name: "db", scale: 0 },
    [{ name: "db", project: null, service: null }],
    null,
  ],
];

for (const [name, change, heldNames, says] of NAMES) {
  Deno.test(`field: before up, names: ${name}`, () => {
    const files = model({ a: { image: "x", ...change } });
    const error = refuseBeforeUp(files, { ...NOTHING, heldNames });
    assertEquals(error?.message ?? null, says);
    assertEquals(error?.code ?? "NAME_CONFLICT", "NAME_CONFLICT");
  });
}

Deno.test("field: before up, names: two services of the bundle cannot share one", () => {
  const same = { image: "x", container_name: "db" };
  const says = (services: Readonly<Record<string, unknown>>): string | undefined =>
    refuseBeforeUp(model(services), NOTHING)?.message;
  assertEquals(says({ a: same, b: same }), "b needs the name db, which a needs too");
  assertEquals(says({ a: same, b: { ...same, scale: 0 } }), undefined);
});
