/** The lab for those who use it: tests, the demo, the development tenancy, benchmarks. */

import type { Say } from "./apt.ts";
import { up, type UpResult } from "./up.ts";

export { type Ansible, type AnsibleVersion, findAnsible } from "./ansible.ts";
export { installMissing, type Need, type Say } from "./apt.ts";
export * from "./bao_admin.ts";
export * from "./bao_audit.ts";
export { BaoClient, type BaoReply } from "./bao_client.ts";
export { type BaoCluster, startBaoCluster } from "./bao_cluster.ts";
export { type BaoHandle, type BaoOptions, startBao } from "./bao_server.ts";
export { type BareBox, type BareBoxOptions, startBareBox } from "./bare_box.ts";
export { checkLab, type PartState } from "./check.ts";
export { dockerCall, dockerRequest } from "./docker_api.ts";
export { down } from "./down.ts";
export { type Counts, type Faults, Forwarder, startForwarder } from "./forwarder.ts";
export { type GrantClaims, mintGrant, signJwt } from "./grant.ts";
export { BASE_IMAGE, type ImageOptions, importImage, pushImage, removeImage } from "./image.ts";
export * from "./info.ts";
export { makePair } from "./keys.ts";
export { type DebPackage, makeDeb, writePackageIndex } from "./deb.ts";
export { type MirrorOptions, type ReleaseMirror, startReleaseMirror } from "./release_mirror.ts";
export { standInPackages } from "./stand_in_packages.ts";
export { run, runChecked, type RunResult } from "./process.ts";
export { up, type UpResult } from "./up.ts";
export { waitFor } from "./wait.ts";

/**
 * Gives a healthy lab, and says whether this call brought it up: who brought it up takes it down
 * at the end, with `down`.
 *
 * @param say told the progress; stderr by default
 * @returns the lab and `started`
 * @throws Error naming the part that did not come up
 */
export async function ensureLab(say: Say = sayOnStderr): Promise<UpResult> {
  return await up(say);
}

/**
 * Tells progress on stderr, so that stdout stays for results.
 *
 * @param line what to tell
 */
export function sayOnStderr(line: string): void {
  console.error(`lab: ${line}`);
}
