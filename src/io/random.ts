/**
 * Chance from the runtime's cryptographic source. Nothing here is a secret: UUIDs name requests,
 * reports and temporary files; fractions spread waits.
 */

import type { Random } from "../ports.ts";

/** Gives the real source of chance. */
export function createRandom(): Random {
  return {
    uuid: (): string => crypto.randomUUID(),
    fraction: (): number => {
      const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
      return word / 2 ** 32;
    },
  };
}
