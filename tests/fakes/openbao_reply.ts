/** How the stand-in of OpenBao writes its replies (facts: openbao §1). */

import type { HttpReply } from "../../src/ports.ts";

/** A reply with JSON and the headers OpenBao sends with it. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body: new TextEncoder().encode(`${JSON.stringify(body)}\n`),
  };
}

/** An error reply. */
export function errors(status: number, ...texts: readonly string[]): HttpReply {
  return json(status, { errors: texts });
}

/** 204. */
export function noContent(): HttpReply {
  return { status: 204, headers: { "cache-control": "no-store" }, body: new Uint8Array() };
}

/** What the envelope of a success may carry. */
export interface Envelope {
  readonly data?: unknown;
  readonly auth?: unknown;
  readonly warnings?: readonly string[];
}

/** A reply in OpenBao's envelope. */
export function envelope(status: number, { data, auth, warnings }: Envelope): HttpReply {
  return json(status, {
    request_id: crypto.randomUUID(),
    lease_id: "",
    renewable: false,
    lease_duration: 0,
    data: data ?? null,
    wrap_info: null,
    warnings: warnings ?? null,
    auth: auth ?? null,
  });
}

/** 403 for a token that is unknown, ended or missing. */
export function deadToken(): HttpReply {
  return errors(403, "permission denied");
}

/** 403 for a token whose policies do not allow the path. */
export function policyDenial(): HttpReply {
  return errors(403, "1 error occurred:\n\t* permission denied\n\n");
}
