// What tenancy remembers of each environment, in memory or in a folder that a restart finds again:
// `state.json` and one file for each bundle. It holds no token and no grant, only their names.

import * as z from "zod/mini";

const Grant = z.object({
  jti: z.string(),
  kind: z.enum(["bootstrap", "lease"]),
  /** `exp`, milliseconds since 1970. */
  expiresAt: z.number(),
  superseded: z.boolean(),
});
const Env = z.object({
  desired: z.discriminatedUnion("state", [
    z.object({ state: z.literal("unset") }),
    z.object({ state: z.literal("absent") }),
    z.object({ state: z.literal("present"), sha: z.string() }),
  ]),
  /** sha → serial; null for a bundle without one. */
  serials: z.record(z.string(), z.nullable(z.number())),
  grants: z.array(Grant),
  accessors: z.array(z.object({ accessor: z.string(), jti: z.string() })),
  /** Refused until the next reveal. */
  retired: z.boolean(),
  /** When the last leases were granted, in milliseconds of the lease clock. */
  leases: z.array(z.number()),
  /** Reports that were accepted; the newest last. */
  reportIds: z.array(z.string()),
});
const State = z.object({ format: z.literal(1), envs: z.record(z.string(), Env) });

/** What tenancy knows of one environment. */
export type EnvState = z.infer<typeof Env>;

const MAX_REPORT_IDS = 1_000;
const MAX_ACCESSORS = 100;
/** A token lives 30 days at most, so what its grant's `jti` says is needed no longer. */
const KEEP_GRANTS_MS = 31 * 24 * 3600 * 1000;

/** The environments and their bundles. Change an `EnvState` in place, then `save()`. */
export class Store {
  readonly #folder: string | null;
  readonly #envs = new Map<string, EnvState>();
  readonly #bundles = new Map<string, string>();
  #saving: Promise<void> = Promise.resolve();

  private constructor(folder: string | null) {
    this.#folder = folder;
  }

  /**
   * Opens the store of a folder (made when missing, 0700), or one in memory for null.
   * Throws `Error` when the folder's state cannot be read.
   */
  static async open(folder: string | null): Promise<Store> {
    const store = new Store(folder);
    if (folder === null) return store;
    await Deno.mkdir(`${folder}/bundles`, { recursive: true, mode: 0o700 });
    try {
      const state = State.parse(JSON.parse(await Deno.readTextFile(`${folder}/state.json`)));
      for (const [env, known] of Object.entries(state.envs)) store.#envs.set(env, known);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) {
        throw new Error(`${folder}/state.json cannot be read: move it away to start afresh`, {
          cause: error,
        });
      }
    }
    return store;
  }

  /** The environments, sorted. */
  names(): string[] {
    return [...this.#envs.keys()].sort();
  }

  /** What is known of an environment; null for one that nobody named yet. */
  find(env: string): EnvState | null {
    return this.#envs.get(env) ?? null;
  }

  /** What is known of an environment, which is made when it is new. */
  env(env: string): EnvState {
    const known = this.#envs.get(env) ?? {
      desired: { state: "unset" },
      serials: {},
      grants: [],
      accessors: [],
      retired: false,
      leases: [],
      reportIds: [],
    };
    this.#envs.set(env, known);
    return known;
  }

  /** Keeps the reply of the bundle call for `sha`, byte for byte. */
  async putBundle(env: string, sha: string, body: string): Promise<void> {
    if (this.#folder === null) {
      this.#bundles.set(`${env}/${sha}`, body);
      return;
    }
    await Deno.mkdir(`${this.#folder}/bundles/${env}`, { recursive: true, mode: 0o700 });
    await replaceFile(`${this.#folder}/bundles/${env}/${sha}.json`, body);
  }

  /** The reply of the bundle call for `sha`; null when the environment has no such bundle. */
  async getBundle(env: string, sha: string): Promise<string | null> {
    if (this.find(env)?.serials[sha] === undefined) return null;
    if (this.#folder === null) return this.#bundles.get(`${env}/${sha}`) ?? null;
    return await Deno.readTextFile(`${this.#folder}/bundles/${env}/${sha}.json`);
  }

  /** Writes the state down, one write after the other; drops what is too old to matter. */
  save(nowMs: number): Promise<void> {
    for (const state of this.#envs.values()) {
      state.grants = state.grants.filter((grant) => grant.expiresAt > nowMs - KEEP_GRANTS_MS);
      state.reportIds.splice(0, state.reportIds.length - MAX_REPORT_IDS);
      state.accessors.splice(0, state.accessors.length - MAX_ACCESSORS);
    }
    if (this.#folder === null) return Promise.resolve();
    const path = `${this.#folder}/state.json`;
    // The text is made inside the chain, so that the last write always holds the latest state.
    const write = (): Promise<void> =>
      replaceFile(
        path,
        JSON.stringify({ format: 1, envs: Object.fromEntries(this.#envs) }, null, 1),
      );
    this.#saving = this.#saving.then(write, write);
    return this.#saving;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(`${path}.new`, text, { mode: 0o600 });
  await Deno.rename(`${path}.new`, path);
}
