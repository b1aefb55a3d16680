/** What one check of `doctor` found, as a value. Pure; which check needs which others stands in checks.ts. */

import type { AgentError, Code } from "../../errors.ts";

/** How a check ended, before it has a name. */
export interface Verdict {
  /**
   * `fail`: a tick does not work like this. `warn`: it works, and soon may not. `not_checked`: it
   * could not be looked at. `not_needed`: this box does without it.
   */
  readonly state: "ok" | "warn" | "fail" | "not_checked" | "not_needed";
  /** The code that a tick would end with; null where none would. */
  readonly code: Code | null;
  /** What was seen, in a few words. */
  readonly detail: string;
  /** The command that mends it, or the file to edit; null when there is nothing to mend. */
  readonly fix: string | null;
  /** Checks that hang on this one and can be made although it failed; not there: none. */
  readonly spares?: readonly string[];
}

/** Gives the verdict that all is well. */
export function ok(detail: string): Verdict {
  return { state: "ok", code: null, detail, fix: null };
}

/** Gives the verdict that a tick works and something is to be mended. */
export function warn(detail: string, fix: string): Verdict {
  return { state: "warn", code: null, detail, fix };
}

/** Gives the verdict that a tick does not work; `code` is what it would end with. */
export function fail(code: Code | null, detail: string, fix: string): Verdict {
  return { state: "fail", code, detail, fix };
}

/** Gives the verdict that this could not be looked at, and why. */
export function notChecked(why: string, fix: string | null = null): Verdict {
  return { state: "not_checked", code: null, detail: why, fix };
}

/** Gives the verdict that this box does without it, and why. */
export function notNeeded(why: string): Verdict {
  return { state: "not_needed", code: null, detail: why, fix: null };
}

/** Takes an error that a check ended with, and its fix; gives the verdict. */
export function failedWith(error: AgentError, fix: string): Verdict {
  return fail(error.code, error.message, fix);
}
