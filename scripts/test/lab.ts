import { down, ensureLab, sayOnStderr } from "../lab/mod.ts";

/**
 * Takes whether the lab outlives the run, and what to run with the environment in which tests
 * find the lab; gives what that gives. A lab that was there before stays in any case.
 *
 * @throws {Error} When the lab does not come up, or not down.
 */
export async function withLab<T>(
  keep: boolean,
  use: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const { lab, started } = await ensureLab();
  try {
    return await use({ MONKY_LAB_DIR: lab.dir });
  } finally {
    if (started && !keep) await down(sayOnStderr, { dir: lab.dir });
  }
}
