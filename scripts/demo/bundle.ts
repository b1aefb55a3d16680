/**
 * The demo's product: a web service of busybox that answers with the digest of its secret, so that
 * a request proves which value it runs with and the value itself never crosses the wire.
 */

import type { BundleFiles } from "../tenancy/mod.ts";

/** What one release is made of. */
export interface ReleaseParts {
  /** Version of the web service, which its answer carries. */
  readonly web: string;
  /** Version of the secret that the manifest pins. */
  readonly apiKeyVersion: number;
  /** Adds a worker that ends with an error, quoting its secret as careless programs do. */
  readonly withCrashingWorker?: boolean;
  /** Names that the template uses and nobody defines. */
  readonly undefinedNames?: readonly string[];
}

/** Where the service answers. */
export const ANSWER_PATH = "/cgi-bin/whoami";

/** Takes the parts; gives the bundle's files: path → content. */
export function releaseFiles(parts: ReleaseParts): BundleFiles {
  return {
    "docker-compose.yml": composeFile(parts),
    ".env.template": template(parts),
    "manifest.json": JSON.stringify({
      entries: [{ var: "API_KEY", path: "api_key", version: parts.apiKeyVersion }],
    }),
    "www/cgi-bin/whoami": { content: WHOAMI, mode: "0755" },
    ...(parts.withCrashingWorker === true ? { "worker/start.sh": CRASHING_WORKER } : {}),
  };
}

// `127.0.0.1::8080`: the Engine chooses a free port, so that the demo meets no other program's.
const WEB = `services:
  web:
    image: lab/bb:1
    command: ["httpd", "-f", "-p", "8080", "-h", "/www"]
    init: true
    restart: unless-stopped
    stop_grace_period: 1s
    ports: ["127.0.0.1::8080"]
    environment:
      API_KEY: \${API_KEY}
      WEB_VERSION: \${WEB_VERSION}
    volumes:
      - ./www:/www:ro
      - data:/data
    healthcheck:
      test: ["CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080${ANSWER_PATH}"]
      interval: 1s
      timeout: 5s
      retries: 5
`;

const WORKER = `  worker:
    image: lab/bb:1
    command: ["sh", "/worker/start.sh"]
    restart: unless-stopped
    environment:
      API_KEY: \${API_KEY}
    volumes:
      - ./worker:/worker:ro
`;

const VOLUMES = `volumes:
  data: {}
`;

const WHOAMI = `#!/bin/sh
digest=$(printf %s "$API_KEY" | sha256sum | cut -d ' ' -f 1)
printf 'Content-Type: application/json\\r\\n\\r\\n'
printf '{"web":"%s","api_key_sha256":"%s"}\\n' "$WEB_VERSION" "$digest"
`;

const CRASHING_WORKER = `echo "worker 0.9 starts"
printf 'no queue answers at amqp://jobs:%s@queue:5672/\\n' "$API_KEY"
exit 3
`;

function composeFile({ withCrashingWorker }: ReleaseParts): string {
  return `${WEB}${withCrashingWorker === true ? WORKER : ""}${VOLUMES}`;
}

function template({ web, undefinedNames = [] }: ReleaseParts): string {
  const lines = [
    "# Filled in on the box; the values come from OpenBao.",
    `WEB_VERSION=${web}`,
    "API_KEY=${API_KEY}",
    ...undefinedNames.map((name) => `${name}=\${${name}}`),
  ];
  return `${lines.join("\n")}\n`;
}
