/**
 * SHA-256 through WebCrypto, which is in the runtime's snapshot: no `node:` import is paid for
 * (facts: deno §8).
 */

import type { Digest } from "../ports.ts";

/** Gives the real digest: lower-case hex, 64 characters. */
export function createDigest(): Digest {
  return {
    async sha256(bytes: Uint8Array): Promise<string> {
      const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
      return sum.toHex();
    },
  };
}
