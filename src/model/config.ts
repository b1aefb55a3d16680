/**
 * The effective config (SPEC §6) as a value. src/config/schema.ts is the table that makes it; the
 * spelling here is the code's own, converted once in src/config/parse.ts.
 */

/** How the remotes are reached. */
export type Transport = "sdk" | "proxy" | "system";

/** A host and port to dial. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Deadlines of the steps in seconds. */
export interface Timeouts {
  readonly fetchS: number;
  readonly secretsS: number;
  readonly validateS: number;
  readonly pullS: number;
  readonly upS: number;
  readonly downS: number;
}

/** What a bundle may ask of the box beyond the default (SPEC §9). */
export interface Policy {
  readonly bindAllow: readonly string[];
  readonly registries: readonly string[];
  readonly requireDigest: boolean;
  /** Names of findings that the host allows, e.g. `privileged`, `network_mode:host`. */
  readonly allow: readonly string[];
}

/** Everything the agent is told by its config file, defaults filled in. */
export interface Config {
  readonly envId: string;
  readonly site: string;
  readonly transport: Transport;
  readonly identity: string;
  readonly bootstrapFile: string;
  readonly intervalS: number;
  readonly laptopMode: boolean;
  readonly tenancy: {
    readonly service: string;
    readonly host: string;
    readonly port: number;
    readonly scheme: "http" | "https";
    readonly proxyAddr: HostPort;
    readonly timeoutS: number;
    /** PEM public keys, files already read. */
    readonly bundleKeys: readonly string[];
  };
  readonly bao: {
    readonly service: string;
    readonly host: string;
    readonly port: number;
    readonly proxyAddr: HostPort;
    readonly authMount: string;
    readonly role: string;
    readonly kvMount: string;
    readonly kvPrefix: string;
    /** Path of a PEM file, or null: the system's roots alone. */
    readonly ca: string | null;
    readonly renewBelowS: number;
    readonly timeoutS: number;
  };
  readonly deployDir: string;
  readonly composeProject: string;
  readonly stateDir: string;
  readonly docker: {
    /** Path of the compose plugin, or null: looked for in docker's plugin folders. */
    readonly compose: string | null;
    /** Path of the Engine's unix socket. */
    readonly socket: string;
    readonly dataRoot: string;
    readonly diskFactor: number;
    readonly diskHeadroomBytes: number;
  };
  readonly volumesOnAbsent: "keep" | "remove";
  readonly onFailure: "leave" | "restore";
  readonly releasesKept: number;
  readonly timeouts: Timeouts;
  readonly healthTimeoutS: number;
  readonly settleS: number;
  readonly system: { readonly ipRange: string };
  readonly sdk: { readonly node: string; readonly bridge: string };
  readonly policy: Policy;
  /** Path of a node_exporter textfile, or null. */
  readonly metricsTextfile: string | null;
}
