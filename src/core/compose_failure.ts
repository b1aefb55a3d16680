/**
 * What a failed run of docker compose means: step, exit code and the last line of its errors → one
 * code of the catalogue. The last line alone, because a failing pull cancels its neighbours and
 * those complain of things that are not so (facts: docker §5). Exit codes are not enough: newer
 * composes give 1 for everything.
 */

import { AgentError, type Code } from "../errors.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import { headOf, plainText } from "../model/plain_text.ts";
import { type Crash, CRASHED_HINT, crashOf, STARVED_HINT } from "./compose_crash.ts";
import { culpritOf } from "./compose_culprit.ts";
import { imageOfCulprit, registryOf } from "./compose_images.ts";
import { ANY_STEP, type Reading, RUN_READINGS } from "./compose_readings.ts";

/** Which of the agent's steps ran compose. */
export type ComposeStep = "validate" | "pull" | "up" | "down";

/** How the run ended. */
export interface ComposeFailureFacts {
  readonly step: ComposeStep;
  readonly code: number;
  /** The last lines of standard error, as they came. */
  readonly stderrTail: readonly string[];
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Named when the step took too long. */
  readonly timeoutMs: number;
  /** Service → image reference, of the services that the files start; empty: not known. */
  readonly images?: ReadonlyMap<string, string>;
  /** Hosts of the registries that the manifest names an account for; null: not known. */
  readonly accounts?: readonly string[] | null;
  /** Hides every secret that the release was rendered with. */
  readonly mask: (text: string) => string;
}

const MAX_DETAIL = 400;
const MAX_NAME = 100;

const FALLBACK: Readonly<Record<ComposeStep, { readonly code: Code; readonly what: string }>> = {
  validate: { code: "COMPOSE_INVALID", what: "docker compose refuses the files" },
  pull: { code: "PULL_FAILED", what: "docker compose could not pull the images" },
  up: { code: "UP_FAILED", what: "docker compose could not bring the services up" },
  down: { code: "REMOVE_FAILED", what: "docker compose could not take the project down" },
};

/**
 * Takes how a run ended; gives the error for it. What compose said is quoted, masked and cut, only
 * after the files were accepted: before that its errors quote values of `.env` (case 17).
 */
export function classifyComposeFailure(facts: ComposeFailureFacts): AgentError {
  const { step, code } = facts;
  const data = { step, exit_code: code };
  if (facts.aborted || (code === 130 && !facts.timedOut)) {
    return new AgentError("INTERRUPTED", `docker compose ${step} was stopped`, { data });
  }
  if (facts.timedOut) {
    const message = `docker compose ${step} did not end within ${facts.timeoutMs} ms`;
    return new AgentError("STEP_TIMEOUT", message, { data });
  }
  const crash = crashOf(facts);
  if (crash !== null) {
    return step === "validate" ? brokenOff(crash, data) : brokenDown(facts, crash);
  }
  const line = lastLine(facts);
  const readings = step === "validate" ? ANY_STEP : [...ANY_STEP, ...RUN_READINGS];
  for (const reading of readings) {
    const match = reading.line.exec(line);
    if (match !== null) return errorOf(reading, match, { line, data, facts });
  }
  return step === "validate" ? invalid(facts, line) : unread(facts, line);
}

function errorOf(
  reading: Reading,
  match: RegExpExecArray,
  { line, data, facts }: {
    readonly line: string;
    readonly data: { step: string; exit_code: number };
    readonly facts: ComposeFailureFacts;
  },
): AgentError {
  const says = reading.says(match);
  const message = reading.quotes ? `${says}${whoFailed(facts)}: ${quoted(line)}` : says;
  const hint = reading.code === "REGISTRY_AUTH"
    ? hintOfAccount(facts, line) ?? reading.hint
    : reading.hint;
  return new AgentError(reading.code, message, { data, ...hint === undefined ? {} : { hint } });
}

/**
 * Gives ` (web, image h/a:1)` for the service or container at fault and its image, as far as they
 * are certain, or nothing.
 */
function whoFailed(facts: ComposeFailureFacts): string {
  const { name, image } = atFault(facts);
  const parts = [name, image === null || image === name ? null : `image ${image}`]
    .flatMap((part) => part === null ? [] : [headOf(facts.mask(part), MAX_NAME)]);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function atFault(
  { step, stderrTail, images = new Map() }: ComposeFailureFacts,
): { readonly name: string | null; readonly image: string | null } {
  if (step !== "pull" && step !== "up") return { name: null, image: null };
  const name = culpritOf(stderrTail);
  return { name, image: imageOfCulprit(name, { step, images }) };
}

/** A registry that was asked without an account wants one; that of the manifest need not be renewed. */
function hintOfAccount(facts: ComposeFailureFacts, line: string): string | undefined {
  const { accounts = null } = facts;
  const { image } = atFault(facts);
  const host = image === null
    ? /https?:\/\/([^/\s"]{1,255})\/v2\//.exec(line)?.[1]
    : registryOf(facts.mask(image));
  if (host === undefined || accounts === null || accounts.includes(host)) return undefined;
  return `Name an account for ${host} under "registries" in manifest.json, and publish again.`;
}

function unread(facts: ComposeFailureFacts, line: string): AgentError {
  const { step, code } = facts;
  const { code: fallback } = FALLBACK[step];
  const what = `${FALLBACK[step].what}${whoFailed(facts)}`;
  const message = line === ""
    ? `${what} (exit code ${code}, nothing said)`
    : `${what}: ${quoted(line)}`;
  return new AgentError(fallback, message, { data: { step, exit_code: code } });
}

/** While it looked at the files: they are to blame only where compose fell over by itself. */
function brokenOff(crash: Crash, data: { step: string; exit_code: number }): AgentError {
  if (crash.kind === "crashed") {
    const message = "docker compose crashed over the files";
    return new AgentError("COMPOSE_INVALID", message, { data, hint: CRASHED_HINT });
  }
  const message = crash.kind === "killed"
    ? `docker compose config was ended by signal ${crash.signal}`
    : "docker compose config found no memory, or may start no thread";
  return new AgentError("SPAWN_FAILED", message, { data, hint: STARVED_HINT });
}

/** While it worked: paced and reported as any failure of the step. */
function brokenDown(facts: ComposeFailureFacts, crash: Crash): AgentError {
  const { step, code } = facts;
  const { code: fallback, what } = FALLBACK[step];
  const data = { step, exit_code: code };
  if (crash.kind === "crashed") {
    const line = crash.line === null ? "" : `: ${quoted(cleaned(crash.line, facts.mask))}`;
    const message = `${what}: it crashed${line}`;
    return new AgentError(fallback, message, { data, hint: CRASHED_HINT });
  }
  const line = crash.kind === "killed" ? lastLine(facts) : "";
  const said = line === "" ? "nothing said" : `last said: ${quoted(line)}`;
  const message = crash.kind === "killed"
    ? `${what} (ended by signal ${crash.signal}, ${said})`
    : `${what}: it found no memory, or may start no thread`;
  return new AgentError(fallback, message, { data, hint: STARVED_HINT });
}

/**
 * The files are not accepted. Such a line may hold values of `.env`, so nothing is quoted from it but
 * what stands where only a key of the file or a number can: keys are not interpolated.
 */
function invalid({ code, stderrTail }: ComposeFailureFacts, line: string): AgentError {
  const { what } = FALLBACK.validate;
  const why = INVALID.map(([text, says]) => {
    const [, first, second] = text.exec(line) ?? [];
    return says(first, second);
  }).find((each) => each) ??
    lineNumberIn(stderrTail);
  const message = why === undefined ? what : `${what}: ${why}`;
  return new AgentError("COMPOSE_INVALID", message, {
    data: { step: "validate", exit_code: code },
  });
}

/** What may be said of a line, given what was captured of it. */
type Said = (key: string | undefined, second?: string) => string | undefined;

/** A line of an invalid file → what may be said of it. A path has keys alone, as a key is. */
const INVALID: readonly (readonly [RegExp, Said])[] = [
  [
    /(?:^|: )([A-Za-z0-9_.-]{1,200}) [Aa]dditional propert(?:y|ies) '?([A-Za-z0-9_.-]{1,100})'? /,
    (where, key) => key && `the key "${key}" of ${where} is unknown to it`,
  ],
  [
    /required variable ([A-Za-z_][A-Za-z0-9_]{0,99}) is missing a value/,
    (key) => key && `the required variable ${key} is not set`,
  ],
  [
    /[Aa]dditional propert(?:y|ies) '?([A-Za-z0-9_.-]{1,100})'? /,
    (key) => key && `the key "${key}" is unknown to it`,
  ],
  [
    /^service "([A-Za-z0-9_.-]{1,100})" (?:depends on|refers to) undefined /,
    (key) => key && `service "${key}" names something that is not defined`,
  ],
  [
    /^service "([A-Za-z0-9_.-]{1,100})" has neither an image nor a build context/,
    (key) => key && `service "${key}" has no image`,
  ],
  [
    /can't set container_name and ([A-Za-z0-9_.-]{1,100}) as container name must be unique/,
    (key) => key && `service "${key}" has a container_name and more than one container`,
  ],
  [/^(dependency cycle) detected/, (key) => key && "services depend on each other in a circle"],
  [/^(empty) compose file/, (key) => key && "the compose file is empty"],
];

function lineNumberIn(stderrTail: readonly string[]): string | undefined {
  const number = stderrTail.slice(-5).map((each) => /\bline (\d+)\b/.exec(plainText(each))?.[1])
    .findLast((each) => each !== undefined);
  return number === undefined ? undefined : `line ${number}`;
}

/** Masked before and after cleaning: a value may hold escapes, or have them strewn into it. */
function lastLine({ stderrTail, mask }: ComposeFailureFacts): string {
  return stderrTail
    .map((line) => cleaned(line, mask))
    .findLast((line) => line !== "" && !/^time="[^"]*" level=(?:warning|info|debug)/.test(line)) ??
    "";
}

function cleaned(line: string, mask: (text: string) => string): string {
  return mask(plainText(mask(line))).trim();
}

function quoted(line: string): string {
  return headOf(line.replace(/^Error response from daemon: /, ""), MAX_DETAIL);
}

/**
 * Takes the resolved files; gives COMPOSE_INVALID when they start nothing: compose accepts such a
 * file and `up` then fails, after an apply has begun (case 28).
 */
export function refuseEmptyModel(model: ComposeModel): AgentError | null {
  if (model.services.length > 0) return null;
  const message =
    "the bundle has no service to start: all of them are behind profiles, or there are none";
  return new AgentError("COMPOSE_INVALID", message);
}
