/**
 * Every tick of every test ends with the exit code of the code it told last (SPEC §8): looked at here,
 * so that no test has to.
 */

import { CATALOGUE, type Code, EXIT_BY_KIND } from "../../src/errors.ts";

/** A signal's exit code begins here. */
const FIRST_SIGNAL = 128;

/** Takes how a tick ended and what it logged; gives what is wrong about that, or null. */
export function wrongExit(exit: number, stderr: string): string | null {
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  const [, code = ""] = /^<[34]>([A-Z][A-Z_]+): /.exec(last) ?? [];
  if (exit >= FIRST_SIGNAL || !Object.hasOwn(CATALOGUE, code)) return null;
  const { kind } = CATALOGUE[code as Code];
  const right = EXIT_BY_KIND[kind];
  return exit === right ? null : `a tick that ended with ${code} exited ${exit}, not ${right}`;
}
