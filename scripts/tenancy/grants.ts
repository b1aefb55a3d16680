// Grants and what becomes of them: which jti is good, which was superseded, whose token is refused.

import { signGrantClaims, type SigningKey } from "./keys.ts";
import type { Store } from "./store.ts";
import type { TokenLookup } from "./token_lookup.ts";
import type { Clock } from "./terms.ts";
import type { GrantOptions, IssuedGrant } from "./types.ts";

const DEFAULT_TTL_S = 3_600;

/** What the register works with. */
export interface GrantRegisterParts {
  readonly store: Store;
  readonly key: SigningKey;
  readonly issuer: string;
  readonly clock: Clock;
  readonly lookup: TokenLookup;
  /** Milliseconds that a revocation may take. */
  readonly timeoutMs: number;
}

/** Issues grants and remembers them by `jti`. */
export class GrantRegister {
  readonly #parts: GrantRegisterParts;

  /** Takes its parts; nothing happens yet. */
  constructor(parts: GrantRegisterParts) {
    this.#parts = parts;
  }

  /** Signs a grant and writes nothing down. */
  async sign(env: string, options: GrantOptions = {}): Promise<IssuedGrant & { expMs: number }> {
    const iat = Math.floor(this.#parts.clock.now() / 1000) + (options.clockOffsetS ?? 0);
    const claims: Record<string, unknown> = {
      iss: this.#parts.issuer,
      aud: "openbao-see-env",
      sub: `agent:${env}`,
      env_id: env,
      kind: "deploy-grant",
      jti: crypto.randomUUID(),
      iat,
      exp: iat + (options.ttlS ?? DEFAULT_TTL_S),
      ...options.claims,
    };
    const expMs = typeof claims["exp"] === "number" ? claims["exp"] * 1000 : iat * 1000;
    return {
      grant: await signGrantClaims(this.#parts.key, claims),
      jti: String(claims["jti"]),
      expiresAt: new Date(expMs).toISOString(),
      expMs,
    };
  }

  /** Signs a lease's grant and writes its `jti` down. */
  async issueLease(env: string, options?: GrantOptions): Promise<IssuedGrant> {
    return await this.#issue(env, "lease", options);
  }

  /** Supersedes what there is, revokes known tokens, and issues a bootstrap grant. */
  async reveal(env: string, options?: GrantOptions): Promise<IssuedGrant> {
    await this.#supersede(env);
    this.#parts.store.env(env).retired = false;
    return await this.#issue(env, "bootstrap", options);
  }

  /** Supersedes what there is, revokes known tokens, and refuses the environment from now on. */
  async retire(env: string): Promise<void> {
    this.#parts.store.env(env).retired = true;
    await this.#supersede(env);
  }

  /**
   * Whether a token that came from this grant is refused. A `jti` that this tenancy never issued is
   * let through: OpenBao vouches for the signature, and only supersession takes a grant back.
   */
  isRefused(env: string, jti: string | null): boolean {
    if (jti === null) return true;
    const state = this.#parts.store.find(env);
    if (state === null) return false;
    return state.retired || state.grants.some((grant) => grant.jti === jti && grant.superseded);
  }

  /** Remembers a token by its accessor, so that it can be revoked. True when it was news. */
  noteAccessor(env: string, accessor: string, jti: string): boolean {
    const { accessors } = this.#parts.store.env(env);
    if (accessors.some((known) => known.accessor === accessor)) return false;
    accessors.push({ accessor, jti });
    return true;
  }

  async #issue(
    env: string,
    kind: "bootstrap" | "lease",
    options?: GrantOptions,
  ): Promise<IssuedGrant> {
    const { expMs, ...issued } = await this.sign(env, options);
    this.#parts.store.env(env).grants.push({
      jti: issued.jti,
      kind,
      expiresAt: expMs,
      superseded: false,
    });
    await this.#parts.store.save(this.#parts.clock.now());
    return issued;
  }

  async #supersede(env: string): Promise<void> {
    const { store, clock, lookup, timeoutMs } = this.#parts;
    const state = store.env(env);
    for (const grant of state.grants) grant.superseded = true;
    // A token whose grant this tenancy did not issue is superseded as well.
    for (const { jti } of state.accessors) {
      if (!state.grants.some((grant) => grant.jti === jti)) {
        state.grants.push({ jti, kind: "lease", expiresAt: clock.now(), superseded: true });
      }
    }
    const accessors = state.accessors.splice(0);
    // Written first: a token is refused from here on, whether or not OpenBao can revoke it.
    await store.save(clock.now());
    await Promise.all(
      accessors.map(({ accessor }) =>
        withDeadline(timeoutMs, (signal) => lookup.revokeAccessor(accessor, signal))
      ),
    );
  }
}

/** Runs `work` with a signal that fires after `ms`; leaves no timer behind. */
export async function withDeadline<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), ms);
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}
