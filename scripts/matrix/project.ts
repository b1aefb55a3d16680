/**
 * The project that is deployed again and again while the agent is killed: one service that changes
 * with every release, one that never does, a one-shot that it waits for, a mounted file and a secret.
 */

import type { Box } from "../box/box.ts";
import type { BundleFiles } from "../tenancy/mod.ts";

/** The one secret's value: it must turn up nowhere but in `.env`. */
export const CANARY = "canary-5d1c7b0e";

/** How a release of the project differs from the one before. */
export interface ReleaseOptions {
  readonly revision: string;
  /** `web` ignores TERM for so many seconds, so that `up` can be met in its middle. */
  readonly graceS?: number;
  /** `web` ends at once with 3. */
  readonly crashes?: boolean;
}

/** Gives the bundle of one release. */
export function matrixBundle(options: ReleaseOptions): BundleFiles {
  const { revision, graceS, crashes = false } = options;
  const command = crashes
    ? `["sh", "-c", "echo going down; exit 3"]`
    : graceS === undefined
    ? `["sleep", "3600"]`
    : `["sh", "-c", "trap '' TERM; sleep 3600 & wait; sleep 3600"]`;
  return {
    "docker-compose.yml": `services:
  web:
    image: lab/bb:1
    init: ${graceS === undefined}
    command: ${command}
    stop_grace_period: ${graceS ?? 1}s
    environment: ["REVISION=${revision}", KEY]
    volumes: ["./site:/site:ro"]
  worker:
    image: lab/bb:1
    init: true
    command: ["sleep", "3600"]
    stop_grace_period: 1s
    depends_on: {job: {condition: service_completed_successfully}}
  job:
    image: lab/bb:1
    command: ["true"]
`,
    "site/index.html": `revision ${revision}\n`,
    "manifest.json": JSON.stringify({ entries: [{ var: "KEY", path: "key", version: 1 }] }),
  };
}

/** Publishes the release, makes it desired, and gives its sha. */
export async function publishRelease(box: Box, options: ReleaseOptions): Promise<string> {
  return (await box.tenancy.publish(box.env, matrixBundle(options))).sha;
}
