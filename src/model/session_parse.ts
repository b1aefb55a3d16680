/**
 * session.json ↔ Session (version 1). The only place where a token's value is put into a file's
 * bytes, so nothing here prints. A file that is torn, of another version or mistyped is `null`:
 * the store keeps it aside.
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import { MAX_GRANT_BYTES } from "./grant.ts";
import { parseJson } from "./json.ts";
import { Secret } from "./secret.ts";
import {
  MAX_CONSUMED,
  MAX_REVOKE,
  type OldToken,
  type Session,
  type Token,
  type UnspentGrant,
} from "./state.ts";

const VERSION = 1;

const MAX_EPOCH_MS = 8.64e15; // the last moment a Date can name

const epochMs = z.number().check(z.minimum(-MAX_EPOCH_MS), z.maximum(MAX_EPOCH_MS));
const seconds = z.number().check(z.minimum(0), z.maximum(1e12));
const secret = z.pipe(
  z.string().check(z.minLength(1), z.maxLength(8192)),
  z.transform((value) => new Secret(value)),
);

const pacing = z.object({ failures: z.int().check(z.minimum(0)), notBefore: epochMs });
const claims = z.object({
  jti: z.string().check(z.maxLength(256)),
  envId: z.string().check(z.maxLength(256)),
  expS: seconds,
  iatS: seconds,
});
const grant = z.pipe(
  z.string().check(z.minLength(1), z.maxLength(MAX_GRANT_BYTES)),
  z.transform((value) => new Secret(value)),
);

const schema = z.object({
  v: z.literal(VERSION),
  envId: z.string(),
  token: z.nullable(z.object({
    value: secret,
    accessor: z.string(),
    source: z.enum(["bootstrap", "lease"]),
    jti: z.string(),
    grantIatS: seconds,
    checkedAt: epochMs,
    expiresAt: epochMs,
    ttlS: seconds,
  })),
  revoke: z.array(z.object({ value: secret, accessor: z.string() })).check(
    z.maxLength(MAX_REVOKE),
  ),
  consumed: z.array(z.string().check(z.maxLength(256))).check(z.maxLength(MAX_CONSUMED)),
  // Files of before may lack these two.
  unspent: z._default(z.nullable(z.object({ value: grant, claims })), null),
  renewal: pacing,
  revocation: z._default(pacing, { failures: 0, notBefore: 0 }),
});

/** Takes the bytes of session.json; gives the session, or null when they are none. Throws nothing. */
export function parseSession(bytes: Uint8Array): Session | null {
  try {
    const json = parseJson(bytes, { code: "FILE_UNREADABLE", what: "session.json" });
    const result = schema.safeParse(json);
    if (!result.success) return null;
    const { v: _version, ...session } = result.data;
    return session;
  } catch (thrown) {
    if (thrown instanceof AgentError) return null;
    throw thrown;
  }
}

/** Takes a session; gives the bytes of session.json, tokens in clear: for a 0600 file alone. */
export function formatSession(session: Session): Uint8Array {
  const { envId, token, revoke, consumed, unspent, renewal, revocation } = session;
  const text = JSON.stringify(
    {
      v: VERSION,
      envId,
      token: token === null ? null : clearToken(token),
      revoke: revoke.slice(-MAX_REVOKE).map(clearOldToken),
      consumed: consumed.slice(-MAX_CONSUMED),
      unspent: unspent === null ? null : clearGrant(unspent),
      renewal,
      revocation,
    },
    null,
    2,
  );
  return new TextEncoder().encode(`${text}\n`);
}

function clearToken(token: Token): Readonly<Record<string, unknown>> {
  return { ...token, value: token.value.reveal() };
}

function clearGrant(grant: UnspentGrant): Readonly<Record<string, unknown>> {
  return { ...grant, value: grant.value.reveal() };
}

function clearOldToken(token: OldToken): Readonly<Record<string, unknown>> {
  return { value: token.value.reveal(), accessor: token.accessor };
}
