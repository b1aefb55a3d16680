// Asks OpenBao whose token a bearer is. Only "the agent's token is bad" may become a 401: whatever
// else goes wrong is tenancy's own trouble, or one expired tenancy token would make every agent
// delete its token.

import * as z from "zod/mini";

/** What OpenBao says about a bearer. */
export type LookupResult =
  | {
    readonly kind: "valid";
    /** `meta.env_id` and `meta.grant_jti`; null where the token has none. */
    readonly envId: string | null;
    readonly grantJti: string | null;
    readonly accessor: string;
  }
  /** The agent's token is unknown, expired or revoked. */
  | { readonly kind: "bad_token" }
  /** OpenBao cannot say: down, sealed, slow, or it refuses tenancy's own token. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** The part of OpenBao that tenancy needs. Neither call throws. */
export interface TokenLookup {
  /** Looks a bearer up; gives up when `signal` fires. */
  lookup(token: string, signal: AbortSignal): Promise<LookupResult>;
  /** Revokes the token with this accessor; true when OpenBao did. */
  revokeAccessor(accessor: string, signal: AbortSignal): Promise<boolean>;
  /** Frees what the lookup holds. */
  close(): void;
}

/** How OpenBao is reached: `https://host:port`, a PEM of extra roots, tenancy's own token. */
export interface BaoLookupOptions {
  readonly addr: string;
  readonly caPem?: string;
  /** Read before each call, so a renewed or replaced token is picked up. */
  readonly token: () => string;
}

const LookupReply = z.object({
  data: z.object({
    accessor: z.string(),
    meta: z.nullish(z.record(z.string(), z.string())),
  }),
});
const ErrorReply = z.object({ errors: z.array(z.string()) });

/**
 * A lookup over OpenBao's HTTP API, TLS verified against the system's roots plus `caPem`.
 * Throws `TypeError` for an address that is not https.
 */
export function baoTokenLookup(options: BaoLookupOptions): TokenLookup {
  if (new URL(options.addr).protocol !== "https:") {
    throw new TypeError(`OpenBao's address must be https: ${options.addr}`);
  }
  // No idle connections: a pooled one that resets would make fetch send the POST a second time.
  const client = Deno.createHttpClient({
    poolMaxIdlePerHost: 0,
    ...(options.caPem === undefined ? {} : { caCerts: [options.caPem] }),
  });
  const post = async (path: string, body: unknown, signal: AbortSignal): Promise<Answer> => {
    const response = await fetch(new URL(path, options.addr), {
      client,
      method: "POST",
      redirect: "manual",
      headers: {
        "X-Vault-Token": options.token(),
        "X-Vault-Request": "true",
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
      signal,
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    async lookup(token: string, signal: AbortSignal): Promise<LookupResult> {
      try {
        return classify(await post("/v1/auth/token/lookup", { token }, signal));
      } catch (error) {
        return { kind: "unavailable", reason: reasonOf(error, signal) };
      }
    },
    async revokeAccessor(accessor: string, signal: AbortSignal): Promise<boolean> {
      try {
        const answer = await post("/v1/auth/token/revoke-accessor", { accessor }, signal);
        return answer.status === 204 || answer.status === 200;
      } catch {
        return false;
      }
    },
    close: () => client.close(),
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function classify(answer: Answer): LookupResult {
  const json = parseJson(answer.text);
  if (answer.status === 200) {
    const reply = LookupReply.safeParse(json);
    if (!reply.success) {
      return { kind: "unavailable", reason: "OpenBao's answer has another shape" };
    }
    const { accessor, meta } = reply.data.data;
    return {
      kind: "valid",
      envId: meta?.["env_id"] ?? null,
      grantJti: meta?.["grant_jti"] ?? null,
      accessor,
    };
  }
  const errors = ErrorReply.safeParse(json);
  const said = errors.success ? errors.data.errors.join("; ").trim() : "";
  if (answer.status === 403 && said.includes("bad token")) return { kind: "bad_token" };
  return { kind: "unavailable", reason: `OpenBao answered ${answer.status} ${said}`.trim() };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "OpenBao did not answer in time";
  return `OpenBao cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
}
