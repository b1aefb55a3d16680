/**
 * A bundle and the files of it that have a meaning (SPEC §3), as values. bundle_parse.ts makes them
 * from what tenancy sent; nothing here decides.
 */

/** One file of a bundle. */
export interface BundleFile {
  /** Relative, normalised, no `..`. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly mode: 0o644 | 0o755;
}

/** One variable of the manifest and where its value lies in OpenBao. */
export interface ManifestEntry {
  readonly var: string;
  /** Below `<kv_mount>/data/<env_id>/<kv_prefix>/`; no empty, `.` or `..` segments. */
  readonly path: string;
  readonly key: string;
  /** Null: the newest version. */
  readonly version: number | null;
}

/** An account of a private registry; both variables stand in the manifest's entries. */
export interface RegistryAccount {
  readonly host: string;
  readonly usernameVar: string;
  readonly passwordVar: string;
}

/** `manifest.json`. */
export interface Manifest {
  readonly entries: readonly ManifestEntry[];
  readonly registries: readonly RegistryAccount[];
}

/** `meta.json`. */
export interface BundleMeta {
  readonly envId: string | null;
  readonly serial: number | null;
  readonly createdAt: string | null;
  /** `sizeBytes` is the unpacked size. */
  readonly images: readonly { readonly ref: string; readonly sizeBytes: number }[];
  readonly allowRollback: boolean;
  readonly minVersion: string | null;
}

/** A bundle whose files add up to its sha and pass the limits of SPEC §3. */
export interface Bundle {
  readonly sha: string;
  readonly serial: number | null;
  readonly signature: string | null;
  /** Sorted by path bytes. */
  readonly files: readonly BundleFile[];
  readonly manifest: Manifest;
  readonly meta: BundleMeta;
  /** The text of `.env.template`; null when the bundle has none. */
  readonly template: string | null;
  /** The text of `docker-compose.yml`. */
  readonly compose: string;
}

/** The version that a variable's secret was read at. */
export interface SecretVersion {
  readonly var: string;
  readonly version: number;
}
