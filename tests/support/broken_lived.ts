/** Boxes that were broken after a good release: what state, token and tenancy can come to. */

import { adminRequest } from "../../scripts/lab/mod.ts";
import type { Box } from "../../scripts/box/box.ts";
import { type BrokenBox, readSession } from "./broken_boxes.ts";

async function replaceIn(
  box: Box,
  name: string,
  [from, to]: readonly [string, string],
): Promise<void> {
  const path = `${box.stateDir}/${name}`;
  await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replaceAll(from, to));
}

async function tokenOf(box: Box): Promise<string> {
  const text = JSON.stringify(await readSession(box));
  const [token] = /s\.[A-Za-z0-9]{24,}/.exec(text) ?? [];
  if (token === undefined) throw new Error("the session holds no token");
  return token;
}

/** The grant that the token came from, which tenancy looks at. */
async function jtiOf(box: Box): Promise<string> {
  const { token } = await readSession(box) as { readonly token: { readonly jti: string } };
  return token.jti;
}

/** Gives a token that works, with other metadata or policies than the role's. */
async function otherToken(box: Box, body: object): Promise<string> {
  const reply = await adminRequest(box.bao, "POST", "auth/token/create", body);
  const { auth } = reply.body as unknown as { readonly auth: { readonly client_token: string } };
  return auth.client_token;
}

/** All on one box that ran well; each puts back what it changed, but for the session's files. */
export const BROKEN_LIVED: readonly BrokenBox[] = [
  {
    broken: "the state of another env",
    spoil: (box) => replaceIn(box, "state.json", [box.env, "env-other"]),
    cause: "state",
    code: "STATE_ENV_MISMATCH",
    fix: /env_id or state_dir in .*config\.yaml.*state\.json/,
  },
  {
    broken: "the session of another env",
    spoil: (box) => replaceIn(box, "session.json", [box.env, "env-other"]),
    cause: "state",
    code: "STATE_ENV_MISMATCH",
    fix: /config\.yaml/,
  },
  {
    broken: "another compose_project in the config",
    spoil: (box) => box.configure({ compose_project: "monky-renamed" }),
    cause: "state",
    code: "PROJECT_MISMATCH",
    fix: /compose_project in .*config\.yaml.*docker compose ls -a/,
  },
  {
    broken: "a session file of root's in a state folder of the agent's",
    spoil: async (box, later) => {
      for (const path of [box.stateDir, `${box.stateDir}/state.json`, box.deployDir]) {
        await Deno.chown(path, 65534, 65534);
        later(() => Deno.chown(path, 0, 0));
      }
    },
    cause: "folders",
    code: "FILE_UNREADABLE",
    fix: /^chown -R 65534: /,
  },
  {
    broken: "a token that OpenBao has forgotten, and no grant",
    spoil: async (box) => {
      const token = await otherToken(box, { policies: ["see-env"], meta: { env_id: box.env } });
      await replaceIn(box, "session.json", [await tokenOf(box), token]);
      await adminRequest(box.bao, "POST", "auth/token/revoke", { token });
    },
    cause: "token",
    code: "GRANT_MISSING",
    fix: /install\.sh/,
  },
  {
    broken: "a token of another env",
    spoil: async (box) => {
      const token = await otherToken(box, { policies: ["see-env"], meta: { env_id: "env-other" } });
      await replaceIn(box, "session.json", [await tokenOf(box), token]);
    },
    cause: "token",
    code: "BAO_ENV_MISMATCH",
    fix: /install\.sh/,
  },
  {
    broken: "a token that may not read the box's secrets",
    spoil: async (box) => {
      const meta = { env_id: box.env, grant_jti: await jtiOf(box) };
      const token = await otherToken(box, { policies: ["default"], meta });
      await replaceIn(box, "session.json", [await tokenOf(box), token]);
    },
    cause: "policy",
    code: "SECRET_FORBIDDEN",
    fix: /bao policy read see-env .*monky\/data\/env-t-\w+\/see\/\*/,
  },
  {
    broken: "a kv_prefix that the policy does not know",
    spoil: (box) => box.configure({ bao: { kv_prefix: "sea" } }),
    cause: "policy",
    code: "SECRET_FORBIDDEN",
    fix: /\/sea\/\*/,
  },
  {
    broken: "a kit that was revealed again elsewhere: tenancy refuses the token",
    spoil: (box) => {
      box.tenancy.faults.arm({ kind: "unauthenticated" });
      return Promise.resolve();
    },
    cause: "tenancy",
    code: "AGENT_UNAUTHENTICATED",
    fix: /install\.sh/,
  },
  {
    broken: "an env_id that tenancy knows under another name",
    spoil: (box) => {
      box.tenancy.faults.arm({ kind: "env_mismatch" });
      return Promise.resolve();
    },
    cause: "tenancy",
    code: "AGENT_ENV_MISMATCH",
    fix: /env_id in .*config\.yaml/,
  },
  {
    broken: "tenancy itself is down, and its mesh is up",
    spoil: (box) => {
      box.tenancy.faults.arm({ kind: "bad_gateway" });
      return Promise.resolve();
    },
    cause: "tenancy",
    code: "TENANCY_UNAVAILABLE",
    fix: /tenancy's log/,
  },
];
