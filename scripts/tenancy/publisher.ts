// Publishing: packs, numbers and signs bundles, and says which one an environment should run.

import { packBundle, readBundleDir } from "./bundle.ts";
import { readSigningKey, signBundlePayload, type SigningKey } from "./keys.ts";
import type { Signals } from "./signals.ts";
import type { EnvState, Store } from "./store.ts";
import type { Clock } from "./terms.ts";
import type { BundleFiles, Published, PublishOptions, SignOptions } from "./types.ts";

/** What publishing works with. */
export interface PublisherParts {
  readonly store: Store;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly changes: Signals;
}

/** Changes what environments should run. */
export class Publisher {
  readonly #parts: PublisherParts;

  /** Takes its parts; nothing happens yet. */
  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /** See `TenancyHandle.publish`. */
  async publish(
    env: string,
    source: BundleFiles | string,
    options: PublishOptions = {},
  ): Promise<Published> {
    const given = typeof source === "string" ? await readBundleDir(source) : source;
    const { sha, files } = await packBundle(given, options.unchecked);
    const state = this.#parts.store.env(env);
    const serial = chooseSerial(state, options.serial);
    const sign = options.sign === true ? {} : options.sign || null;
    const signature = sign === null ? null : await this.#sign(env, sha, serial, sign);
    const extras = {
      ...(serial === null ? {} : { serial }),
      ...(signature === null ? {} : { signature }),
    };
    await this.#keep(env, sha, JSON.stringify({ sha, ...extras, files }), serial);
    if (options.desired !== false) await this.desire(env, { state: "present", sha });
    return { sha, ...extras };
  }

  /** See `TenancyHandle.publishRaw`. */
  async publishRaw(env: string, sha: string, body: string, serial: number | null): Promise<void> {
    await this.#keep(env, sha, body, serial);
    await this.desire(env, { state: "present", sha });
  }

  /** Says what the environment should run. Throws `Error` for a bundle that it does not have. */
  async desire(env: string, desired: EnvState["desired"]): Promise<void> {
    const state = this.#parts.store.env(env);
    if (desired.state === "present" && state.serials[desired.sha] === undefined) {
      throw new Error(`${env} has no bundle ${desired.sha}: publish it first`);
    }
    state.desired = desired;
    await this.#parts.store.save(this.#parts.clock.now());
    this.#parts.changes.fire(env);
  }

  async #keep(env: string, sha: string, body: string, serial: number | null): Promise<void> {
    await this.#parts.store.putBundle(env, sha, body);
    this.#parts.store.env(env).serials[sha] = serial;
    await this.#parts.store.save(this.#parts.clock.now());
  }

  async #sign(
    env: string,
    sha: string,
    serial: number | null,
    options: SignOptions,
  ): Promise<string> {
    if (options.raw !== undefined) return options.raw;
    const key = options.keyPem === undefined
      ? this.#parts.key
      : await readSigningKey(options.keyPem);
    const iat = Math.floor(this.#parts.clock.now() / 1000);
    return await signBundlePayload(key, { sha, env_id: env, serial, iat, ...options.claims });
  }
}

function chooseSerial(state: EnvState, asked: number | "none" | undefined): number | null {
  if (asked === "none") return null;
  if (asked === undefined) {
    return 1 + Math.max(0, ...Object.values(state.serials).map((serial) => serial ?? 0));
  }
  if (!Number.isSafeInteger(asked) || asked < 0) {
    throw new TypeError(`a serial is a whole number, 0 or more: ${asked}`);
  }
  return asked;
}
