/** The OpenBao client against answers that go wrong; what goes right is in tests/contract. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { createOpenBao, type OpenBao } from "../../src/clients/openbao.ts";
import { AgentError, type Code } from "../../src/errors.ts";
import { Secret } from "../../src/model/secret.ts";
import type { HttpReply } from "../../src/ports.ts";
import { createFakeBao } from "../fakes/openbao.ts";
import { stillClock } from "../fakes/openbao_clock.ts";
import { caseReply, reply, type ScriptedHttp, scriptedHttp } from "../fakes/openbao_script.ts";

const CANARY = "s.CANARYcanaryCANARYcanary";
const TOKEN = new Secret(CANARY);
const CONFIG = {
  envId: "env-a",
  bao: {
    authMount: "jwt-tenancy",
    role: "see-env",
    kvMount: "monky",
    kvPrefix: "see",
    timeoutS: 30,
  },
};

function clientOf(http: ScriptedHttp, masked: Secret[] = []): OpenBao {
  const options = { mask: (secret: Secret): void => void masked.push(secret) };
  return createOpenBao({ http, clock: stillClock() }, CONFIG, options);
}

function answering(...answers: readonly (HttpReply | Error)[]): ScriptedHttp {
  return scriptedHttp((_, index) => answers[index] ?? new Error("one request too many"));
}

async function fails(code: Code, run: () => Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(run, AgentError);
  assertEquals(error.code, code, error.message);
  assert(!Deno.inspect(error, { depth: 9 }).includes("CANARY"), "an error holds the canary");
  assert(!JSON.stringify([error.message, error.data, error.hint]).includes("CANARY"));
  return error;
}

const ALIVE = { data: { ttl: 5000, expire_time: "2099-01-01T00:00:00Z", renewable: true } };

Deno.test("a request to OpenBao carries its token in one header, and JSON", async () => {
  const http = answering(reply(200, ALIVE), reply(200, { auth: auth() }));
  const bao = clientOf(http);
  await bao.lookupSelf(TOKEN);
  await bao.renewSelf(TOKEN);
  const [lookup, renewal] = http.requests;
  assertEquals(lookup?.headers, {
    accept: "application/json",
    "x-vault-request": "true",
    "x-vault-token": CANARY,
  });
  assertEquals([lookup?.peer, lookup?.timeoutMs], ["bao", 30_000]);
  assertEquals(renewal?.headers["content-type"], "application/json");
  assertEquals(new TextDecoder().decode(renewal?.body), '{"increment":"86400s"}');
});

Deno.test("a login carries no token, and masks grant and token", async () => {
  const masked: Secret[] = [];
  const http = answering(reply(200, { auth: auth({ client_token: CANARY }) }));
  const login = await clientOf(http, masked).login(new Secret("the.grant.itself"));
  assertEquals(http.requests[0]?.headers["x-vault-token"], undefined);
  assertEquals(masked.map((secret) => secret.reveal()), ["the.grant.itself", CANARY]);
  assertEquals([login.accessor, login.ttlS, login.jti], ["acc", 86400, "j1"]);
});

function auth(overrides: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    client_token: "s.t",
    accessor: "acc",
    lease_duration: 86400,
    renewable: true,
    metadata: { env_id: "env-a", grant_jti: "j1", role: "see-env" },
    ...overrides,
  };
}

Deno.test("a token of another env is revoked before the login fails", async () => {
  for (const metadata of [{ env_id: "env-b" }, {}, null]) {
    const http = answering(
      reply(200, { auth: auth({ metadata, client_token: CANARY }) }),
      { status: 204, headers: {}, body: new Uint8Array() },
    );
    await fails("BAO_ENV_MISMATCH", () => clientOf(http).login(new Secret("g")));
    assertEquals(http.requests.map(({ target }) => target), [
      "/v1/auth/jwt-tenancy/login",
      "/v1/auth/token/revoke-self",
    ]);
    assertEquals(http.requests[1]?.headers["x-vault-token"], CANARY);
  }
});

Deno.test("a login whose answer is wrapped or wants a second factor fails loudly", async () => {
  const wrapped = { auth: null, wrap_info: { token: CANARY } };
  const mfa = { auth: auth({ client_token: "", mfa_requirement: { mfa_request_id: CANARY } }) };
  for (const [body, says] of [[wrapped, "wrapped"], [mfa, "second factor"]] as const) {
    const http = answering(reply(200, body));
    const error = await fails("BAO_LOGIN_REFUSED", () => clientOf(http).login(new Secret("g")));
    assertStringIncludes(error.message, says);
  }
});

Deno.test("a login says what is odd about its token", async () => {
  const odd = {
    auth: auth({ lease_duration: 40, renewable: false }),
    warnings: [`TTL of "1h" exceeded the effective max_ttl; TTL value is capped accordingly`],
  };
  const login = await clientOf(answering(reply(200, odd))).login(new Secret("g"));
  assertEquals(login.warnings, [
    "OpenBao capped the token's life at 40 s",
    "the token cannot be renewed",
  ]);
});

Deno.test("a wrong auth mount is told apart: 403 names the mount and what else gives it", async () => {
  const http = answering(reply(403, { errors: ["permission denied"] }));
  const error = await fails("BAO_LOGIN_REFUSED", () => clientOf(http).login(new Secret("g")));
  assertStringIncludes(error.message, 'auth mount "jwt-tenancy"');
  assertStringIncludes(error.message, "does not exist");
});

Deno.test("a grant from the future is told with the clocks' difference", async () => {
  const clock = stillClock();
  const fake = await createFakeBao(clock);
  const grant = await fake.signGrant("env-a", { nbf: clock.now() / 1000 + 600 });
  const late = { ...clock, now: (): number => clock.now() + 90_000 };
  const options = { mask: (): void => {} };
  const bao = createOpenBao({ http: fake.http, clock: late }, CONFIG, options);
  const error = await fails("GRANT_NOT_YET_VALID", () => bao.login(new Secret(grant)));
  assertStringIncludes(error.message, "this box's clock is 90 s ahead of OpenBao's");
  assertEquals(error.data["clock_skew_s"], 90);
});

Deno.test("case 51: a capped renewal tells both lives; a refused one is no failure", async () => {
  const capped = await caseReply("51-renew-does-not-extend/1.http");
  assertEquals(await clientOf(answering(capped)).renewSelf(TOKEN), {
    kind: "granted",
    askedS: 86400,
    ttlS: 40,
  });
  const refused = await caseReply("51-renew-does-not-extend/2.http");
  assertEquals(await clientOf(answering(refused)).renewSelf(TOKEN), { kind: "refused" });
  const past = reply(500, { errors: ["past the max TTL, cannot renew"] });
  assertEquals(await clientOf(answering(past)).renewSelf(TOKEN), { kind: "refused" });
  const passing = reply(500, { errors: ["context canceled"] });
  await fails("BAO_UNAVAILABLE", () => clientOf(answering(passing)).renewSelf(TOKEN));
});

Deno.test("case 52: lookup-self tells a dead token from a living one", async () => {
  const dead = await caseReply("52-403-two-meanings/lookup-dead.http");
  assertEquals(await clientOf(answering(dead)).lookupSelf(TOKEN), null);
  const alive = await caseReply("52-403-two-meanings/lookup-alive.http");
  assertEquals((await clientOf(answering(alive)).lookupSelf(TOKEN))?.ttlS, 5000);
});

Deno.test("case 52: a 403 page that is not OpenBao's proves nothing about the token", async () => {
  const page = reply(403, `<html>${CANARY}</html>`, { "content-type": "text/html" });
  await fails("BAO_BAD_ANSWER", () => clientOf(answering(page)).lookupSelf(TOKEN));
  await fails("BAO_BAD_ANSWER", () => clientOf(answering(page)).renewSelf(TOKEN));
  await fails("BAO_BAD_ANSWER", () => clientOf(answering(page)).revokeSelf(TOKEN));
});

Deno.test("case 53: states of the server, each with its code", async () => {
  interface Row {
    readonly path: string;
    readonly status: number;
    readonly headers?: Record<string, string>;
    readonly body: unknown;
    readonly class: string;
  }
  const file = new URL("../cases/53-429-503-and-friends/cases.json", import.meta.url);
  const rows: readonly Row[] = JSON.parse(await Deno.readTextFile(file));
  for (const row of rows.filter(({ path }) => !path.startsWith("/v1/sys/"))) {
    const type = typeof row.body === "string" ? "text/html" : "application/json";
    const answer = reply(row.status, row.body, { "content-type": type, ...row.headers });
    // A rate limit has a code of its own in this agent's catalogue, temporary all the same.
    const code = row.status === 429 ? "BAO_RATE_LIMITED" : row.class.split(" ")[0] as Code;
    const error = await fails(code, () => clientOf(answering(answer)).lookupSelf(TOKEN));
    assertEquals(error.kind, "temporary");
    if (row.status === 429) assertEquals(error.data["retry_after_s"], 7);
  }
});

Deno.test("case 53: health is judged by its body: 429 is a standby, 503 a sealed server", async () => {
  const body = {
    initialized: true,
    sealed: false,
    standby: true,
    server_time_utc: Date.UTC(2026, 10, 30) / 1000 + 5,
    version: "2.7.2",
  };
  const standby = await clientOf(answering(reply(429, body))).health();
  assertEquals([standby.standby, standby.clockSkewS], [true, -5]);
  const sealed = await clientOf(answering(reply(503, { ...body, sealed: true }))).health();
  assertEquals(sealed.sealed, true);
  const page = reply(503, "<html>", { "content-type": "text/html" });
  await fails("BAO_UNAVAILABLE", () => clientOf(answering(page)).health());
  await fails("BAO_BAD_ANSWER", () => clientOf(answering(reply(200, {}))).health());
});

// SPEC §5 overrules the case's "follow at most one": no redirect is ever followed.
Deno.test("case 54: a redirect is not followed and names only the host", async () => {
  const redirect = await caseReply("54-redirect-carries-vault-token/1.http");
  const http = answering(redirect);
  const error = await fails("BAO_REDIRECTED", () => clientOf(http).lookupSelf(TOKEN));
  assertStringIncludes(error.message, "elsewhere.example");
  assert(!error.message.includes("/v1/"));
  assertEquals(http.requests.length, 1);
  for (const location of ["/v1/x?CANARY=1", "https://u:CANARY@[", "", undefined]) {
    const headers: Record<string, string> = location === undefined ? {} : { location };
    const odd = { status: 301, headers, body: new Uint8Array() };
    await fails("BAO_REDIRECTED", () => clientOf(answering(odd)).lookupSelf(TOKEN));
  }
});

Deno.test("case 70: answers that are not OpenBao's JSON are told by status, type and size", async () => {
  const bodies: readonly (readonly [string, string])[] = [
    ["text/html", `<html>login ${CANARY}</html>`],
    ["application/json", CANARY],
    ["application/json", `{"pw": CANARY }`],
    ["application/json", `{"data":{"ttl":"CANARY"}}`],
    ["application/json", `{"data":{"ttl":-1}}`],
    ["application/json", "[]"],
    ["application/json", ""],
    ["application/jsonp", JSON.stringify(ALIVE)],
  ];
  for (const [type, text] of bodies) {
    const answer = reply(200, text, { "content-type": type });
    await fails("BAO_BAD_ANSWER", () => clientOf(answering(answer)).lookupSelf(TOKEN));
  }
  const none = { status: 204, headers: {}, body: new Uint8Array() };
  await fails("BAO_BAD_ANSWER", () => clientOf(answering(none)).lookupSelf(TOKEN));
});

Deno.test("a revocation is done when the token is dead, and told when it is not allowed", async () => {
  const denied = reply(403, { errors: ["permission denied"] });
  assertEquals(await clientOf(answering(denied, denied)).revokeSelf(TOKEN), "gone");
  assertEquals(await clientOf(answering(denied, reply(200, ALIVE))).revokeSelf(TOKEN), "forbidden");
  const batch = reply(400, { errors: ["batch tokens cannot be revoked"] });
  assertEquals(await clientOf(answering(batch)).revokeSelf(TOKEN), "forbidden");
  const sealed = reply(503, { errors: ["Vault is sealed"] });
  await fails("BAO_SEALED", () => clientOf(answering(denied, sealed)).revokeSelf(TOKEN));
});

Deno.test("a token that never ends counts as one of 30 days", async () => {
  const root = { data: { ttl: 0, expire_time: null } };
  assertEquals((await clientOf(answering(reply(200, root))).lookupSelf(TOKEN))?.ttlS, 2_592_000);
});

Deno.test("no failed request is sent a second time", async () => {
  const reset = new AgentError("BAO_UNAVAILABLE", "reset");
  for (const call of ["login", "lookupSelf", "renewSelf", "revokeSelf"] as const) {
    const http = answering(reset);
    await fails("BAO_UNAVAILABLE", () => clientOf(http)[call](TOKEN));
    assertEquals(http.requests.length, 1, call);
  }
});
