/** What the estate's OpenBao holds besides secrets: mounts, role, policies. */

import { BaoClient } from "./bao_client.ts";
import type { BaoInfo, TenancyKeys } from "./info.ts";
import { waitFor } from "./wait.ts";

/** Parameters of the role `see-env` as the estate sets them. */
export const SEE_ENV_ROLE: Readonly<Record<string, unknown>> = {
  role_type: "jwt",
  user_claim: "sub",
  bound_audiences: ["openbao-see-env"],
  bound_claims: { kind: "deploy-grant" },
  claim_mappings: { env_id: "env_id", jti: "grant_jti" },
  token_policies: ["see-env"],
  token_ttl: "24h",
  token_max_ttl: "720h",
  token_type: "service",
};

const TENANCY_POLICY = `
path "auth/token/lookup"          { capabilities = ["update"] }
path "auth/token/revoke-accessor" { capabilities = ["update"] }
`;

/** An env reads what lies below its own name, which the alias of its login carries. */
function seeEnvPolicy(accessor: string): string {
  const env = `{{identity.entity.aliases.${accessor}.metadata.env_id}}`;
  return `
path "monky/data/${env}/see/*"     { capabilities = ["read"] }
path "monky/metadata/${env}/see/*" { capabilities = ["list"] }
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/renew-self"  { capabilities = ["update"] }
path "auth/token/revoke-self" { capabilities = ["update"] }
`;
}

/**
 * Fills a fresh server: `jwt-tenancy`, `monky` (kv v2), the policies and the role.
 *
 * @param bao address and CA of an unsealed server
 * @param token its root token
 * @param keys tenancy's keys: issuer and public key go into the auth mount
 * @returns a periodic orphan token for tenancy
 * @throws Error with OpenBao's words when a step is refused
 */
export async function fillBao(
  bao: Pick<BaoInfo, "address" | "caFile">,
  token: string,
  keys: TenancyKeys,
): Promise<string> {
  using client = await BaoClient.open(bao);
  const post = (path: string, body: object): ReturnType<BaoClient["call"]> =>
    client.call("POST", path, { token, body });
  await post("sys/auth/jwt-tenancy", { type: "jwt" });
  await post("auth/jwt-tenancy/config", {
    jwt_validation_pubkeys: [await Deno.readTextFile(keys.grantPublicKey)],
    jwt_supported_algs: ["ES256"],
    bound_issuer: keys.issuer,
  });
  const mounts = await client.call("GET", "sys/auth", { token });
  const { accessor } = mounts.data?.["jwt-tenancy/"] as { accessor: string };
  await post("sys/policies/acl/see-env", { policy: seeEnvPolicy(accessor) });
  await post("auth/jwt-tenancy/role/see-env", SEE_ENV_ROLE);
  await post("sys/policies/acl/tenancy", { policy: TENANCY_POLICY });
  await post("sys/mounts/monky", { type: "kv", options: { version: "2" } });
  // A new kv v2 mount answers 400 "Upgrading ..." for a moment.
  await waitFor("OpenBao's kv mount", 15_000, async () => {
    const reply = await client.request("GET", "monky/config", { token });
    return reply.status === 200 ? true : null;
  });
  const created = await post("auth/token/create-orphan", { policies: ["tenancy"], period: "24h" });
  return created.auth?.client_token ?? "";
}
