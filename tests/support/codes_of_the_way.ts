/** Codes of the command line, the config, the way to the remotes, and the first login. */

import { mintGrant } from "../../scripts/lab/mod.ts";
import type { Box } from "../../scripts/box/box.ts";
import { changeStandin } from "../bridge/install.ts";
import {
  type CodeScenario,
  configuredTo,
  otherRole,
  preloaded,
  tickAfter,
  tickOnBroken,
} from "./codes_by_run.ts";
import { setUpSdk } from "./broken_sdk.ts";

/** The agent finds no address for a name that its own config maps. */
const FORGETFUL = `const get = Map.prototype.get;
Map.prototype.get = function (key) {
  return /^monky\\.tenancy\\.deploy:/.test(key) || key === "bao.cbs.tikali.net:8200"
    ? undefined
    : get.call(this, key);
};
`;

/** A runtime that cannot do what the language promises. */
const BROKEN_RUNTIME = `const stringify = JSON.stringify;
JSON.stringify = (value, ...rest) => {
  if (value?.env_id !== undefined) throw new RangeError("broken");
  return stringify(value, ...rest);
};
`;

async function grant(box: Box, claims: Readonly<Record<string, number>>): Promise<void> {
  await Deno.writeTextFile(box.bootstrapFile, await mintGrant(box.lab, box.env, claims));
}

const now = (): number => Math.floor(Date.now() / 1000);

/** Each on a box that has a bundle to apply and a grant, and has not ticked yet. */
export const CODES_OF_THE_WAY: readonly CodeScenario[] = [
  { code: "USAGE", when: "an option with a typo", run: (box) => box.run(["tick", "--nwo"]) },
  { code: "NOT_APPLIED", when: "names of no .env", run: (box) => box.run(["render", "--names"]) },
  tickOnBroken("CONFIG_MISSING", "no config file"),
  tickOnBroken("CONFIG_INVALID", "a key that nobody knows"),
  tickOnBroken("FILE_UNREADABLE", "a folder where the config should be"),
  tickOnBroken("FILE_UNWRITABLE", "a file where the state folder should be"),
  {
    code: "PERMISSION_MISSING",
    when: "a start without the flags for the network",
    run: (box) =>
      box.run(["tick"], {
        flags: (flags) => flags.filter((flag) => !flag.startsWith("--allow-net")),
      }),
  },
  {
    code: "INTERNAL",
    when: "a runtime that is broken",
    run: async (box) => await box.run(["tick"], await preloaded(box, BROKEN_RUNTIME)),
  },
  {
    code: "TRANSPORT_UNMAPPED",
    when: "a mapping that lost the names which the config gave it",
    run: async (box) => await box.run(["tick"], await preloaded(box, FORGETFUL)),
  },
  tickAfter(
    "TRANSPORT_NOT_INTERCEPTED",
    "transport system without a tunneler",
    (box) => box.configure({ transport: "system", bao: { addr: "https://localhost:8200" } }),
  ),
  tickOnBroken("TLS_REFUSED", "another CA in bao.ca"),
  tickOnBroken("CLOCK_OR_CERT", "an expired certificate of OpenBao's"),
  tickOnBroken("BAO_UNAVAILABLE", "the proxy does not offer OpenBao"),
  tickOnBroken("BAO_BAD_ANSWER", "a web page in OpenBao's place"),
  tickOnBroken("ZITI_IDENTITY", "an identity that has expired"),
  tickOnBroken("ZITI_UNAVAILABLE", "a controller that cannot be reached"),
  tickOnBroken("ZITI_SERVICE_UNAVAILABLE", "an identity without a Dial policy for OpenBao"),
  tickOnBroken("ZITI_BRIDGE_FAILED", "no addon beside the bridge"),
  tickAfter("ZITI_TIMEOUT", "a mesh that is too slow", async (box) => {
    await setUpSdk(box);
    await changeStandin(`${box.dir}/mesh`, { services: {}, login: { reject: "x", code: -20 } });
  }),
  tickOnBroken("GRANT_MISSING", "no grant and no token"),
  tickOnBroken("GRANT_INVALID", "a grant cut off by a copy"),
  tickOnBroken("GRANT_EXPIRED", "a grant of last week"),
  tickOnBroken("GRANT_ENV_MISMATCH", "a grant of another box"),
  tickOnBroken("GRANT_UNREADABLE", "a grant of a third user"),
  tickAfter(
    "GRANT_NOT_YET_VALID",
    "a grant of tomorrow",
    (box) => grant(box, { iat: now() + 86_400, nbf: now() + 86_400, exp: now() + 90_000 }),
  ),
  tickOnBroken("BAO_LOGIN_REFUSED", "a role that OpenBao does not know"),
  tickAfter("BAO_ENV_MISMATCH", "a role that maps another claim to env_id", async (box, later) => {
    const change = { claim_mappings: { sub: "env_id", jti: "grant_jti" } };
    await box.configure({ bao: { role: await otherRole(box, change, later) } });
  }),
  tickAfter(
    "TENANCY_UNAVAILABLE",
    "nobody where tenancy should be",
    configuredTo({ tenancy: { proxy_addr: "127.0.0.1:1" } }),
  ),
];
