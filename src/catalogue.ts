/**
 * The catalogue: every code the agent can end with, its kind, whether it counts as a failed apply
 * (kept in the state, paced, reported to tenancy), and what the operator does next.
 * Codes are API: they stand in logs, reports and other people's alerts. Never rename one.
 */

/** The class of a failure; decides the exit code. */
export type Kind = "usage" | "config" | "auth" | "refused" | "failed" | "temporary" | "bug";

interface Entry {
  readonly kind: Kind;
  readonly report: boolean;
  readonly hint: string;
}

const entry = (kind: Kind, report: boolean, hint: string): Entry => ({ kind, report, hint });
const usage = (hint: string): Entry => entry("usage", false, hint);
const config = (hint: string): Entry => entry("config", false, hint);
const auth = (hint: string): Entry => entry("auth", false, hint);
const refused = (hint: string): Entry => entry("refused", true, hint);
const failed = (hint: string): Entry => entry("failed", true, hint);
/** A person is needed, but there is no apply to report it under. */
const stopped = (hint: string): Entry => entry("failed", false, hint);
/** The next tick tries again by itself; nothing is counted against the bundle. */
const retry = (hint: string): Entry => entry("temporary", false, hint);
/** The world is at fault, yet trying each minute would make it worse: paced and reported. */
const paced = (hint: string): Entry => entry("temporary", true, hint);

const NEXT_TICK = "The next tick tries again. If it lasts, check the way there: proxy or tunneler.";
const REKIT = "Re-run the install kit on this box to get a fresh bootstrap grant.";
const NEW_BUNDLE = "Fix the bundle where it is rendered and publish it again.";

/** Code → kind, reported or not, hint. */
export const CATALOGUE = {
  // the command line, the config, the box itself
  NOT_APPLIED: stopped("Run a tick first: monky-deployd tick."),
  USAGE: usage("Run monky-deployd help."),
  CONFIG_INVALID: config("Edit the config file, then run monky-deployd config check."),
  CONFIG_MISSING: config("Write the config file, or name another with --config."),
  PERMISSION_MISSING: config("Start the agent with the flags of monky-deployd permissions."),
  LOCK_HELD: retry("Another tick is running: wait for it, or look at monky-deployd status."),
  STATE_ENV_MISMATCH: stopped("Give this env_id a state_dir of its own, or restore the config."),
  PROJECT_MISMATCH: stopped("Restore compose_project, or remove the old project first."),
  FILE_UNREADABLE: failed("Check owner and mode of the named file or folder."),
  FILE_UNWRITABLE: retry("Check owner, mode and free space of the named folder."),
  DISK_FULL: paced("Free disk space on the named file system."),
  CLOCK_OR_CERT: retry("Check this box's clock (timedatectl) and the server's certificate dates."),
  INTERRUPTED: retry("Nothing to do: the next tick continues where this one was stopped."),
  INTERNAL: { kind: "bug", report: true, hint: "Report this with the log of the tick." },

  // the way to the remotes
  TRANSPORT_UNMAPPED: config("Point tenancy.* and bao.addr at the two addresses the proxy maps."),
  TRANSPORT_UNSUPPORTED: config("Use a transport that this version knows."),
  TRANSPORT_NOT_INTERCEPTED: retry("Check that the tunneler runs and intercepts this name."),
  ANSWER_TOO_LARGE: failed("Look at the named server: its answer passed the limit."),
  TLS_REFUSED: failed("Check bao.ca and the name in the server's certificate."),
  ZITI_IDENTITY: retry("Check the identity file and its ACL: monky-deployd doctor."),
  ZITI_UNAVAILABLE: retry("Check the mesh: the controller or a router cannot be reached."),
  ZITI_SERVICE_UNAVAILABLE: retry("Check that this identity may dial the service."),
  ZITI_TIMEOUT: retry("Check the mesh: it did not answer in time."),
  ZITI_BRIDGE_FAILED: retry("Check sdk.node and sdk.bridge: monky-deployd doctor."),

  // tenancy
  AGENT_UNAUTHENTICATED: auth(REKIT),
  AGENT_ENV_MISMATCH: auth("Check env_id: tenancy knows this token under another one."),
  LEASE_RATE_LIMITED: retry("Nothing to do: tenancy gives the next lease within the hour."),
  LEGACY_LEASE_REFUSED: refused(
    "Upgrade tenancy: this agent takes no AppRole and unwraps nothing.",
  ),
  BUNDLE_NOT_FOUND: retry("Nothing to do: tenancy will name another bundle."),
  TENANCY_PROTOCOL: stopped("Compare tenancy's version with docs/PROTOCOL.md."),
  TENANCY_REFUSED: stopped("Look for the request id in tenancy's log."),
  TENANCY_REDIRECTED: stopped("Something between the agent and tenancy redirects: look there."),
  TENANCY_BAD_ANSWER: retry("Something other than tenancy answered: look at what is in between."),
  TENANCY_TIMEOUT: retry(NEXT_TICK),
  TENANCY_UNAVAILABLE: retry(NEXT_TICK),

  // grants and tokens
  GRANT_MISSING: auth(REKIT),
  GRANT_UNREADABLE: auth("Make the bootstrap file a private regular file (0600) of the agent."),
  GRANT_INVALID: auth(REKIT),
  GRANT_EXPIRED: auth(REKIT),
  GRANT_CONSUMED: auth(REKIT),
  GRANT_ENV_MISMATCH: auth("Use the install kit of this very box."),
  GRANT_NOT_YET_VALID: auth("Set this box's clock (timedatectl): the grant lies in its future."),
  BAO_LOGIN_REFUSED: auth("Check bao.auth_mount and bao.role, then re-run the install kit."),
  BAO_ENV_MISMATCH: auth("Look at the role's claim_mappings: the token is for another env_id."),
  BAO_TOKEN_DEAD: retry("Nothing to do: the next tick gets a new token."),

  // OpenBao
  BAO_UNAVAILABLE: retry(NEXT_TICK),
  BAO_SEALED: retry("Unseal OpenBao; the running services are untouched."),
  BAO_RATE_LIMITED: retry(NEXT_TICK),
  BAO_TIMEOUT: retry(NEXT_TICK),
  BAO_BAD_ANSWER: retry("Something other than OpenBao answered: look at what is in between."),
  BAO_REDIRECTED: retry("OpenBao's standby points elsewhere: look at its api_addr."),
  BAO_REFUSED: failed("Look for the request in OpenBao's audit log."),
  BAO_BAD_PATH: failed("Check bao.kv_mount: it must be a KV version 2 mount."),
  SECRET_NOT_FOUND: failed("Write the secret, or pin a version that exists."),
  SECRET_DELETED: failed("Undelete the pinned version, or pin another one."),
  SECRET_DESTROYED: failed("Pin another version: a destroyed one is gone."),
  SECRET_FORBIDDEN: failed("Check the see-env policy: the token may not read this path."),
  SECRET_KEY_MISSING: failed("Write the key into the secret, or correct key in the manifest."),
  SECRET_NOT_STRING: failed("Store the value as a string."),
  SECRET_VERSION_MISMATCH: failed("OpenBao answered with another version than the pinned one."),
  SECRET_TOO_LARGE: failed("Make the secret smaller: the environment cannot carry it."),

  // bundles
  BUNDLE_CORRUPT: failed("Publish the bundle again: its files do not add up to its sha."),
  BUNDLE_INVALID: failed(NEW_BUNDLE),
  BUNDLE_TOO_LARGE: failed("Make the bundle smaller: 16 MiB and 1,000 files are the limits."),
  BUNDLE_UNSIGNED: refused("Sign the bundle, or remove tenancy.bundle_keys from the config."),
  BUNDLE_SIGNATURE_INVALID: refused("Sign with a key that tenancy.bundle_keys lists."),
  BUNDLE_ENV_MISMATCH: refused("Publish the bundle of this env_id."),
  AGENT_TOO_OLD: refused("Upgrade monky-deployd on this box."),
  MANIFEST_INVALID: failed(NEW_BUNDLE),
  META_INVALID: failed(NEW_BUNDLE),
  TEMPLATE_INVALID: refused(NEW_BUNDLE),
  COMPOSE_FILE_INVALID: failed(NEW_BUNDLE),
  ROLLBACK_REFUSED: refused(
    'Publish it again with {"agent":{"allow_rollback":true}} in meta.json, or a newer bundle.',
  ),
  ENV_INCOMPLETE: refused("Add the named variables to the manifest, or remove the references."),
  ENV_RESERVED: refused("Rename the named variables: they would steer compose, not a service."),
  ENV_VALUE_INVALID: failed("Store a value that an environment variable can carry."),
  ENV_TOO_LARGE: failed("Hand large values to services as files, not as environment."),
  DISK_INSUFFICIENT: refused("Free space on docker.data_root, or lower disk_headroom_bytes."),
  POLICY_DENIED: refused("Change the bundle, or allow it by name under policy in the config."),
  BIND_MISSING: refused("Add the named file to the bundle, or bind a path of the host."),

  // docker
  DOCKER_UNAVAILABLE: retry("Start the Docker Engine, or correct docker.host."),
  DOCKER_PERMISSION: failed("Add the agent's user to the group docker."),
  DOCKER_BAD_ANSWER: retry("Look at the Docker Engine's log."),
  DOCKER_TIMEOUT: retry("Look at the Docker Engine: it accepted a request and said nothing."),
  DOCKER_TOO_OLD: failed("Upgrade the Docker Engine."),
  COMPOSE_MISSING: failed("Install the docker compose plugin, or set docker.compose."),
  SPAWN_FAILED: retry("Check the box's memory and its limit of processes (ulimit -u, TasksMax)."),
  COMPOSE_TOO_OLD: failed("Upgrade the docker compose plugin."),
  COMPOSE_INVALID: failed(NEW_BUNDLE),
  IMAGE_NOT_FOUND: failed("Push the image, or name one that exists."),
  IMAGE_PLATFORM: failed("Push the image for this box's platform."),
  REGISTRY_AUTH: failed("Renew the registry account that the manifest names."),
  REGISTRY_RATE_LIMITED: paced("Nothing to do: the agent waits and tries again."),
  REGISTRY_UNAVAILABLE: paced("Check that this box reaches the registry."),
  PULL_FAILED: failed("Read the last lines of the pull in the report."),
  UP_FAILED: failed("Read the last lines of compose in the report."),
  PORT_IN_USE: failed("Free the port on this box, or publish another one."),
  NETWORK_MISSING: failed("Create the external network on this box."),
  VOLUME_MISSING: failed("Create the external volume on this box."),
  NAME_CONFLICT: failed("Remove the container that holds the name."),
  UNHEALTHY: failed("Read the services' last lines in the report."),
  FLAPPING: failed("Find out why the services keep stopping: repairs are paused."),
  REMOVE_FAILED: failed("Look for what still uses the project's containers or networks."),
  STEP_TIMEOUT: failed("Raise the step's key under timeouts, or find out what hangs."),
} as const satisfies Readonly<Record<string, Entry>>;

/** A code of the catalogue. */
export type Code = keyof typeof CATALOGUE;
