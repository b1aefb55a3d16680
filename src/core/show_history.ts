/** What `history` prints for a person: each apply, newest first, with cause, steps and times. Pure. */

import type { ApplyRecord } from "../model/history.ts";
import type { AppliedRelease } from "../model/state.ts";
import { short } from "./decide.ts";
import { sayDate, saySeconds } from "./say_time.ts";

/**
 * Takes the applies that were kept, oldest first (null: none ever were), and the releases of the
 * state; gives what `history` tells, newest first. A box that comes from an older version has only
 * the releases.
 */
export function historyOf(
  applies: readonly ApplyRecord[] | null,
  releases: readonly AppliedRelease[],
): readonly ApplyRecord[] {
  const kept = applies ?? releases.map(({ sha, serial, at }): ApplyRecord => ({
    started_at: at,
    finished_at: at,
    result: "applied",
    sha,
    serial,
    cause: "not kept",
    code: null,
    message: null,
    token_source: null,
    steps: [],
    times: 1,
    since: at,
  }));
  return [...kept].reverse();
}

/** Takes the applies, newest first; gives the lines for a person, each ended. */
export function showHistory(applies: readonly ApplyRecord[]): string {
  if (applies.length === 0) return "nothing was applied yet\n";
  return applies.flatMap(linesOf).map((line) => `${line}\n`).join("");
}

function linesOf(apply: ApplyRecord): readonly string[] {
  const { started_at, finished_at, result, sha, serial, code, message, times } = apply;
  const ms = Date.parse(finished_at) - Date.parse(started_at);
  const release = [sha === null ? "" : short(sha), serial === null ? "" : `serial ${serial}`];
  const head = [
    sayDate(Date.parse(finished_at)),
    result.padEnd(8),
    ...release.filter((part) => part !== ""),
    `in ${saySeconds(ms)}`,
    times > 1 ? `(${times} times since ${sayDate(Date.parse(apply.since))})` : "",
  ];
  return [
    head.filter((part) => part !== "").join("  "),
    `  cause  ${apply.cause}`,
    ...(code === null ? [] : [`  error  ${code}: ${message ?? ""}`]),
    ...stepLines(apply.steps),
  ];
}

/** As many steps on a line as fit. */
function stepLines(steps: ApplyRecord["steps"]): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const { action, ms, ok } of steps) {
    const text = `${action} ${saySeconds(ms)}${ok ? "" : " failed"}`;
    if (line === "") line = text;
    else if (line.length + 2 + text.length <= 68) line = `${line}, ${text}`;
    else {
      lines.push(`${line},`);
      line = text;
    }
  }
  if (line !== "") lines.push(line);
  return lines.map((text, index) => `  ${index === 0 ? "steps" : "     "}  ${text}`);
}
