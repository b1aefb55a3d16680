/** The part of OpenBao's contract list about logins and tokens (facts: openbao §1.1 to §1.5). */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ask, askLogin, freshEnv, tokenOf } from "./openbao_ask.ts";
import type { BaoSetup, Check } from "./openbao_setup.ts";

const POLICY_DENIAL = "1 error occurred:\n\t* permission denied\n\n";

/** What 400 says to a grant. `claims: undefined` leaves one out. */
const REFUSALS: readonly {
  readonly name: string;
  readonly claims: (nowS: number) => Readonly<Record<string, string | number | undefined>>;
  readonly key?: "other";
  readonly says: string;
}[] = [
  { name: "a wrong key", claims: () => ({}), key: "other", says: "no known key successfully" },
  { name: "an old exp", claims: (s) => ({ exp: s - 200 }), says: "(exp) claim: token is expired" },
  { name: "a future nbf", claims: (s) => ({ nbf: s + 600 }), says: "(nbf) claim: token not yet" },
  { name: "a future iat", claims: (s) => ({ iat: s + 600 }), says: "(nbf) claim: token not yet" },
  { name: "another issuer", claims: () => ({ iss: "https://x.test" }), says: "(iss) claim" },
  { name: "another audience", claims: () => ({ aud: "x" }), says: "(aud) claim" },
  { name: "no kind", claims: () => ({ kind: undefined }), says: 'claim "kind" is missing' },
  { name: "another kind", claims: () => ({ kind: "x" }), says: 'claim "kind" does not match' },
  { name: "no sub", claims: () => ({ sub: undefined }), says: 'claim "sub" not found' },
  { name: "a number as env_id", claims: () => ({ env_id: 7 }), says: "converting claim 'env_id'" },
];

/** The checks. */
export const TOKEN_CONTRACT: readonly Check[] = [
  {
    name: "a login answers with an orphan service token and the grant's claims as metadata",
    async run(setup: BaoSetup): Promise<void> {
      const env = freshEnv();
      const { status, json, headers } = await askLogin(
        setup,
        await setup.signGrant(env, { jti: "j1" }),
      );
      assertEquals(status, 200);
      assertMatch(headers["content-type"] ?? "", /^application\/json/);
      assertEquals([json?.["wrap_info"], json?.["data"]], [null, null]);
      const auth = json?.["auth"];
      assertMatch(auth.client_token, /^s\.[A-Za-z0-9]{24,}$/);
      assert(auth.accessor.length > 0);
      assertEquals(auth.metadata, { env_id: env, grant_jti: "j1", role: "see-env" });
      assertEquals([auth.lease_duration, auth.renewable, auth.orphan], [86400, true, true]);
    },
  },
  ...REFUSALS.map(({ name, claims, key, says }): Check => ({
    name: `a login with ${name} is a 400 that says so`,
    async run(setup: BaoSetup): Promise<void> {
      const overrides = claims(Math.floor(setup.clock.now() / 1000));
      const reply = await askLogin(setup, await setup.signGrant(freshEnv(), overrides, key));
      assertEquals(reply.status, 400);
      assertStringIncludes(reply.json?.errors?.[0] ?? "", says);
    },
  })),
  {
    name: "a login with garbage is a 400 about the signature",
    async run(setup: BaoSetup): Promise<void> {
      const reply = await askLogin(setup, "a.b.c");
      assertEquals(reply.status, 400);
      assertStringIncludes(reply.json?.errors?.[0] ?? "", "error validating token");
    },
  },
  {
    name: "a login without a role, with an unknown role or without a grant is a 400",
    async run(setup: BaoSetup): Promise<void> {
      const path = "auth/jwt-tenancy/login";
      const says = async (body: Record<string, unknown>): Promise<readonly unknown[]> => {
        const { status, json } = await ask(setup, path, { body });
        return [status, json?.errors?.[0]];
      };
      assertEquals(await says({ jwt: "x" }), [400, "missing role"]);
      assertEquals(await says({ role: "see-env" }), [400, "missing token"]);
      assertEquals(await says({ role: "No-Such", jwt: "x" }), [
        400,
        'role "no-such" could not be found',
      ]);
    },
  },
  {
    name: "a login at a wrong mount is a 403, as if a token were missing",
    async run(setup: BaoSetup): Promise<void> {
      const reply = await askLogin(setup, await setup.signGrant(freshEnv()), "jwt-nowhere");
      assertEquals([reply.status, reply.json?.errors], [403, ["permission denied"]]);
    },
  },
  {
    name: "the same grant logs in twice: the mount keeps no replay state",
    async run(setup: BaoSetup): Promise<void> {
      const grant = await setup.signGrant(freshEnv());
      const [first, second] = [await askLogin(setup, grant), await askLogin(setup, grant)];
      assertEquals([first.status, second.status], [200, 200]);
      assert(first.json?.["auth"].client_token !== second.json?.["auth"].client_token);
    },
  },
  {
    name: "a grant that expired 50 s ago logs in, and not without leeway",
    async run(setup: BaoSetup): Promise<void> {
      const exp = Math.floor(setup.clock.now() / 1000) - 50;
      const grant = await setup.signGrant(freshEnv(), { exp });
      assertEquals((await askLogin(setup, grant)).status, 200);
      await setup.configureRole({ clock_skew_leeway: -1 });
      try {
        assertEquals((await askLogin(setup, grant)).status, 400);
      } finally {
        await setup.configureRole({});
      }
    },
  },
  {
    name: "a grant without env_id logs in, without that metadata, and its token reads nothing",
    async run(setup: BaoSetup): Promise<void> {
      const env = freshEnv();
      await setup.putSecret(env, "a", { value: "v" });
      const { status, json } = await askLogin(
        setup,
        await setup.signGrant(env, { env_id: undefined }),
      );
      assertEquals(status, 200);
      const auth = json?.["auth"];
      assertEquals(auth.metadata.env_id, undefined);
      const read = await ask(setup, `monky/data/${env}/see/a`, { token: auth.client_token });
      assertEquals(read.status, 403);
    },
  },
  {
    name: "a token's meta is its own; what it may read follows the alias's last login",
    async run(setup: BaoSetup): Promise<void> {
      const [one, two] = [freshEnv(), freshEnv()];
      await setup.putSecret(one, "a", { value: "v" });
      const token = await tokenOf(setup, one);
      const path = `monky/data/${one}/see/a`;
      assertEquals((await ask(setup, path, { token })).status, 200);
      const grant = await setup.signGrant(two, { sub: `agent:${one}` });
      assertEquals((await askLogin(setup, grant)).status, 200);
      const { json } = await ask(setup, "auth/token/lookup-self", { token });
      assertEquals(json?.["data"].meta.env_id, one);
      assertEquals((await ask(setup, path, { token })).status, 403);
    },
  },
  {
    name: "lookup-self tells life, meta and dates",
    async run(setup: BaoSetup): Promise<void> {
      const env = freshEnv();
      const token = await tokenOf(setup, env);
      const { status, json } = await ask(setup, "auth/token/lookup-self", { token });
      assertEquals(status, 200);
      const { data } = json ?? {};
      assert(data.ttl > 86_300 && data.ttl <= 86_400);
      assertEquals([data.meta.env_id, data.meta.role, data.orphan], [env, "see-env", true]);
      assertEquals([data.explicit_max_ttl, data.num_uses, data.id], [0, 0, token]);
      assert(Math.abs(data.creation_time - setup.clock.now() / 1000) < 60);
      assertMatch(data.expire_time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
    },
  },
  {
    name: "a dead token, an unknown one and none get 403 in other words than a policy's denial",
    async run(setup: BaoSetup): Promise<void> {
      const env = freshEnv();
      const denied = await ask(setup, `monky/data/${freshEnv()}/see/a`, {
        token: await tokenOf(setup, env),
      });
      assertEquals([denied.status, denied.json?.errors], [403, [POLICY_DENIAL]]);
      for (const token of ["s.doesNotExist0000000000000", ""]) {
        const { status, json } = await ask(setup, "auth/token/lookup-self", { token });
        assertEquals([status, json?.errors], [403, ["permission denied"]]);
      }
    },
  },
  {
    name: "a renewal is capped at the token's whole life, with 200 and a warning",
    async run(setup: BaoSetup): Promise<void> {
      await setup.configureRole({ token_ttl: "60s", token_max_ttl: "120s" });
      try {
        const token = await tokenOf(setup, freshEnv());
        const body = { increment: "86400s" };
        const { status, json } = await ask(setup, "auth/token/renew-self", { token, body });
        assertEquals([status, json?.["auth"].client_token], [200, token]);
        const ttl = json?.["auth"].lease_duration;
        assert(ttl > 100 && ttl <= 120, `lease_duration ${ttl}`);
        assertStringIncludes(json?.["warnings"][0], "capped");
      } finally {
        await setup.configureRole({});
      }
    },
  },
  {
    name: "a renewal may ask for more than the role's ttl, up to that ceiling",
    async run(setup: BaoSetup): Promise<void> {
      await setup.configureRole({ token_ttl: "60s", token_max_ttl: "2000s" });
      try {
        const token = await tokenOf(setup, freshEnv());
        const body = { increment: "1000s" };
        const { json } = await ask(setup, "auth/token/renew-self", { token, body });
        assertEquals([json?.["auth"].lease_duration, json?.["warnings"]], [1000, null]);
      } finally {
        await setup.configureRole({});
      }
    },
  },
  {
    name: "revoke-self is 204, then 403; also without the default policy",
    async run(setup: BaoSetup): Promise<void> {
      for (const noDefault of [false, true]) {
        await setup.configureRole({ token_no_default_policy: noDefault });
        try {
          const token = await tokenOf(setup, freshEnv());
          const revoke = (): ReturnType<typeof ask> =>
            ask(setup, "auth/token/revoke-self", { token, body: {} });
          assertEquals((await revoke()).status, 204);
          const { status, json } = await revoke();
          assertEquals([status, json?.errors], [403, ["permission denied"]]);
        } finally {
          await setup.configureRole({});
        }
      }
    },
  },
  {
    name: "tenancy's lookup tells a living token from `bad token`, and only tenancy may ask",
    async run(setup: BaoSetup): Promise<void> {
      const env = freshEnv();
      const token = await tokenOf(setup, env);
      const lookup = (bearer: string): ReturnType<typeof ask> =>
        ask(setup, "auth/token/lookup", { token: bearer, body: { token } });
      assertEquals((await lookup(setup.tenancyToken)).json?.["data"].meta.env_id, env);
      assertEquals((await lookup(token)).status, 403);
      await ask(setup, "auth/token/revoke-self", { token, body: {} });
      const dead = await lookup(setup.tenancyToken);
      assertEquals([dead.status, dead.json?.errors], [403, ["bad token"]]);
      const refused = await lookup("s.doesNotExist0000000000000");
      assertEquals([refused.status, refused.json?.errors], [403, ["permission denied"]]);
    },
  },
];
