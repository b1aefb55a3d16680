/**
 * How a request to OpenBao looks: headers, JSON body, limits. One exchange, never repeated here; a
 * doubled login would leave a 24-hour token that nobody revokes (facts: openbao §0.2).
 */

import type { Config } from "../model/config.ts";
import type { Secret } from "../model/secret.ts";
import type { HttpRequest } from "../ports.ts";

/** The largest reply that is read (facts: openbao §1.6: one secret fits 1 MiB of storage). */
export const MAX_REPLY_BYTES = 2 << 20;

/** What the client needs of the config. */
export interface BaoConfig {
  readonly envId: string;
  readonly bao: Pick<
    Config["bao"],
    "authMount" | "role" | "kvMount" | "kvPrefix" | "timeoutS"
  >;
}

/** Receives every secret that the client learns, so that the mask of the log knows it. */
export type Mask = (secret: Secret) => void;

/** One call: `target` begins with `/v1/`; `token` and `body` where the call has them. */
export interface BaoCall {
  readonly method: HttpRequest["method"];
  readonly target: string;
  readonly timeoutMs: number;
  readonly maxBodyBytes?: number;
  readonly token?: Secret;
  readonly body?: Readonly<Record<string, unknown>>;
  /** How many reads of secrets follow at once. */
  readonly readsAfter?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Takes a call; gives the request that makes it. */
export function baoRequest(call: BaoCall): HttpRequest {
  const headers: Record<string, string> = {
    accept: "application/json",
    // Listeners may insist on it against requests that a page tricked somebody into.
    "x-vault-request": "true",
  };
  if (call.token !== undefined) headers["x-vault-token"] = call.token.reveal();
  if (call.body !== undefined) headers["content-type"] = "application/json";
  return {
    peer: "bao",
    method: call.method,
    target: call.target,
    headers,
    ...(call.body === undefined
      ? {}
      : { body: new TextEncoder().encode(JSON.stringify(call.body)) }),
    timeoutMs: call.timeoutMs,
    maxBodyBytes: call.maxBodyBytes ?? MAX_REPLY_BYTES,
    ...(call.readsAfter === undefined ? {} : { readsAfter: call.readsAfter }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  };
}

/** Takes a mount or prefix of the config, which may have several segments; gives it encoded. */
export function encodeSegments(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
