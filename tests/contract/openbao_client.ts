/** The part of OpenBao's contract list about the agent's own client: what it makes of a server. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { createOpenBao, type OpenBao } from "../../src/clients/openbao.ts";
import { readSecrets, type SecretsRead } from "../../src/clients/secrets.ts";
import { AgentError, type Code } from "../../src/errors.ts";
import type { ManifestEntry } from "../../src/model/bundle.ts";
import { Secret } from "../../src/model/secret.ts";
import { freshEnv } from "./openbao_ask.ts";
import type { BaoSetup, Check } from "./openbao_setup.ts";

/** An env, its client, and a login. */
interface Agent {
  readonly env: string;
  readonly bao: OpenBao;
  login(): Promise<Secret>;
  read(token: Secret, entries: readonly ManifestEntry[]): Promise<SecretsRead>;
}

function agent(setup: BaoSetup, env = freshEnv()): Agent {
  const config = {
    envId: env,
    bao: {
      authMount: "jwt-tenancy",
      role: "see-env",
      kvMount: "monky",
      kvPrefix: "see",
      timeoutS: 15,
    },
  };
  const mask = (): void => {};
  const ports = {
    http: setup.http,
    clock: setup.clock,
    random: { uuid: () => "", fraction: () => 0 },
  };
  const bao = createOpenBao(ports, config, { mask });
  return {
    env,
    bao,
    login: async () => (await bao.login(new Secret(await setup.signGrant(env)))).token,
    read: (token, entries) =>
      readSecrets(ports, { config, token, entries, timeoutMs: 30_000, confirmToken: true, mask }),
  };
}

function entry(name: string, path: string, version: number | null = null): ManifestEntry {
  return { var: name, path, key: "value", version };
}

async function fails(code: Code, run: () => Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(run, AgentError);
  assertEquals(error.code, code, error.message);
  return error;
}

/** The checks. */
export const CLIENT_CONTRACT: readonly Check[] = [
  {
    name: "client: login, lookup, renewal, revocation",
    async run(setup: BaoSetup): Promise<void> {
      const { env, bao } = agent(setup);
      const grant = await setup.signGrant(env, { jti: "j1" });
      const login = await bao.login(new Secret(grant));
      assertEquals([login.envId, login.jti, login.ttlS], [env, "j1", 86400]);
      assertEquals(login.warnings, []);
      const lookup = await bao.lookupSelf(login.token);
      assertEquals([lookup?.envId, lookup?.jti], [env, "j1"]);
      assertEquals(await bao.renewSelf(login.token), {
        kind: "granted",
        askedS: 86400,
        ttlS: 86400,
      });
      assertEquals(await bao.revokeSelf(login.token), "revoked");
      assertEquals(await bao.lookupSelf(login.token), null);
      assertEquals(await bao.renewSelf(login.token), { kind: "forbidden" });
      assertEquals(await bao.revokeSelf(login.token), "gone");
    },
  },
  {
    name: "client: refused logins have codes of their own",
    async run(setup: BaoSetup): Promise<void> {
      const { env, bao } = agent(setup);
      const nowS = Math.floor(setup.clock.now() / 1000);
      const login = async (
        claims: Readonly<Record<string, string | number | undefined>>,
      ): Promise<unknown> => bao.login(new Secret(await setup.signGrant(env, claims)));
      await fails("GRANT_EXPIRED", () => login({ exp: nowS - 200 }));
      const early = await fails("GRANT_NOT_YET_VALID", () => login({ nbf: nowS + 600 }));
      assertStringIncludes(early.message, "clock");
      assert(Math.abs(Number(early.data["clock_skew_s"])) <= 2);
      await fails("BAO_LOGIN_REFUSED", () => login({ aud: "x" }));
      await fails("BAO_LOGIN_REFUSED", () => login({ kind: undefined }));
    },
  },
  {
    name: "client: a token of another env is refused and revoked",
    async run(setup: BaoSetup): Promise<void> {
      const { env, bao } = agent(setup);
      const other = freshEnv();
      const grant = await setup.signGrant(env, { env_id: other });
      const error = await fails("BAO_ENV_MISMATCH", () => bao.login(new Secret(grant)));
      assert(!error.message.includes(other));
      const without = await setup.signGrant(env, { env_id: undefined });
      await fails("BAO_ENV_MISMATCH", () => bao.login(new Secret(without)));
    },
  },
  {
    name: "client: secrets, several keys of one path, pinned and newest",
    async run(setup: BaoSetup): Promise<void> {
      const { env, login, read } = agent(setup);
      await setup.putSecret(env, "a", { value: "a1", other: "o1" });
      await setup.putSecret(env, "a", { value: "a2" });
      await setup.putSecret(env, "sub/b c%", { value: "b1" });
      const { values, lookup } = await read(await login(), [
        entry("A", "a", 1),
        { var: "O", path: "a", key: "other", version: 1 },
        entry("NEW", "a"),
        entry("B", "sub/b c%"),
      ]);
      const seen = [...values].map(([name, { value, version }]) => [name, value.reveal(), version]);
      assertEquals(seen.sort(), [["A", "a1", 1], ["B", "b1", 1], ["NEW", "a2", 2], ["O", "o1", 1]]);
      assertEquals(lookup?.envId, env);
    },
  },
  {
    name: "client: absent, deleted, destroyed, self-deleting later, no string, no key, too large",
    async run(setup: BaoSetup): Promise<void> {
      const { env, login, read } = agent(setup);
      const token = await login();
      await setup.putSecret(env, "a", { value: "v", port: 1, big: "x".repeat(140_000) });
      await setup.putSecret(env, "gone", { value: "v" });
      await setup.deleteVersion(env, "gone", 1);
      await setup.putSecret(env, "dead", { value: "v" });
      await setup.destroyVersion(env, "dead", 1);
      await setup.deleteAfter(env, "later", 3600);
      await setup.putSecret(env, "later", { value: "v" });
      const reads = (one: ManifestEntry) => (): Promise<unknown> => read(token, [one]);
      await fails("SECRET_NOT_FOUND", reads(entry("A", "none")));
      await fails("SECRET_NOT_FOUND", reads(entry("A", "a", 9)));
      await fails("SECRET_DELETED", reads(entry("A", "gone", 1)));
      await fails("SECRET_DESTROYED", reads(entry("A", "dead")));
      await fails("SECRET_KEY_MISSING", reads({ ...entry("A", "a"), key: "none" }));
      await fails("SECRET_NOT_STRING", reads({ ...entry("A", "a"), key: "port" }));
      await fails("SECRET_TOO_LARGE", reads({ ...entry("A", "a"), key: "big" }));
      assertEquals((await read(token, [entry("A", "later")])).values.get("A")?.version, 1);
    },
  },
  {
    name: "client: a revoked token is dead, a living one that may not read is forbidden",
    async run(setup: BaoSetup): Promise<void> {
      const { env, bao, login, read } = agent(setup);
      await setup.putSecret(env, "a", { value: "v" });
      const token = await login();
      await bao.revokeSelf(token);
      await fails("BAO_TOKEN_DEAD", () => read(token, [entry("A", "a")]));
      const other = await agent(setup).login();
      await fails("SECRET_FORBIDDEN", () => read(other, [entry("A", "a")]));
    },
  },
  {
    name: "client: a rate limit is waited out, one read at a time",
    async run(setup: BaoSetup): Promise<void> {
      const { env, login, read } = agent(setup);
      const names = ["a", "b", "c", "d", "e", "f"];
      for (const name of names) await setup.putSecret(env, name, { value: name });
      const token = await login();
      await setup.quota({ rate: 2, intervalS: 1, headers: true });
      try {
        const { values } = await read(token, names.map((name) => entry(name.toUpperCase(), name)));
        assertEquals(values.size, 6);
      } finally {
        await setup.quota(null);
      }
    },
  },
  {
    name: "client: sealed is said as such, for reads and for the token",
    async run(setup: BaoSetup): Promise<void> {
      const { env, bao, login, read } = agent(setup);
      await setup.putSecret(env, "a", { value: "v" });
      const token = await login();
      await setup.seal();
      try {
        await fails("BAO_SEALED", () => read(token, [entry("A", "a")]));
        await fails("BAO_SEALED", () => bao.lookupSelf(token));
        assertEquals((await bao.health()).sealed, true);
      } finally {
        await setup.unseal();
      }
      assertEquals((await read(token, [entry("A", "a")])).values.size, 1);
    },
  },
];
