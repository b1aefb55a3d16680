/** A reader of secrets over a scripted HTTP port: answers to give, and what was asked. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { readSecrets, type SecretsRead, type SecretsRequest } from "../../src/clients/secrets.ts";
import { AgentError, type Code } from "../../src/errors.ts";
import type { ManifestEntry } from "../../src/model/bundle.ts";
import { Secret } from "../../src/model/secret.ts";
import type { HttpReply, HttpRequest } from "../../src/ports.ts";
import { type StillClock, stillClock } from "./openbao_clock.ts";
import { reply, type ScriptedHttp, scriptedHttp } from "./openbao_script.ts";

/** The estate's settings for one box. */
export const CONFIG = {
  envId: "env-a",
  bao: {
    authMount: "jwt-tenancy",
    role: "see-env",
    kvMount: "monky",
    kvPrefix: "see",
    timeoutS: 30,
  },
};
/** Where the box's secrets lie. */
export const ROOT = "/v1/monky/data/env-a/see/";
/** The target of lookup-self. */
export const LOOKUP = "/v1/auth/token/lookup-self";
/** lookup-self of a living token. */
export const ALIVE = reply(200, { data: { ttl: 5000, expire_time: "2099-01-01T00:00:00Z" } });
/** A policy's denial. */
export const DENIED = reply(403, { errors: ["1 error occurred:\n\t* permission denied\n\n"] });
/** What a dead token gets. */
export const DEAD = reply(403, { errors: ["permission denied"] });
/** A rate limit whose Retry-After is 0. */
export const LIMITED = reply(429, { errors: ["rate limit quota exceeded"] }, {
  "retry-after": "0",
});
/** No such path or version. */
export const ABSENT = reply(404, { errors: [] });
/** A sealed server. */
export const SEALED = reply(503, { errors: ["Vault is sealed"] });

/** A version of a secret with these fields. */
export function found(fields: unknown = { value: "CANARY" }, version = 1): HttpReply {
  return reply(200, { data: { data: fields, metadata: { version, deletion_time: "" } } });
}

/** A manifest entry; the path is the name in lower case, the version the newest. */
export function entry(
  name: string,
  path = name.toLowerCase(),
  version: number | null = null,
): ManifestEntry {
  return { var: name, path, key: "value", version };
}

/** The reader, its clock, and what it asked. */
export interface Bench {
  readonly http: ScriptedHttp;
  readonly clock: StillClock;
  read(entries: readonly ManifestEntry[], more?: Partial<SecretsRequest>): Promise<SecretsRead>;
}

/** Makes a reader whose requests the function answers, the index counting from 0. */
export function bench(answer: (request: HttpRequest, index: number) => HttpReply | Error): Bench {
  const http = scriptedHttp(answer);
  const clock = stillClock();
  const random = { uuid: (): string => "", fraction: (): number => 0 };
  return {
    http,
    clock,
    read: (entries, more = {}) =>
      readSecrets({ http, clock, random }, {
        config: CONFIG,
        token: new Secret("s.CANARYtoken"),
        entries,
        timeoutMs: 60_000,
        confirmToken: false,
        mask: () => {},
        ...more,
      }),
  };
}

/** Insists on the code, and that nothing of the error holds the canary. */
export async function fails(code: Code, run: () => Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(run, AgentError);
  assertEquals(error.code, code, error.message);
  assert(!Deno.inspect(error, { depth: 9 }).includes("CANARY"), "an error holds the canary");
  assert(!JSON.stringify([error.message, error.data, error.hint]).includes("CANARY"));
  return error;
}

/** The targets asked, in order. */
export function targets({ http }: Bench): readonly string[] {
  return http.requests.map(({ target }) => target);
}
