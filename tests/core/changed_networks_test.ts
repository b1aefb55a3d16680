import { assertEquals } from "@std/assert";
import { refuseChangedNetworks } from "../../src/core/changed_networks.ts";
import { parseComposeModel } from "../../src/model/compose_model_parse.ts";
import { type LocalNetwork, parseNetworks } from "../../src/model/docker_networks.ts";

const MADE: LocalNetwork = {
  name: "p_n",
  hashed: true,
  internal: false,
  ipv6: false,
  subnets: ["172.31.1.0/24"],
  options: { "com.docker.network.driver.mtu": "1400" },
};

function says(
  network: Readonly<Record<string, unknown>>,
  { composeVersion = "2.26.1-4", made = MADE }: {
    readonly composeVersion?: string | null;
    readonly made?: LocalNetwork;
  } = {},
): string | null {
  const model = parseComposeModel({ name: "p", networks: { n: { name: "p_n", ...network } } });
  if (model === null) throw new Error("no model");
  const error = refuseChangedNetworks(model, { composeVersion, networks: [made] });
  return error === null ? null : `${error.code}: ${error.message}`;
}

const differs = (what: string): string =>
  `NAME_CONFLICT: network n exists with other options (${what}); ` +
  "docker compose 2.26.1-4 leaves what is there as it is";

Deno.test("field: a network that exists with other options is refused by what differs", () => {
  const subnet = (text: string): Readonly<Record<string, unknown>> => ({
    ipam: { config: [{ subnet: text }] },
  });
  const mtu = { driver_opts: { "com.docker.network.driver.mtu": "1400" } };
  const table: readonly [Readonly<Record<string, unknown>>, string | null][] = [
    [{}, null],
    [{ ...subnet("172.31.1.0/24"), ...mtu, enable_ipv6: false, labels: { a: "b" } }, null],
    [subnet("172.31.1.7/24"), null],
    [subnet("fd00:1::/64"), null],
    [{ internal: true }, differs("internal")],
    [{ enable_ipv6: true, internal: true }, differs("internal, enable_ipv6")],
    [subnet("172.31.2.0/24"), differs("subnet")],
    [subnet("172.31.1.0/25"), differs("subnet")],
    [{ driver_opts: { x: "1" } }, differs("x")],
    [{ internal: true, external: true }, null],
    [{ internal: true, name: "p_other" }, null],
  ];
  for (const [network, expected] of table) {
    assertEquals(says(network), expected, JSON.stringify(network));
  }
  assertEquals(says({}, { made: { ...MADE, internal: true } }), differs("internal"));
});

Deno.test("field: a compose that makes changed networks anew, or is not known, is left to do it", () => {
  assertEquals(says({ internal: true }, { composeVersion: "2.32.0" }), null);
  assertEquals(says({ internal: true }, { composeVersion: "2.32.0-0ubuntu1~24.04" }), null);
  assertEquals(says({ internal: true }, { composeVersion: "5.1.3" }), null);
  assertEquals(says({ internal: true }, { composeVersion: null }), null);
});

Deno.test("a network that an older compose made is never made anew, whatever compose is there now", () => {
  const made = { ...MADE, hashed: false };
  assertEquals(
    says({ internal: true }, { composeVersion: "2.40.3", made }),
    "NAME_CONFLICT: network n exists with other options (internal); " +
      "docker compose 2.40.3 leaves what is there as it is",
  );
});

Deno.test("the Engine's list of networks tells how they were made; what it leaves out is no difference", () => {
  const listed = {
    Name: "p_n",
    Labels: { "com.docker.compose.config-hash": "500b" },
    Internal: false,
    EnableIPv6: false,
    Options: { "com.docker.network.driver.mtu": "1400" },
    IPAM: { Driver: "default", Config: [{ Subnet: "172.31.1.0/24", Gateway: "172.31.1.1" }] },
  };
  assertEquals(parseNetworks([listed]), [MADE]);
  const [bare] = parseNetworks([{ Name: "p_n" }]) ?? [];
  assertEquals(bare, {
    name: "p_n",
    hashed: false,
    internal: null,
    ipv6: null,
    subnets: [],
    options: {},
  });
  assertEquals(says({ internal: true }, { made: bare ?? MADE }), null);
  assertEquals(parseNetworks({}), null);
});
