/**
 * The resolved form of a bundle's compose files (`docker compose config --format json`) as far as
 * the agent's own judgements read it. Values only; compose_model_parse.ts makes them. Strings may
 * hold secrets: a model is never logged, written, or quoted in an error (SPEC §4).
 */

import type { Healthcheck } from "./containers.ts";

/** When the Engine starts a container again by itself. */
export type RestartPolicy = "no" | "always" | "on-failure" | "unless-stopped";

/** What must be true of another service before this one starts. */
export interface Dependency {
  readonly service: string;
  /** `service_started`, `service_healthy` or `service_completed_successfully`. */
  readonly condition: string;
  readonly required: boolean;
}

/** A port that a service publishes on the box. */
export interface PublishedPort {
  /** Host ports, first and last; null: the Engine picks one. */
  readonly published: { readonly first: number; readonly last: number } | null;
  readonly target: number;
  readonly protocol: string;
  /** Null: every address of the box. */
  readonly hostIp: string | null;
}

/** Something that a service mounts. */
export interface Mount {
  /** `bind`, `volume`, `tmpfs`, `npipe`, `cluster`, `image`. */
  readonly type: string;
  /** A bind's absolute path on the box, or a volume's key in the file; null: anonymous. */
  readonly source: string | null;
  readonly target: string;
  readonly readOnly: boolean;
  /** A missing bind source becomes a folder owned by root. */
  readonly createHostPath: boolean;
}

/** One service that the resolved files start. */
export interface ComposeService {
  readonly name: string;
  /** Null when the file names none. */
  readonly image: string | null;
  /** `container_name`; null: compose makes the names. */
  readonly containerName: string | null;
  /** `pull_policy: always`: the image is asked for although it is on the box. */
  readonly pullsAlways: boolean;
  /** `pull_policy: never`: the image has to be on the box, and no registry is asked for it. */
  readonly pullsNever: boolean;
  /** Containers that `up` makes: `deploy.replicas`, else `scale`, else 1. */
  readonly replicas: number;
  readonly restart: RestartPolicy;
  /** `restart: "no"` is written out, as for a job: to end with 0 is success. */
  readonly mayEnd: boolean;
  /** What the file says; null: nothing (the image may still have one), or disabled. */
  readonly healthcheck: Healthcheck | null;
  /** Whose command the healthcheck runs; `none`: the file switches it off. */
  readonly healthTest: "file" | "image" | "none";
  /** The file itself sets the healthcheck's `start_interval`. */
  readonly setsStartInterval: boolean;
  readonly dependsOn: readonly Dependency[];
  readonly ports: readonly PublishedPort[];
  readonly mounts: readonly Mount[];
  /** Keys of the file's `configs` that the service is given. */
  readonly configs: readonly string[];
  /** Keys of the file's `secrets` that the service is given. */
  readonly secrets: readonly string[];
  /** Services whose container ids this one holds: `network_mode`, `ipc`, `pid`, `volumes_from`. */
  readonly tiedTo: readonly string[];
  /** How long a stop may take; the Engine's default is 10,000. */
  readonly stopGraceMs: number;
}

/** A network or volume of the file. */
export interface NamedResource {
  /** The key in the file. */
  readonly key: string;
  /** The name that the Engine knows. */
  readonly name: string;
  /** Made by somebody else; it must exist before `up`. */
  readonly external: boolean;
}

/** What a network of the file asks for, as far as the Engine can be held to it. */
export interface NetworkResource extends NamedResource {
  /** Without a way out of the box. */
  readonly internal: boolean;
  /** Null: the file leaves it to the Engine. */
  readonly ipv6: boolean | null;
  /**
   * IPv4 networks in CIDR notation, since one of IPv6 can be written in many ways; none: the Engine
   * picks one.
   */
  readonly subnets: readonly string[];
  /** The driver's options. */
  readonly options: Readonly<Record<string, string>>;
}

/** Where the content of a config or secret comes from. */
export type ContentSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "environment"; readonly variable: string }
  /** `text` is resolved: it may hold secrets. */
  | { readonly kind: "content"; readonly text: string }
  | { readonly kind: "external"; readonly name: string };

/** A config or secret of the file. */
export interface ContentResource {
  readonly key: string;
  readonly source: ContentSource;
}

/** The resolved files. Every list is sorted by name or key. */
export interface ComposeModel {
  readonly project: string;
  /** Services of inactive profiles are not in it. */
  readonly services: readonly ComposeService[];
  readonly networks: readonly NetworkResource[];
  readonly volumes: readonly NamedResource[];
  readonly configs: readonly ContentResource[];
  readonly secrets: readonly ContentResource[];
}
