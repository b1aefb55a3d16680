// The development tenancy: protocol v1 to the letter on a loopback port, with a switch for every
// fault an agent may meet. Used in-process by tests, and by `deno task tenancy` on a laptop.

import { type CallParts, desiredOf, MAX_WAIT_S } from "./calls.ts";
import { Faults } from "./faults.ts";
import { GrantRegister } from "./grants.ts";
import { readSigningKey, type SigningKey } from "./keys.ts";
import { LeaseBudget } from "./lease_budget.ts";
import { Publisher } from "./publisher.ts";
import { TenancyRecord } from "./record.ts";
import { serveConnection, type ServeParts } from "./serve.ts";
import { Signals } from "./signals.ts";
import { listen } from "./socket.ts";
import { Store } from "./store.ts";
import type { Clock } from "./terms.ts";
import type { GrantOptions, TenancyHandle, TenancyOptions } from "./types.ts";
import { isEnvId, isSha } from "./wire.ts";

export { BundleRefused } from "./bundle.ts";
export { FAULT_KINDS, type FaultKind, Faults, type FaultSpec } from "./faults.ts";
export { tokenName } from "./record.ts";
export type {
  RecordedCheckin,
  RecordedLease,
  RecordedReport,
  RecordedRequest,
  TenancyRecord,
  Violation,
} from "./record.ts";
export { memoryLookup } from "./memory_lookup.ts";
export type { MemoryLookup } from "./memory_lookup.ts";
export { type BaoLookupOptions, baoTokenLookup } from "./token_lookup.ts";
export type { LookupResult, TokenLookup } from "./token_lookup.ts";
export type { Call, Clock } from "./terms.ts";
export type {
  BundleFile,
  BundleFiles,
  Desired,
  GrantOptions,
  IssuedGrant,
  Published,
  PublishOptions,
  SignOptions,
  TenancyHandle,
  TenancyOptions,
} from "./types.ts";

/** The `Host` that an agent sends by default. */
export const DEFAULT_HOST = "monky.tenancy.deploy:443";
/** `iss` of grants by default. */
export const DEFAULT_ISSUER = "https://tenancy.test";

const SYSTEM_CLOCK: Clock = { now: () => Date.now() };

/**
 * Starts a tenancy on 127.0.0.1. Whoever starts it closes it: `close()` leaves nothing open.
 * Throws a jose error for a key that is no P-256 PKCS#8 PEM, `Error` for a port that is taken or a
 * folder whose state cannot be read; the lookup is closed then, too.
 */
export async function startTenancy(options: TenancyOptions): Promise<TenancyHandle> {
  try {
    return await start(options);
  } catch (error) {
    options.lookup.close();
    throw error;
  }
}

async function start(options: TenancyOptions): Promise<TenancyHandle> {
  const { lookup } = options;
  const clock = options.clock ?? SYSTEM_CLOCK;
  const issuer = options.issuer ?? DEFAULT_ISSUER;
  const expectedHost = options.expectedHost ?? DEFAULT_HOST;
  const timeoutMs = options.lookupTimeoutMs ?? 5_000;
  const key = await readSigningKey(options.keyPem);
  const bundleKey = options.bundleKeyPem === undefined
    ? key
    : await readSigningKey(options.bundleKeyPem);
  const store = await Store.open(options.folder ?? null);
  let leaseGrants: GrantOptions | undefined;
  const calls: CallParts = {
    store,
    grants: new GrantRegister({ store, key, issuer, clock, lookup, timeoutMs }),
    budget: new LeaseBudget(store, options.leaseClock ?? clock, options.leasesPerHour ?? 5),
    record: new TenancyRecord(clock),
    clock,
    changes: new Signals(),
    intervalS: options.intervalS ?? null,
    maxWaitS: options.maxWaitS ?? MAX_WAIT_S,
    leaseGrants: () => leaseGrants,
  };
  const serve: ServeParts = {
    ...calls,
    lookup,
    lookupTimeoutMs: timeoutMs,
    expectedHost,
    faults: new Faults(),
    onRequest: options.onRequest ?? (() => {}),
  };
  const listener = await listen(
    options.port ?? 0,
    (connection) => serveConnection(serve, connection),
  );
  return {
    hostname: "127.0.0.1",
    port: listener.port,
    expectedHost,
    issuer,
    grantPublicKeyPem: key.publicPem,
    bundlePublicKeyPem: bundleKey.publicPem,
    faults: serve.faults,
    record: serve.record,
    ...environmentMethods(calls, bundleKey),
    leaseGrants: (grantOptions) => {
      leaseGrants = grantOptions;
    },
    async close(): Promise<void> {
      await listener.close();
      await store.save(clock.now());
      lookup.close();
    },
  };
}

/** The part of the handle that is about one environment each. */
function environmentMethods(
  { store, grants, clock, changes }: CallParts,
  bundleKey: SigningKey,
): Pick<
  TenancyHandle,
  | "publish"
  | "publishRaw"
  | "setDesired"
  | "setAbsent"
  | "desired"
  | "envs"
  | "issueBootstrapGrant"
  | "signGrant"
  | "retire"
> {
  const publisher = new Publisher({ store, key: bundleKey, clock, changes });
  return {
    publish: async (env, source, options) =>
      await publisher.publish(checkedEnv(env), source, options),
    publishRaw: async (env, sha, body, serial) => {
      // The sha names a file of the folder, so it is checked even where nothing else is.
      if (!isSha(sha)) throw new TypeError("a bundle is named by 64 lower-case hex digits");
      await publisher.publishRaw(checkedEnv(env), sha, body, serial ?? null);
    },
    setDesired: async (env, sha) =>
      await publisher.desire(checkedEnv(env), { state: "present", sha }),
    setAbsent: async (env) => await publisher.desire(checkedEnv(env), { state: "absent" }),
    desired: (env) => desiredOf(store, env),
    envs: () => store.names(),
    issueBootstrapGrant: async (env, options) => await grants.reveal(checkedEnv(env), options),
    signGrant: async (env, options) => {
      const { expMs: _expMs, ...issued } = await grants.sign(env, options);
      return issued;
    },
    retire: async (env) => await grants.retire(checkedEnv(env)),
  };
}

function checkedEnv(env: string): string {
  if (!isEnvId(env)) throw new TypeError(`an env_id is 1 to 63 of [a-z0-9-]: ${env}`);
  return env;
}
