/**
 * Code → the command that mends it on this very box, or the file to edit (SPEC §8). What the
 * catalogue's hint says in general is said here with this box's paths and names. Pure.
 */

import type { AgentError, Code } from "../../errors.ts";
import type { Config } from "../../model/config.ts";
import { aclCommands } from "./judge_identity.ts";
import { type Place, shellWords } from "./place.ts";

type Fix = (place: Place, error: AgentError) => string;

/** The kit's own files are named: `bootstrap_file` is where the grant is put, and is not there. */
const rekit: Fix = ({ config }) =>
  "reveal the kit in tenancy, then: " + shellWords(
    ...["sh", "install.sh", "--env", config.envId, "--site", config.site],
    ...(config.laptopMode ? ["--laptop"] : []),
    ...["--token-file", "deploy.token", "--bootstrap-file", "bootstrap.jwt"],
  ) + " (the kit's files)";

const otherEnv: Fix = ({ config, configPath }) =>
  `set env_id or state_dir in ${configPath}; ${config.stateDir} is another env's: ` +
  shellWords("grep", "-o", '"env_id": *"[^"]*"', `${config.stateDir}/state.json`);

const way: Fix = (place, error) => wayCommand(place, error);

const tls: Fix = ({ config, configPath }) =>
  `put the CA of ${config.bao.host} at bao.ca in ${configPath}; look at what it shows: ` +
  shellWords("openssl", "s_client", "-connect", tlsAddress(config), "-servername", config.bao.host);

const file: Fix = ({ config, agentUid }, { data }) => {
  const path = typeof data["path"] === "string" ? data["path"] : config.stateDir;
  const owner = agentUid === null ? "" : `; ${shellWords("chown", "-R", `${agentUid}:`, path)}`;
  return shellWords("ls", "-ld", path) + owner;
};

const baoLog: Fix = ({ config }) =>
  `on OpenBao's host (${config.bao.host}): bao status; journalctl -u openbao`;

const tenancyLog: Fix = ({ config }, { data }) =>
  `look in tenancy's log at ${config.tenancy.host}` +
  (data["request_id"] === undefined ? "" : ` for request ${data["request_id"]}`) +
  "; this box waits: monky-deployd status";

const FIXES: Readonly<Partial<Record<Code, Fix>>> = {
  CONFIG_INVALID: ({ configPath }) =>
    `edit ${configPath}, then ${
      shellWords("monky-deployd", "config", "check", "--config", configPath)
    }`,
  PERMISSION_MISSING: ({ configPath }) =>
    "start it as /usr/bin/monky-deployd, or with the flags of " +
    shellWords("monky-deployd", "permissions", "--of", "doctor", "--config", configPath),
  STATE_ENV_MISMATCH: otherEnv,
  PROJECT_MISMATCH: ({ configPath, config }) =>
    `restore compose_project in ${configPath}, or remove the old project: ` +
    shellWords("docker", "compose", "ls", "-a") + `; see ${config.stateDir}/state.json`,
  FILE_UNREADABLE: file,
  FILE_UNWRITABLE: file,
  ZITI_IDENTITY: aclCommands,
  ZITI_UNAVAILABLE: way,
  ZITI_SERVICE_UNAVAILABLE: way,
  ZITI_TIMEOUT: way,
  ZITI_BRIDGE_FAILED: ({ config, configPath }) =>
    `${shellWords(config.sdk.node, "--version")}; ${
      shellWords("ls", "-l", config.sdk.bridge)
    }; paths: sdk.node and sdk.bridge in ${configPath}`,
  TRANSPORT_UNMAPPED: ({ configPath }) => `edit tenancy.* and bao.addr in ${configPath}`,
  TRANSPORT_NOT_INTERCEPTED: way,
  TENANCY_UNAVAILABLE: (place, error) =>
    isOfServer(error) ? tenancyLog(place, error) : way(place, error),
  TENANCY_TIMEOUT: way,
  TENANCY_REFUSED: (place, error) => tenancyLog(place, error),
  TENANCY_PROTOCOL: (place, error) => tenancyLog(place, error),
  BAO_UNAVAILABLE: (place, error) => isOfServer(error) ? baoLog(place, error) : way(place, error),
  BAO_TIMEOUT: way,
  TLS_REFUSED: tls,
  CLOCK_OR_CERT: (place, error) => `timedatectl status; then ${tls(place, error)}`,
  BAO_SEALED: ({ config }) => `on OpenBao's host (${config.bao.host}): bao operator unseal`,
  BAO_BAD_ANSWER: way,
  BAO_REDIRECTED: baoLog,
  BAO_REFUSED: baoLog,
  BAO_RATE_LIMITED: baoLog,
  GRANT_MISSING: rekit,
  GRANT_INVALID: rekit,
  GRANT_EXPIRED: rekit,
  GRANT_CONSUMED: rekit,
  GRANT_ENV_MISMATCH: rekit,
  GRANT_NOT_YET_VALID: () => "timedatectl set-ntp true",
  GRANT_UNREADABLE: ({ config, agentUid }) =>
    `${shellWords("chmod", "600", config.bootstrapFile)}; ${
      shellWords("chown", `${agentUid ?? "monky-deployd"}:`, config.bootstrapFile)
    }`,
  BAO_LOGIN_REFUSED: ({ config, configPath }) =>
    `correct bao.auth_mount and bao.role in ${configPath}; what OpenBao has: ` +
    shellWords("bao", "read", `auth/${config.bao.authMount}/role/${config.bao.role}`),
  BAO_ENV_MISMATCH: rekit,
  BAO_TOKEN_DEAD: rekit,
  BAO_BAD_PATH: ({ configPath }) => `correct bao.kv_mount in ${configPath}: bao secrets list`,
  SECRET_FORBIDDEN: ({ config, configPath }) =>
    `${
      shellWords("bao", "policy", "read", config.bao.role)
    } must give read on ${config.bao.kvMount}` +
    `/data/${config.envId}/${config.bao.kvPrefix}/*, or correct bao.kv_mount in ${configPath}`,
  AGENT_UNAUTHENTICATED: rekit,
  AGENT_ENV_MISMATCH: ({ configPath }) => `correct env_id in ${configPath}, or re-run install.sh`,
  TENANCY_BAD_ANSWER: way,
  TENANCY_REDIRECTED: way,
  DOCKER_UNAVAILABLE: ({ config, configPath }) =>
    `systemctl start docker.service; if its socket is not ${config.docker.socket}, set docker.host ` +
    `in ${configPath}`,
  DOCKER_PERMISSION: () =>
    "usermod -aG docker monky-deployd; systemctl restart monky-deployd.timer",
  DOCKER_BAD_ANSWER: () => "journalctl -u docker.service -n 50",
  DOCKER_TIMEOUT: () => "systemctl restart docker.service",
  DOCKER_TOO_OLD: () => "apt-get install --only-upgrade docker-ce",
  COMPOSE_MISSING: ({ configPath }) =>
    `apt-get install docker-compose-plugin, or set docker.compose in ${configPath}`,
  COMPOSE_TOO_OLD: () => "apt-get install --only-upgrade docker-compose-plugin",
  DISK_INSUFFICIENT: () => "docker system df; docker image prune -a",
};

/** Takes an error and the box; gives what to type, or which file to edit. */
export function fixOf(error: AgentError, place: Place): string {
  const fix = FIXES[error.code];
  return fix === undefined ? `${error.hint} The config is ${place.configPath}.` : fix(place, error);
}

/** Gives the fix of a config that cannot be read, when nothing else is known of the box. */
export function fixOfConfig(error: AgentError, configPath: string): string {
  const check = shellWords("monky-deployd", "config", "check", "--config", configPath);
  switch (error.code) {
    case "CONFIG_MISSING":
      return `cp /usr/share/doc/monky-deployd/config.example.yaml ${
        shellWords(configPath)
      }; ${check}`;
    case "CONFIG_INVALID":
      return `edit ${configPath}, then ${check}`;
    default:
      return `${shellWords("ls", "-l", configPath)}; ${check}`;
  }
}

function wayCommand({ config, configPath }: Place, { code }: AgentError): string {
  switch (config.transport) {
    case "proxy": {
      const remote = code.startsWith("BAO_") ? "bao" : "tenancy";
      const { host, port } = config[remote].proxyAddr;
      return "systemctl restart monky-deployd-proxy.service; journalctl -u " +
        "monky-deployd-proxy.service -n 50; without systemd: start what listens at " +
        `${host}:${port} (${remote}.proxy_addr in ${configPath})`;
    }
    case "system":
      return "systemctl restart ziti-edge-tunnel.service; " +
        `${
          shellWords("getent", "ahosts", config.tenancy.host)
        }; without systemd: start the tunneler`;
    case "sdk": {
      const check = config.sdk.bridge.replace(/[^/]*$/, "check.cjs");
      const services = [config.tenancy.service, config.bao.service];
      return shellWords(config.sdk.node, check, config.identity, ...services);
    }
  }
}

function tlsAddress({ transport, bao }: Config): string {
  const { host, port } = transport === "proxy" ? bao.proxyAddr : bao;
  return `${host}:${port}`;
}

/** A status came back, so the way is good. */
function isOfServer({ data, message }: AgentError): boolean {
  return data["status"] !== undefined || /initialised/.test(message);
}
