/**
 * Names that would steer compose, docker, git or the loader instead of a service (SPEC §4; facts:
 * docker §10 lists what each does on which version).
 */

const RESERVED = /^(?:COMPOSE_.*|DOCKER_.*|GIT_.*|SSH_.*|BUILD.*|LD_.*|PATH|HOME)$/;

/** Takes a variable's name; says whether no bundle may set it. Case counts, as it does for Linux. */
export function isReserved(name: string): boolean {
  return RESERVED.test(name);
}
