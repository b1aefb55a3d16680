/**
 * The table of compose's and the Engine's own words, and what each means here. Order matters: the
 * first line that fits decides. Texts as measured over compose 2.26 and 2.40, Engine 20.10 and 28
 * (facts: docker §5); where a text names something, the message names it too.
 */

import type { Code } from "../errors.ts";

/** One row. */
export interface Reading {
  readonly line: RegExp;
  readonly code: Code;
  readonly says: (match: RegExpExecArray) => string;
  /** The line is quoted behind what is said. */
  readonly quotes?: true;
  readonly hint?: string;
}

type Says = string | ((match: RegExpExecArray) => string);

function row(line: RegExp, code: Code, says: Says, rest: Pick<Reading, "hint"> = {}): Reading {
  return { line, code, says: typeof says === "string" ? (): string => says : says, ...rest };
}

function quoting(line: RegExp, code: Code, says: Says, rest: Pick<Reading, "hint"> = {}): Reading {
  return { ...row(line, code, says, rest), quotes: true };
}

const named = (what: string, rest: string): Says => (match) =>
  `${what} "${match[1] ?? "?"}" ${rest}`;

/** What can go wrong in any step, the first one included: no line here repeats a value. */
export const ANY_STEP: readonly Reading[] = [
  row(
    /is not a docker command|unknown command: docker compose|unknown shorthand flag: 'p' in -p|unknown flag: --project-name/,
    "COMPOSE_MISSING",
    "docker does not know the compose plugin",
  ),
  row(
    /^unknown (?:shorthand )?flag: (?:'.' in )?(-[\w-]+)|^unsupported --(?:progress|policy) value/,
    "COMPOSE_TOO_OLD",
    (match) => `the docker compose plugin does not know ${match[1] ?? "a value of --progress"}`,
  ),
  row(
    /permission denied while trying to connect to the (?:Docker daemon socket|docker API)/,
    "DOCKER_PERMISSION",
    "docker compose may not use the Docker Engine's socket",
  ),
  row(
    /^(?:unable to get image '[^']*': )?(?:Cannot connect to the Docker daemon|failed to connect to the docker API)/,
    "DOCKER_UNAVAILABLE",
    "docker compose does not reach the Docker Engine",
  ),
  row(
    /client version (\S+) is too new/,
    "DOCKER_TOO_OLD",
    named("the Docker Engine does not speak API version", "of docker compose"),
  ),
  row(
    /client version (\S+) is too old/,
    "COMPOSE_TOO_OLD",
    named("the Docker Engine no longer speaks API version", "of docker compose"),
  ),
  row(
    /^[Cc]ouldn't find env file/,
    "FILE_UNREADABLE",
    "docker compose does not find the rendered .env",
  ),
  row(
    /^failed to read .*?(?::? line (\d+))?:/,
    "ENV_VALUE_INVALID",
    (match) => `docker compose cannot read the rendered .env${lineOf(match)}`,
  ),
  row(
    /^(?:setenv: invalid argument|unexpected character .* in variable name|unterminated quoted value)/,
    "ENV_VALUE_INVALID",
    "docker compose cannot read the rendered .env",
  ),
  row(/no service selected/, "COMPOSE_INVALID", "the bundle has no service to start"),
  row(/no space left on device/, "DISK_FULL", "the disk of the Docker Engine is full"),
];

function lineOf(match: RegExpExecArray): string {
  return match[1] === undefined ? "" : `: line ${match[1]}`;
}

/** What the registry says. */
const REGISTRY: readonly Reading[] = [
  quoting(
    /manifest for (\S+) not found|manifest unknown|name unknown|repository \S+ not found/,
    "IMAGE_NOT_FOUND",
    (match) =>
      match[1] === undefined ? "an image does not exist" : `image "${match[1]}" does not exist`,
  ),
  quoting(
    /no matching manifest for (\S+)|does not match the specified platform/,
    "IMAGE_PLATFORM",
    "an image is not made for this box",
  ),
  quoting(
    /toomanyrequests|429 Too Many Requests/i,
    "REGISTRY_RATE_LIMITED",
    "the registry takes no more pulls for now",
  ),
  quoting(
    /no basic auth credentials|unauthorized|authentication required|pull access denied|access forbidden|authorization token has expired|(?:^|: )denied\b|no longer valid|401 Unauthorized|403 Forbidden/,
    "REGISTRY_AUTH",
    "the registry does not let this box pull",
  ),
];

/** What keeps the registry from answering; only said of it while pulling. */
const REGISTRY_DOWN = quoting(
  /received unexpected HTTP status: 5\d\d|dial tcp|no such host|connection re(?:fused|set)|i\/o timeout|context deadline exceeded|Client\.Timeout|TLS handshake|x509:|http: server gave HTTP response to HTTPS client|unexpected EOF|: EOF$/,
  "REGISTRY_UNAVAILABLE",
  "the registry does not answer as it should",
);

/** What an accepted file can fail with in pull, up or down. */
export const RUN_READINGS: readonly Reading[] = [
  quoting(
    /invalid reference format|repository name must be lowercase/,
    "COMPOSE_INVALID",
    "an image reference is malformed",
  ),
  row(
    /[Nn]o such image: (\S+?)(?::? No such image.*)?$/,
    "IMAGE_NOT_FOUND",
    named("image", "is not on this box"),
  ),
  quoting(
    /address already in use|port is already allocated|ports are not available/,
    "PORT_IN_USE",
    portSaid,
  ),
  row(
    /network (\S+) was found but has incorrect label/,
    "NAME_CONFLICT",
    named("network", "was made by somebody else"),
    { hint: "Remove it with docker network rm, or declare it external in docker-compose.yml." },
  ),
  row(
    /external volume "([^"]+)" not found/,
    "VOLUME_MISSING",
    named("external volume", "does not exist"),
  ),
  row(
    /network (\S+) (?:declared as external, but could not be found|not found)/,
    "NETWORK_MISSING",
    named("external network", "does not exist"),
  ),
  quoting(
    /[Pp]ool overlaps with other one/,
    "UP_FAILED",
    "a network's addresses overlap with another one's",
  ),
  quoting(
    /dependency failed to start: |didn't complete successfully: |dependency .* failed/,
    "UNHEALTHY",
    "a service that others wait for failed",
  ),
  row(
    /bind source path does not exist: (.+)$/,
    "BIND_MISSING",
    named("bind source", "does not exist"),
  ),
  row(
    /container name "\/?([^"]+)" is already in use/,
    "NAME_CONFLICT",
    named("container name", "is taken"),
  ),
  ...REGISTRY,
  REGISTRY_DOWN,
];

/** A port's number stands before the words of the kernel, or of the Engine; v6 has colons of its own. */
const HOST_PORT =
  /(?:Bind for|listen (?:tcp|udp)\d?|bind host port(?: for)?)\s+(?:\[[^\]\s]*\]|\S*?):(\d+)[:/\s]/;

function portSaid(match: RegExpExecArray): string {
  const port = HOST_PORT.exec(match.input)?.[1];
  return port === undefined ? "a published port is taken" : `published port ${port} is taken`;
}
