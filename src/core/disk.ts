/**
 * The disk rule of SPEC §4: is there room for the images that a release still has to fetch? Asked
 * before any pull, because a pull that fills the disk fails at its end and throws all of it away.
 */

import { AgentError } from "../errors.ts";

/** What the rule looks at. Sizes are unpacked, in bytes. */
export interface DiskFacts {
  /** `meta.images`; a reference that stands twice counts once. */
  readonly images: readonly { readonly ref: string; readonly sizeBytes: number }[];
  /** References that are on the box already. */
  readonly present: ReadonlySet<string>;
  readonly freeBytes: number;
  /** `docker.disk_factor`: packed and unpacked layers are on the disk at once. */
  readonly factor: number;
  readonly headroomBytes: number;
  /** Named in the message. */
  readonly dataRoot: string;
}

/** Takes the facts; gives the bytes that must be exceeded by what is free. */
export function neededBytes(facts: DiskFacts): number {
  const missing = new Map(
    facts.images.filter(({ ref }) => !facts.present.has(ref))
      .map(({ ref, sizeBytes }) => [ref, sizeBytes]),
  );
  const sum = [...missing.values()].reduce((total, size) => total + size, 0);
  return Math.ceil(facts.factor * sum) + facts.headroomBytes;
}

/** Takes the facts; gives the refusal DISK_INSUFFICIENT with both numbers, or null. */
export function refuseForDisk(facts: DiskFacts): AgentError | null {
  const needed = neededBytes(facts);
  if (facts.freeBytes > needed) return null;
  const message = `${facts.freeBytes} bytes are free on "${facts.dataRoot}", ` +
    `more than ${needed} are needed`;
  return new AgentError("DISK_INSUFFICIENT", message, {
    data: { freeBytes: facts.freeBytes, neededBytes: needed, dataRoot: facts.dataRoot },
  });
}
