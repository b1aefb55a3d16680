/**
 * What the Docker Engine says of the project's containers, and the list that is kept with a release
 * ("as released", SPEC §4): values only, no judgement.
 */

/** One container of the project as the Engine's list shows it (facts: docker, list of containers). */
export interface Container {
  readonly id: string;
  readonly name: string;
  readonly service: string;
  /** `created`, `running`, `restarting`, `exited`, `paused`, `removing`, `dead`. */
  readonly state: string;
  /** Null when the container has no healthcheck, or its state hides it. */
  readonly health: "healthy" | "unhealthy" | "starting" | null;
  /** From the status text of an exited or restarting container, else null. */
  readonly exitCode: number | null;
  readonly image: string;
  readonly imageId: string;
  readonly configHash: string;
  /** Made by `compose run`: never counts for health or drift. */
  readonly oneoff: boolean;
}

/** A healthcheck's times as the Engine runs them, in milliseconds; retries count failures in a row. */
export interface Healthcheck {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly startPeriodMs: number;
  /** Between looks while the start period lasts; Engines before 25 do not know it. */
  readonly startIntervalMs: number;
}

/** What the Engine tells of one container when it is asked for it alone. */
export interface ContainerDetail {
  readonly id: string;
  readonly service: string;
  readonly state: string;
  readonly health: "healthy" | "unhealthy" | "starting" | null;
  readonly exitCode: number;
  readonly restarts: number;
  readonly oomKilled: boolean;
  /** Epoch milliseconds; null when the container never started. */
  readonly startedAt: number | null;
  /** `no`, `always`, `on-failure`, `unless-stopped`. */
  readonly restartPolicy: string;
  /** The healthcheck in force, the image's own included; null: none, or disabled. */
  readonly healthcheck: Healthcheck | null;
}

/** One service of a release as it ran when the release was healthy. */
export interface ReleasedService {
  readonly count: number;
  readonly configHashes: readonly string[];
  readonly imageIds: readonly string[];
  /** The service had exited with 0 and may stay so. */
  readonly oneShot: boolean;
}

/** Service name → how it ran when the release was healthy. */
export type Released = Readonly<Record<string, ReleasedService>>;

/** A service as check-ins and reports name it (SPEC §3). */
export interface ServiceStatus {
  readonly name: string;
  readonly state: string;
  readonly health: string | null;
  readonly image: string;
  readonly restarts?: number;
}
