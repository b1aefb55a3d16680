/** A reader of secrets over a scripted HTTP port: answers to give, and what was asked. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { readSecrets, type SecretsRead, type SecretsRequest } from "../../src/clients/secrets.ts";
import { AgentError, type Code } from "../../src/errors.ts";
import type { ManifestEntry } from "../../src/model/bundle.ts";
import { Secret } from "../../src/model/secret.ts";
import type { HttpReply, HttpRequest } from "../../src/ports.ts";
import { type StillClock, stillClock } from "./openbao_clock.ts";
import { reply, type ScriptedHttp, scriptedHttp } from "./openbao_script.ts";

/** See the file's head. */
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
/** See the file's head. */
export const ROOT = "/v1/monky/data/env-a/see/";
/** See the file's head. */
export const LOOKUP = "/v1/auth/token/lookup-self";
/** See the file's head. */
export const ALIVE = reply(200, { data: { ttl: 5000, expire_time: "2099-01-01T00:00:00Z" } });
/** See the file's head. */
export const DENIED = reply(403, { errors: ["1 error occurred:\n\t* permission denied\n\n"] });
/** See the file's head. */
export const DEAD = reply(403, { errors: ["permission denied"] });
/** See the file's head. */
export const LIMITED = reply(429, { errors: ["rate limit quota exceeded"] }, {
  "retry-after": "0",
});
/** See the file's head. */
export const ABSENT = reply(404, { errors: [] });
/** See the file's head. */
export const SEALED = reply(503, { errors: ["Vault is sealed"] });

/** See the file's head. */
export function found(fields: unknown = { value: "CANARY" }, version = 1): HttpReply {
  return reply(200, { data: { data: fields, metadata: { version, deletion_time: "" } } });
}

/** See the file's head. */
export function entry(
  name: string,
  path = name.toLowerCase(),
  version: number | null = null,
): ManifestEntry {
  return { var: name, path, key: "value", version };
}

/** See the file's head. */
export interface Bench {
  readonly http: ScriptedHttp;
  readonly clock: StillClock;
  read(entries: readonly ManifestEntry[], more?: Partial<SecretsRequest>): Promise<SecretsRead>;
}

/** See the file's head. */
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

/** See the file's head. */
export async function fails(code: Code, run: () => Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(run, AgentError);
  assertEquals(error.code, code, error.message);
  assert(!Deno.inspect(error, { depth: 9 }).includes("CANARY"), "an error holds the canary");
  assert(!JSON.stringify([error.message, error.data, error.hint]).includes("CANARY"));
  return error;
}

/** See the file's head. */
export function targets({ http }: Bench): readonly string[] {
  return http.requests.map(({ target }) => target);
}
