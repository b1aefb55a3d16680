/**
 * What a deploy grant (SPEC §2) says of itself. The signature is not verified here: OpenBao does
 * that at the login. The agent reads a grant to give a better message than "400" and to remember
 * which grants were used.
 */

import * as z from "zod/mini";
import { parseJson } from "./json.ts";
import { lazy } from "./lazy.ts";

/** The claims of a grant that the agent looks at. */
export interface GrantClaims {
  readonly jti: string;
  readonly envId: string;
  /** Epoch seconds by tenancy's clock; `iatS` is 0 when the grant names none. */
  readonly expS: number;
  readonly iatS: number;
}

/** A grant's claims, or in one clause what is wrong with its text. No part of the text is quoted. */
export type GrantReading =
  | { readonly ok: true; readonly claims: GrantClaims }
  | { readonly ok: false; readonly problem: string };

/** The largest grant that is looked at. */
export const MAX_GRANT_BYTES = 16 * 1024;

const MAX_EPOCH_S = 253_402_300_799; // the end of the year 9999

const EpochSeconds = z.number().check(z.minimum(0), z.maximum(MAX_EPOCH_S));

const Payload = lazy(() =>
  z.object({
    jti: z.string().check(z.minLength(1), z.maxLength(256)),
    env_id: z.string().check(z.minLength(1), z.maxLength(256)),
    kind: z.literal("deploy-grant"),
    exp: EpochSeconds,
    iat: z.optional(EpochSeconds),
  })
);

/** Takes the text of a grant, trimmed; gives its claims or what is wrong. Never throws. */
export function readGrant(text: string): GrantReading {
  if (text === "") return wrong("it is empty");
  if (text.length > MAX_GRANT_BYTES) return wrong("it is larger than 16 KiB");
  const parts = text.split(".");
  const [header, payload] = parts;
  if (parts.length !== 3 || header === undefined || payload === undefined) {
    return wrong("it is no JWT: three parts with dots between are expected");
  }
  if (!/^[A-Za-z0-9_.-]+$/.test(text)) return wrong("it is no JWT: it holds other characters");
  if (decodeJson(header) === null) return wrong("its header is no JSON");
  const json = decodeJson(payload);
  if (json === null) return wrong("its payload is no JSON");
  const claims = Payload().safeParse(json);
  if (!claims.success) {
    const names = new Set(claims.error.issues.map((issue) => String(issue.path[0] ?? "payload")));
    return wrong(`these claims are missing or wrong: ${[...names].sort().join(", ")}`);
  }
  const { jti, env_id, exp, iat } = claims.data;
  return { ok: true, claims: { jti, envId: env_id, expS: exp, iatS: iat ?? 0 } };
}

function wrong(problem: string): GrantReading {
  return { ok: false, problem };
}

/** Takes one base64url part; gives its JSON value, or null when it is none. */
function decodeJson(part: string): unknown {
  try {
    const binary = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return parseJson(bytes, { code: "GRANT_INVALID", what: "a grant" });
  } catch {
    return null;
  }
}
