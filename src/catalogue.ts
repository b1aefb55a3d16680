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

const NEXT_TICK =
  "The next tick tries again. If it lasts, find where the way ends: monky-deployd doctor.";
const REKIT =
  "Reveal the install kit in tenancy again and run its install.sh here: it brings a fresh grant.";
const NEW_BUNDLE =
  "Correct the bundle where it is rendered (docs/PROTOCOL.md), and publish it again.";

/** Code → kind, reported or not, hint. */
export const CATALOGUE = {
  // the command line, the config, the box itself
  NOT_APPLIED: stopped("Run a tick first: monky-deployd tick."),
  USAGE: usage("Look at monky-deployd help."),
  CONFIG_INVALID: config("Edit the config file, then run monky-deployd config check."),
  CONFIG_NEEDS_RESTART: config("Restart the agent: systemctl restart monky-deployd-run.service."),
  CONFIG_MISSING: config(
    "Write /etc/monky-deployd/config.yaml, or name another file with --config.",
  ),
  PERMISSION_MISSING: config(
    "Start it as /usr/bin/monky-deployd, or with the flags of monky-deployd permissions.",
  ),
  LOCK_HELD: retry(
    "Wait for the other tick; which process holds the lock: lslocks -o PID,COMMAND,PATH.",
  ),
  STATE_ENV_MISMATCH: stopped(
    "Give this env_id a state_dir of its own in config.yaml, or restore its env_id.",
  ),
  PROJECT_MISMATCH: stopped(
    "Restore compose_project in config.yaml, or remove the old project: docker compose ls -a.",
  ),
  FILE_UNREADABLE: failed(
    "Check who you are, and the named path's owner and mode: id, ls -ld; then sudo, or chown.",
  ),
  FILE_UNWRITABLE: retry(
    "Check who you are, and the named path's owner, mode and space: id, ls -ld, df -h; then sudo.",
  ),
  DISK_FULL: paced("Free space on the named file system: df -h; for Docker's: docker system df."),
  CLOCK_OR_CERT: retry(
    "Check this box's clock: timedatectl; then the certificate's dates: monky-deployd doctor.",
  ),
  INTERRUPTED: retry(
    "Nothing to do: the next tick continues; monky-deployd status shows where it stood.",
  ),
  INTERNAL: {
    kind: "bug",
    report: true,
    hint: "Report this bug with the log of the tick: journalctl -u monky-deployd.service.",
  },

  // the way to the remotes
  TRANSPORT_UNMAPPED: config(
    "Correct tenancy.* and bao.addr in config.yaml: the proxy maps those two alone.",
  ),
  TRANSPORT_NOT_INTERCEPTED: retry(
    "Restart the tunneler: systemctl restart ziti-edge-tunnel.service.",
  ),
  ANSWER_TOO_LARGE: failed(
    "Look at the named server: its answer passed the limit; monky-deployd doctor asks it.",
  ),
  TLS_REFUSED: failed("Check bao.ca in config.yaml and the name in the server's certificate."),
  ZITI_IDENTITY: retry("Check the identity file and its ACL: monky-deployd doctor."),
  ZITI_UNAVAILABLE: retry("Check the way to the controller and the routers: monky-deployd doctor."),
  ZITI_SERVICE_UNAVAILABLE: retry(
    "Check that this identity may dial the service: monky-deployd doctor.",
  ),
  ZITI_TIMEOUT: retry("The mesh did not answer in time; if it lasts: monky-deployd doctor."),
  ZITI_BRIDGE_FAILED: retry("Check sdk.node and sdk.bridge: monky-deployd doctor."),

  // tenancy
  AGENT_UNAUTHENTICATED: auth(REKIT),
  AGENT_ENV_MISMATCH: auth(
    "Correct env_id in config.yaml: tenancy knows this token under another one.",
  ),
  LEASE_RATE_LIMITED: retry(
    "Nothing to do: tenancy gives the next lease within the hour; see monky-deployd status.",
  ),
  LEGACY_LEASE_REFUSED: refused(
    "Upgrade tenancy to docs/PROTOCOL.md: there is no AppRole, and nothing to unwrap.",
  ),
  BUNDLE_NOT_FOUND: retry(
    "Nothing to do: tenancy will name another bundle; monky-deployd plan asks it.",
  ),
  TENANCY_PROTOCOL: stopped("Compare tenancy's version with docs/PROTOCOL.md."),
  TENANCY_REFUSED: stopped(
    "Look for the request_id of journalctl -u monky-deployd.service in tenancy's log.",
  ),
  TENANCY_REDIRECTED: stopped(
    "Find what redirects between here and tenancy: monky-deployd doctor.",
  ),
  TENANCY_BAD_ANSWER: retry(
    "Something other than tenancy answered; find out what: monky-deployd doctor.",
  ),
  TENANCY_TIMEOUT: retry(NEXT_TICK),
  TENANCY_UNAVAILABLE: retry(NEXT_TICK),

  // grants and tokens
  GRANT_MISSING: auth(REKIT),
  GRANT_UNREADABLE: auth(
    "Make the bootstrap file private and the agent's own: chown, chmod 600; or re-run install.sh.",
  ),
  GRANT_INVALID: auth(REKIT),
  GRANT_EXPIRED: auth(REKIT),
  GRANT_CONSUMED: auth(REKIT),
  GRANT_ENV_MISMATCH: auth("Run the install.sh of this very box: the grant is for another one."),
  GRANT_NOT_YET_VALID: auth("Set this box's clock (timedatectl): the grant lies in its future."),
  BAO_LOGIN_REFUSED: auth(
    "Check bao.auth_mount and bao.role in config.yaml, then re-run install.sh.",
  ),
  BAO_ENV_MISMATCH: auth(
    "Look at the role's claim_mappings: bao read auth/jwt-tenancy/role/see-env.",
  ),
  BAO_TOKEN_DEAD: retry(
    "Nothing to do: the next tick gets a new token; if it lasts: monky-deployd doctor.",
  ),

  // OpenBao
  BAO_UNAVAILABLE: retry(NEXT_TICK),
  BAO_SEALED: retry("Unseal OpenBao on its host: bao operator unseal. The services here go on."),
  BAO_RATE_LIMITED: retry(NEXT_TICK),
  BAO_TIMEOUT: retry(NEXT_TICK),
  BAO_BAD_ANSWER: retry(
    "Something other than OpenBao answered; find out what: monky-deployd doctor.",
  ),
  BAO_REDIRECTED: retry(
    "OpenBao's standby points elsewhere: look at api_addr on its host (bao status).",
  ),
  BAO_REFUSED: failed("Look for the request in OpenBao's audit log: bao audit list."),
  BAO_BAD_PATH: failed(
    "Check bao.kv_mount in config.yaml: it must be a KV version 2 mount (bao secrets list).",
  ),
  SECRET_NOT_FOUND: failed(
    "Write it with bao kv put, or pin a version that exists in manifest.json.",
  ),
  SECRET_DELETED: failed(
    "Bring the version back with bao kv undelete, or pin another in manifest.json.",
  ),
  SECRET_DESTROYED: failed("Pin another version in manifest.json: a destroyed one is gone."),
  SECRET_FORBIDDEN: failed("Let the policy read this path: bao policy read see-env."),
  SECRET_KEY_MISSING: failed('Add the key with bao kv patch, or correct "key" in manifest.json.'),
  SECRET_NOT_STRING: failed("Store the value as a string: bao kv put with key=value."),
  SECRET_VERSION_MISMATCH: failed(
    "OpenBao gave another version than the pinned one: compare bao kv metadata get.",
  ),
  SECRET_TOO_LARGE: failed(
    "Make it smaller (bao kv put): an environment variable holds 128 KiB at most.",
  ),

  // bundles
  BUNDLE_CORRUPT: failed(
    "Publish it again; what its sha should be: sha256sum, as docs/PROTOCOL.md says.",
  ),
  BUNDLE_INVALID: failed(NEW_BUNDLE),
  BUNDLE_TOO_LARGE: failed(
    "Make the bundle smaller: docs/PROTOCOL.md has the limits, 16 MiB and 1,000 files.",
  ),
  BUNDLE_UNSIGNED: refused("Sign the bundle, or remove tenancy.bundle_keys from config.yaml."),
  BUNDLE_SIGNATURE_INVALID: refused(
    "Sign it with a key that tenancy.bundle_keys in config.yaml lists.",
  ),
  BUNDLE_ENV_MISMATCH: refused("Publish the bundle of this env_id: meta.json names another."),
  AGENT_TOO_OLD: refused("Upgrade the agent on this box: run install.sh with --version."),
  MANIFEST_INVALID: failed("Correct manifest.json where it is rendered, and publish again."),
  META_INVALID: failed("Correct meta.json where it is rendered, and publish again."),
  TEMPLATE_INVALID: refused("Correct .env.template where it is rendered, and publish again."),
  COMPOSE_FILE_INVALID: failed(
    "Correct docker-compose.yml where it is rendered, and publish again.",
  ),
  ROLLBACK_REFUSED: refused(
    'Publish it again with {"agent":{"allow_rollback":true}} in meta.json, or a newer bundle.',
  ),
  ENV_INCOMPLETE: refused("Add the named variables to manifest.json, or remove the references."),
  ENV_RESERVED: refused(
    "Rename them in .env.template, manifest.json and docker-compose.yml: they are compose's own.",
  ),
  ENV_VALUE_INVALID: failed("Store a value that an environment variable can carry: bao kv put."),
  ENV_TOO_LARGE: failed(
    "Hand large values to services as files: configs or secrets in docker-compose.yml.",
  ),
  DISK_INSUFFICIENT: refused(
    "Free space on docker.data_root: docker system df, then docker image prune -a.",
  ),
  POLICY_DENIED: refused(
    "Change docker-compose.yml, or allow it by name under policy in config.yaml.",
  ),
  BIND_MISSING: refused(
    "Bring the named file in the bundle, or correct the bind in docker-compose.yml.",
  ),

  // docker
  DOCKER_UNAVAILABLE: retry(
    "Start it: systemctl start docker.service; or correct docker.host in config.yaml.",
  ),
  DOCKER_PERMISSION: failed("Let the agent's user use Docker: usermod -aG docker monky-deployd."),
  DOCKER_BAD_ANSWER: retry("Look at the Engine's log: journalctl -u docker.service."),
  DOCKER_TIMEOUT: retry("It takes requests and answers none: systemctl restart docker.service."),
  DOCKER_TOO_OLD: failed("Upgrade the Docker Engine: apt-get install --only-upgrade docker-ce."),
  COMPOSE_MISSING: failed(
    "Install it: apt-get install docker-compose-plugin; or set docker.compose in config.yaml.",
  ),
  SPAWN_FAILED: retry(
    "Check memory and limits: free -m; systemctl show monky-deployd.service -p TasksMax.",
  ),
  COMPOSE_TOO_OLD: failed("Upgrade it: apt-get install --only-upgrade docker-compose-plugin."),
  COMPOSE_INVALID: failed(
    "Correct docker-compose.yml where it is rendered; docker compose config checks it.",
  ),
  IMAGE_NOT_FOUND: failed("Push the image, or name one that exists in docker-compose.yml."),
  IMAGE_PLATFORM: failed("Push the image for this box's platform: docker buildx build --platform."),
  REGISTRY_AUTH: failed(
    'Renew the account that "registries" in manifest.json names (bao kv put), or name one there.',
  ),
  REGISTRY_RATE_LIMITED: paced(
    "Nothing to do: it is tried again later; monky-deployd status says when.",
  ),
  REGISTRY_UNAVAILABLE: paced(
    "Check that this box reaches the registry: docker pull the named image.",
  ),
  PULL_FAILED: failed("Read the last lines of the pull: monky-deployd status."),
  UP_FAILED: failed("Read the last lines of compose: monky-deployd status."),
  PORT_IN_USE: failed("Find who holds the port (ss -ltnp) and free it, or publish another one."),
  NETWORK_MISSING: failed("Create it on this box: docker network create."),
  VOLUME_MISSING: failed("Create it on this box: docker volume create."),
  PROJECT_FOLDER_TAKEN: failed(
    "Move its files elsewhere, or set deploy_dir in config.yaml to a folder of the agent's own.",
  ),
  NAME_CONFLICT: failed("Remove what holds the name: docker ps -a, then docker rm."),
  UNHEALTHY: failed("Read the services' last lines: monky-deployd status."),
  FLAPPING: failed(
    "Find what stops or removes the named services: docker ps -a, docker logs, docker events.",
  ),
  REMOVE_FAILED: failed("See what still uses the project's networks: docker network inspect."),
  STEP_TIMEOUT: failed(
    "Raise the step's key under timeouts in config.yaml, or find out what hangs.",
  ),
} as const satisfies Readonly<Record<string, Entry>>;

/** A code of the catalogue. */
export type Code = keyof typeof CATALOGUE;
