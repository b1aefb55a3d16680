/** Raw questions to an OpenBao of the contract list: what goes out, and what came back. */

import { assertEquals } from "@std/assert";
import { baoRequest } from "../../src/clients/openbao_call.ts";
import { Secret } from "../../src/model/secret.ts";
import type { HttpRequest } from "../../src/ports.ts";
import type { BaoSetup } from "./openbao_setup.ts";

/** A reply, its body parsed; null where there is none. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Json | null;
}

/** OpenBao's reply bodies, as loosely as a test needs them. */
export interface Json {
  readonly errors?: readonly string[];
  // deno-lint-ignore no-explicit-any
  readonly [key: string]: any;
}

/** What a question carries. */
export interface Asking {
  readonly token?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly method?: HttpRequest["method"];
}

/** Sends one request to `/v1/<path>`. A GET unless there is a body. */
export async function ask(setup: BaoSetup, path: string, asking: Asking = {}): Promise<Answered> {
  const { token, body, method } = asking;
  const reply = await setup.http.request(baoRequest({
    method: method ?? (body === undefined ? "GET" : "POST"),
    target: `/v1/${path}`,
    timeoutMs: 15_000,
    ...(token === undefined ? {} : { token: new Secret(token) }),
    ...(body === undefined ? {} : { body }),
  }));
  const text = new TextDecoder().decode(reply.body).trim();
  return {
    status: reply.status,
    headers: reply.headers,
    json: text === "" ? null : JSON.parse(text),
  };
}

/** Logs in with a grant; gives the whole answer. */
export function askLogin(setup: BaoSetup, jwt: string, mount = "jwt-tenancy"): Promise<Answered> {
  return ask(setup, `auth/${mount}/login`, { body: { role: "see-env", jwt } });
}

/** Logs in as an env; gives the token. */
export async function tokenOf(setup: BaoSetup, envId: string): Promise<string> {
  const reply = await askLogin(setup, await setup.signGrant(envId));
  assertEquals(reply.status, 200);
  return reply.json?.["auth"].client_token;
}

/** Gives an env_id that nothing else uses. */
export function freshEnv(): string {
  return `env-c-${crypto.randomUUID().slice(0, 8)}`;
}
