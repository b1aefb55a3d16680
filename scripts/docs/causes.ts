/**
 * What brings each code about, for docs/OPERATIONS.md: the one text that the catalogue does not hold.
 * Grouped as the page groups them; every code stands in exactly one group, or it does not compile.
 */

import type { Code } from "../../src/catalogue.ts";

/** Codes in the order of the page, each with its cause: a clause that may name files and keys. */
type Causes<Names extends Code> = Readonly<Record<Names, string>>;

const BOX = {
  USAGE: "The command line names a command, option or word that there is not.",
  CONFIG_MISSING: "There is no config file where it is looked for.",
  CONFIG_INVALID: "The config has problems, each named by its key; or `bao.ca` is no certificate.",
  CONFIG_NEEDS_RESTART:
    "SIGHUP met a config that asks for other permissions than `run` was started with.",
  PERMISSION_MISSING: "The process was started without a permission that its config needs.",
  LOCK_HELD: "Another tick holds `<state_dir>/lock`; a killed one frees it.",
  STATE_ENV_MISMATCH: "`state_dir` holds the state or the session of another `env_id`.",
  PROJECT_MISMATCH: "`compose_project` was changed while the old project still runs.",
  NOT_APPLIED: "`render --names` was asked before anything was applied.",
  FILE_UNREADABLE: "A file or folder that the agent needs is missing, foreign or of another kind.",
  FILE_UNWRITABLE: "The agent may not write in a folder of its own.",
  DISK_FULL: "A write met a full file system or a quota, in the agent or in Docker.",
  INTERRUPTED: "SIGTERM, SIGINT or a stop of the unit ended the tick.",
  INTERNAL: "Something that was not foreseen: a bug, or a broken installation.",
} as const satisfies Partial<Causes<Code>>;

const WAY = {
  TRANSPORT_UNMAPPED: "A name was to be dialled that the proxy maps no port to.",
  TRANSPORT_NOT_INTERCEPTED:
    "A name resolves outside of `system.ip_range`: the tunneler does not intercept it.",
  ZITI_IDENTITY: "The identity file is missing, unreadable, expired, or not accepted.",
  ZITI_UNAVAILABLE: "The controller or a router of the mesh cannot be reached.",
  ZITI_SERVICE_UNAVAILABLE: "The service is not there, has no host, or may not be dialled.",
  ZITI_TIMEOUT: "Login or dial did not end in time.",
  ZITI_BRIDGE_FAILED: "Node, the bridge or its addon is missing, or the bridge died.",
  TLS_REFUSED: "The server's certificate has an unknown issuer or another name.",
  CLOCK_OR_CERT: "A certificate is out of date, or this box's clock is.",
  ANSWER_TOO_LARGE: "A reply passed its limit; reading stopped there.",
} as const satisfies Partial<Causes<Code>>;

const TENANCY = {
  TENANCY_UNAVAILABLE: "Refused, reset, cut off, or a 5xx.",
  TENANCY_TIMEOUT: "No whole answer within `tenancy.timeout_s`.",
  TENANCY_BAD_ANSWER: "What answered does not speak JSON over HTTP/1.1: a portal, a proxy's page.",
  TENANCY_REDIRECTED: "Tenancy, or something before it, redirects; that is never followed.",
  TENANCY_PROTOCOL: "A reply lacks a field, or has it in another type.",
  TENANCY_REFUSED: "Tenancy refused a call with a code that the agent does not know.",
  AGENT_UNAUTHENTICATED:
    "401: the kit was revealed again elsewhere, or the backend retired. The token is deleted; a " +
    "fresh grant on disk is used at once.",
  AGENT_ENV_MISMATCH: "403, or an answer for another `env_id`.",
  LEASE_RATE_LIMITED: "The hour's five leases are used up, and no token works.",
  LEGACY_LEASE_REFUSED: "The lease carries AppRole fields or a wrapping token: an old tenancy.",
  BUNDLE_NOT_FOUND: "Tenancy does not have the bundle it named.",
} as const satisfies Partial<Causes<Code>>;

const GRANTS = {
  GRANT_MISSING: "No token that works, and no bootstrap grant at `bootstrap_file`.",
  GRANT_UNREADABLE: "The bootstrap file is a link, another user's, or larger than a grant.",
  GRANT_INVALID: "The bootstrap file holds no grant: cut off, or something else.",
  GRANT_EXPIRED: "The grant's hour is over. Both clocks were compared first.",
  GRANT_CONSUMED: "This grant was used before.",
  GRANT_ENV_MISMATCH: "The grant is of another `env_id`.",
  GRANT_NOT_YET_VALID: "The grant begins in the future of OpenBao's clock.",
  BAO_LOGIN_REFUSED: "OpenBao does not take the grant: mount, role, key, issuer or audience.",
  BAO_ENV_MISMATCH: "The login gave a token of another `env_id`; it is not used.",
  BAO_TOKEN_DEAD: "The token died in the middle of an apply, and there was no lease for another.",
} as const satisfies Partial<Causes<Code>>;

const OPENBAO = {
  BAO_UNAVAILABLE: "Refused, reset, a standby without leader, or a 5xx.",
  BAO_SEALED: "OpenBao is sealed.",
  BAO_RATE_LIMITED: "A quota refused reads until the step's time was over.",
  BAO_TIMEOUT: "No whole answer within `bao.timeout_s`.",
  BAO_BAD_ANSWER: "What answered is not OpenBao: a portal, a proxy's page, another port.",
  BAO_REDIRECTED: "A redirect; following it would carry the token to another host.",
  BAO_REFUSED: "OpenBao refused a request in a way that no other code names.",
  BAO_BAD_PATH: "No KV version 2 below `bao.kv_mount`, or a path that is none.",
  SECRET_NOT_FOUND: "A variable's path, or its pinned version, does not exist.",
  SECRET_DELETED: "The pinned version was deleted.",
  SECRET_DESTROYED: "The pinned version was destroyed.",
  SECRET_FORBIDDEN: "The token works and may not read the path.",
  SECRET_KEY_MISSING: "The secret has no such key.",
  SECRET_NOT_STRING: "The value is a number, a list, or anything but text.",
  SECRET_VERSION_MISMATCH: "OpenBao answered with another version than the one asked for.",
  SECRET_TOO_LARGE: "The value is larger than an environment variable can be.",
} as const satisfies Partial<Causes<Code>>;

const BUNDLES = {
  BUNDLE_CORRUPT: "The files do not add up to the sha.",
  BUNDLE_INVALID: "No `docker-compose.yml`, or a path that leaves, repeats or is reserved.",
  BUNDLE_TOO_LARGE: "More than 16 MiB, or than 1,000 files.",
  BUNDLE_UNSIGNED: "`tenancy.bundle_keys` is set and the bundle has no signature.",
  BUNDLE_SIGNATURE_INVALID: "The signature is of no configured key, or of another bundle or box.",
  BUNDLE_ENV_MISMATCH: "`meta.json` names another `env_id`.",
  AGENT_TOO_OLD: "`meta.json` asks for a newer agent.",
  ROLLBACK_REFUSED: "The bundle is older than what was applied, and does not say that it may be.",
  MANIFEST_INVALID: "`manifest.json` is no JSON, or breaks a rule that is named.",
  META_INVALID: "`meta.json` is no JSON, or breaks a rule that is named.",
  TEMPLATE_INVALID: "`.env.template` holds a reference of a form that there is not.",
  COMPOSE_FILE_INVALID: "`docker-compose.yml` is no YAML mapping, or nested without end.",
  COMPOSE_INVALID: "docker compose does not accept the files, or they start nothing.",
  ENV_INCOMPLETE: "A `${VAR}` has no value to come from; all are named.",
  ENV_RESERVED: "A variable would steer compose, docker, git or the loader, or is compose's own.",
  ENV_VALUE_INVALID: "A value holds NUL or is no Unicode.",
  ENV_TOO_LARGE: "A variable passes 128 KiB, or all of them what a program can be given.",
  POLICY_DENIED: "The bundle asks for what this box does not allow; each finding is named.",
  BIND_MISSING:
    "A service mounts a file that the bundle does not bring; docker would make a folder.",
  DISK_INSUFFICIENT: "The missing images and the headroom do not fit on `docker.data_root`.",
} as const satisfies Partial<Causes<Code>>;

const DOCKER = {
  DOCKER_UNAVAILABLE: "Nobody listens on `docker.host`.",
  DOCKER_PERMISSION: "The agent's user may not open Docker's socket.",
  DOCKER_BAD_ANSWER: "The Engine answered with an error, or in a shape that is not its own.",
  DOCKER_TIMEOUT: "The Engine took a request and did not answer within 20 s.",
  DOCKER_TOO_OLD: "The Engine is older than 20.10, or than what compose or the files need.",
  COMPOSE_MISSING: "There is no compose plugin in docker's plugin folders or at `docker.compose`.",
  COMPOSE_TOO_OLD: "The compose plugin is older than 2.22.",
  SPAWN_FAILED:
    "A program could not be started or was killed: memory, processes, or it is replaced.",
  IMAGE_NOT_FOUND: "The registry has no such image or tag.",
  IMAGE_PLATFORM: "The image is not made for this box's processor.",
  REGISTRY_AUTH: "The registry does not take the account, or there is none for it.",
  REGISTRY_RATE_LIMITED: "The registry's quota of pulls is used up.",
  REGISTRY_UNAVAILABLE: "The registry does not answer as it should.",
  PULL_FAILED: "A pull failed in a way that no other code names.",
  PORT_IN_USE: "A published port is taken.",
  NETWORK_MISSING: "An external network is not on this box.",
  VOLUME_MISSING: "An external volume is not on this box.",
  PROJECT_FOLDER_TAKEN: "`project` below `deploy_dir` holds somebody else's files.",
  NAME_CONFLICT: "Another container, or a network made otherwise or by others, has the name.",
  UP_FAILED: "compose up failed in a way that no other code names.",
  UNHEALTHY: "A service ended, kept restarting, or did not become healthy in time.",
  FLAPPING: "Five repairs within 300 s did not last.",
  REMOVE_FAILED: "Something could not be removed: a network that others use.",
  STEP_TIMEOUT: "A step took longer than its key under `timeouts`.",
} as const satisfies Partial<Causes<Code>>;

/** One part of the page. */
export interface CauseGroup {
  readonly title: string;
  readonly causes: Readonly<Partial<Record<Code, string>>>;
}

const ALL: Causes<Code> = {
  ...BOX,
  ...WAY,
  ...TENANCY,
  ...GRANTS,
  ...OPENBAO,
  ...BUNDLES,
  ...DOCKER,
};

/** How many codes have a cause: a code in two groups is counted once. */
export const CAUSED_CODES: readonly string[] = Object.keys(ALL);

/** The groups, in the order of the page. */
export const CAUSE_GROUPS: readonly CauseGroup[] = [
  { title: "The box, its config, its state", causes: BOX },
  { title: "The way to tenancy and OpenBao", causes: WAY },
  { title: "Tenancy", causes: TENANCY },
  { title: "Grants and tokens", causes: GRANTS },
  { title: "OpenBao and secrets", causes: OPENBAO },
  { title: "The bundle", causes: BUNDLES },
  { title: "Docker, compose, the registry", causes: DOCKER },
];

/** Codes after which the project's containers may differ from what they were before. */
export const MAY_HAVE_TOUCHED: ReadonlySet<Code> = new Set<Code>([
  "DISK_FULL",
  "INTERRUPTED",
  "INTERNAL",
  "DOCKER_UNAVAILABLE",
  "DOCKER_BAD_ANSWER",
  "DOCKER_TIMEOUT",
  "SPAWN_FAILED",
  "PORT_IN_USE",
  "NAME_CONFLICT",
  "UP_FAILED",
  "UNHEALTHY",
  "FLAPPING",
  "REMOVE_FAILED",
  "STEP_TIMEOUT",
]);
