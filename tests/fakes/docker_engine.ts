/**
 * The state of a Docker Engine in memory: containers, images, networks, volumes, and what the
 * Engine itself does with them. docker.ts answers HTTP from it, docker_compose.ts changes it.
 */

/** What a container of an image or command does when it is started. */
export type Behaviour =
  | { readonly kind: "runs"; readonly health: "healthy" | "unhealthy" | "starting" | null }
  | { readonly kind: "exits"; readonly code: number }
  | { readonly kind: "loops"; readonly code: number };

/** What is fixed when a container is made. */
export interface ContainerSpec {
  readonly project: string;
  readonly service: string;
  readonly name: string;
  readonly image: string;
  readonly imageId: string;
  readonly configHash: string;
  readonly number: number;
  readonly oneoff: boolean;
  readonly restartPolicy: string;
  /** As `docker inspect` shows it, or null. */
  readonly healthcheck: Readonly<Record<string, unknown>> | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly networks: readonly string[];
  readonly ports: readonly {
    readonly ip: string;
    readonly port: number;
    readonly protocol: string;
  }[];
  readonly behaviour: Behaviour;
}

/** A container and how it stands. */
export interface FakeContainer extends ContainerSpec {
  name: string;
  readonly id: string;
  state: "created" | "running" | "restarting" | "exited" | "paused" | "dead" | "removing";
  health: "healthy" | "unhealthy" | "starting" | null;
  exitCode: number;
  restarts: number;
  /** RFC 3339, or the year 1 when it never started. */
  startedAt: string;
  log: Uint8Array;
}

/** A network or volume with its labels. */
export interface FakeResource {
  readonly name: string;
  readonly project: string | null;
}

/** The Engine. Tests change it as an operator would, or let it misbehave. */
export class FakeEngine {
  readonly containers: FakeContainer[] = [];
  /** Reference → image on the box. */
  readonly images = new Map<string, { readonly id: string; readonly sizeBytes: number }>();
  /** Reference → image that a pull gives. */
  readonly registry = new Map<string, { readonly id: string; readonly sizeBytes: number }>();
  readonly networks: FakeResource[] = [];
  readonly volumes: FakeResource[] = [];
  /** Image reference → what its containers do; the usual one runs. */
  readonly behaviours = new Map<string, Behaviour>();
  #made = 0;

  constructor() {
    this.images.set("lab/bb:1", { id: `sha256:${"b".repeat(64)}`, sizeBytes: 2_000_000 });
  }

  /** Gives a container by id or name; throws when there is none: the test is wrong then. */
  find(idOrName: string): FakeContainer {
    const found = this.containers.find((each) => each.id === idOrName || each.name === idOrName);
    if (found === undefined) throw new Error(`the fake Engine has no container ${idOrName}`);
    return found;
  }

  /** Makes a container in state `created`. */
  create(spec: ContainerSpec): FakeContainer {
    this.#made += 1;
    const made: FakeContainer = {
      ...spec,
      id: this.#made.toString(16).padStart(64, "c"),
      state: "created",
      health: null,
      exitCode: 0,
      restarts: 0,
      startedAt: "0001-01-01T00:00:00Z",
      log: new Uint8Array(),
    };
    this.containers.push(made);
    return made;
  }

  /** Starts a container: it does at once what its behaviour says. */
  start(container: FakeContainer): void {
    this.#made += 1;
    container.startedAt = new Date(1_800_000_000_000 + this.#made).toISOString();
    const { behaviour } = container;
    container.health = behaviour.kind === "runs" ? behaviour.health : null;
    switch (behaviour.kind) {
      case "runs":
        container.state = "running";
        break;
      case "exits":
        container.state = "exited";
        container.exitCode = behaviour.code;
        break;
      case "loops":
        container.state = "restarting";
        container.exitCode = behaviour.code;
        container.restarts += 1;
        break;
    }
  }

  /** Stops a container as `docker stop` does; its process ends with the code. */
  stop(idOrName: string, code = 137): void {
    const container = this.find(idOrName);
    container.state = "exited";
    container.health = null;
    container.exitCode = code;
  }

  pause(idOrName: string): void {
    this.find(idOrName).state = "paused";
  }

  setHealth(idOrName: string, health: FakeContainer["health"]): void {
    this.find(idOrName).health = health;
  }

  remove(idOrName: string): void {
    this.containers.splice(this.containers.indexOf(this.find(idOrName)), 1);
  }

  /** The project's containers. */
  of(project: string): readonly FakeContainer[] {
    return this.containers.filter((each) => each.project === project);
  }
}

/** Gives the Engine's status text. */
export function statusText(container: FakeContainer): string {
  const health = container.health === "starting" ? "health: starting" : container.health;
  switch (container.state) {
    case "running":
      return health === null ? "Up 3 seconds" : `Up 3 seconds (${health})`;
    case "paused":
      return "Up 3 seconds (Paused)";
    case "restarting":
      return `Restarting (${container.exitCode}) 2 seconds ago`;
    case "exited":
      return `Exited (${container.exitCode}) 2 seconds ago`;
    case "created":
      return "Created";
    case "dead":
      return "Dead";
    case "removing":
      return "Removal In Progress";
  }
}
