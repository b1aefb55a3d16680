/** What the scenes share: the box, its secrets so far, and the releases that were published. */

import type { Box } from "../box/box.ts";
import { adminRequest } from "../lab/mod.ts";
import type { Published } from "../tenancy/mod.ts";
import { releaseFiles, type ReleaseParts } from "./bundle.ts";

/** One box's life so far. */
export class Story {
  /** The box that all scenes play on. */
  readonly box: Box;
  /** Every value that the secret has had, the newest last. */
  readonly values: string[] = [];
  /** Every token that was seen on the box. */
  readonly tokens = new Set<string>();
  readonly #releases: Published[] = [];

  /** @param box a fresh box */
  constructor(box: Box) {
    this.box = box;
  }

  /**
   * Writes a new version of the secret into OpenBao: random, and full of what shells, YAML and
   * compose take for their own.
   *
   * @returns the version's number
   */
  async rotateSecret(): Promise<number> {
    const random = crypto.getRandomValues(new Uint8Array(12)).toHex();
    const value = `demo-${random} "$HOME" \${X} 'é' #1 \\n`;
    this.values.push(value);
    return await this.box.secret("api_key", { value });
  }

  /** Publishes a signed release and makes it what the box should run. */
  async publish(parts: ReleaseParts): Promise<Published> {
    const published = await this.box.tenancy.publish(this.box.env, releaseFiles(parts), {
      sign: true,
    });
    this.#releases.push(published);
    return published;
  }

  /** Takes the number of a release, from 1; gives it. Throws RangeError when there is none. */
  release(serial: number): Published {
    const found = this.#releases.find((each) => each.serial === serial);
    if (found === undefined) throw new RangeError(`release ${serial} was never published`);
    return found;
  }

  /** Takes a version; gives the SHA-256, in hex, of the value that OpenBao holds under it. */
  async secretDigest(version: number): Promise<string> {
    const path = `monky/data/${this.box.env}/see/api_key?version=${version}`;
    const { status, body } = await adminRequest(this.box.bao, "GET", path);
    const data = body.data?.["data"] as { readonly value?: unknown } | undefined;
    if (typeof data?.value !== "string") {
      throw new Error(`OpenBao gives no version ${version} of api_key: status ${status}`);
    }
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(data.value));
    return new Uint8Array(digest).toHex();
  }
}

/** Takes a release; gives the few characters by which people and the agent's log name it. */
export function nameOf({ sha, serial }: Published): string {
  return `release ${serial} (${sha.slice(0, 12)})`;
}
