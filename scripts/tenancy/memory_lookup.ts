// A stand-in for OpenBao's lookup, for tests that need no OpenBao.

import type { LookupResult, TokenLookup } from "./token_lookup.ts";

/** A lookup in memory. Every test makes its own. */
export interface MemoryLookup extends TokenLookup {
  /** Makes a token of `env` (null: of none) from the grant `jti` (null: from none), and gives it. */
  mint(env: string | null, jti: string | null): string;
  /** Forgets a token, as a revocation does. */
  revoke(token: string): void;
  /** While set, every lookup gives this; `null` ends that. `"hang"`: it waits for its deadline. */
  answerWith(result: LookupResult | "hang" | null): void;
  /** Accessors that were revoked through `revokeAccessor`. */
  readonly revokedAccessors: readonly string[];
  /** Whether `close()` was called. */
  readonly closed: boolean;
}

/** A lookup that knows no token yet. */
export function memoryLookup(): MemoryLookup {
  const tokens = new Map<string, LookupResult & { kind: "valid" }>();
  const revokedAccessors: string[] = [];
  let fixed: LookupResult | "hang" | null = null;
  let closed = false;
  return {
    revokedAccessors,
    get closed(): boolean {
      return closed;
    },
    mint(envId: string | null, grantJti: string | null): string {
      const token = `s.${crypto.randomUUID().replaceAll("-", "")}`;
      tokens.set(token, { kind: "valid", envId, grantJti, accessor: crypto.randomUUID() });
      return token;
    },
    revoke: (token) => void tokens.delete(token),
    answerWith(result: LookupResult | "hang" | null): void {
      fixed = result;
    },
    async lookup(token: string, signal: AbortSignal): Promise<LookupResult> {
      if (fixed === "hang") {
        await new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => resolve(), { once: true })
        );
        return { kind: "unavailable", reason: "OpenBao did not answer in time" };
      }
      return fixed ?? tokens.get(token) ?? { kind: "bad_token" };
    },
    revokeAccessor(accessor: string): Promise<boolean> {
      revokedAccessors.push(accessor);
      for (const [token, known] of tokens) if (known.accessor === accessor) tokens.delete(token);
      return Promise.resolve(true);
    },
    close(): void {
      closed = true;
    },
  };
}
