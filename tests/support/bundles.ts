/** Small bundles over the lab's own image, as values. */

import type { BundleFiles } from "../../scripts/tenancy/mod.ts";

/** One variable of a manifest. */
export interface Entry {
  readonly var: string;
  readonly path: string;
  readonly key?: string;
  readonly version?: number;
}

/** A service that stays up: it stops at once when told to. */
export const LONG_RUNNING = `command: ["sleep", "3600"]
    init: true
    stop_grace_period: 1s`;

/** What a bundle of one service `web` is made of. */
export interface WebBundle {
  /** Changes the service's configuration, and so the release. */
  readonly revision?: string;
  readonly entries?: readonly Entry[];
  readonly template?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** More files by path. */
  readonly files?: BundleFiles;
}

/** Gives a bundle with one service that runs and shows its environment. */
export function webBundle(options: WebBundle = {}): BundleFiles {
  const entries = options.entries ?? [];
  const names = entries.map((entry) => `\n      - ${entry.var}`).join("");
  return {
    "docker-compose.yml": `services:
  web:
    image: lab/bb:1
    ${LONG_RUNNING}
    environment:
      - REVISION=${options.revision ?? "1"}${names}
`,
    ...(entries.length === 0 ? {} : { "manifest.json": JSON.stringify({ entries }) }),
    ...(options.template === undefined ? {} : { ".env.template": options.template }),
    ...(options.meta === undefined ? {} : { "meta.json": JSON.stringify(options.meta) }),
    ...options.files,
  };
}
