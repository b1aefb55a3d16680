/** How an error looks to the person who reads the log: code, what happened, what to do, and why. */

import { AgentError } from "../errors.ts";
import type { Log, LogFields } from "../ports.ts";

const MAX_CAUSES = 5;

/**
 * Writes the error as one event: what happened to what, what to do, where the details are, and the
 * whole chain of causes, each with its code or name.
 */
export function reportError(log: Log, error: AgentError): void {
  const level = error.kind === "temporary" ? "warn" : "error";
  log.write(level, `${error.code}: ${inOneLine(error.message)}`, {
    do: error.hint,
    details: detailsOf(error),
    ...error.data,
    ...causesOf(error),
  });
}

/** A list is one problem a line where it is printed; here an event is one line. */
function inOneLine(message: string): string {
  return message.replaceAll(/:\s*\n\s*/g, ": ").replaceAll(/\s*\n\s*/g, "; ");
}

/**
 * Where more is to be read: with the release that failed, or by looking at everything a tick needs.
 * Nothing when the hint says it already.
 */
function detailsOf(error: AgentError): string | undefined {
  const place = placeOf(error);
  return place !== undefined && error.hint.includes(place) ? undefined : place;
}

function placeOf(error: AgentError): string | undefined {
  if (error.reported) return "monky-deployd status";
  return error.kind === "auth" || error.kind === "temporary" ? "monky-deployd doctor" : undefined;
}

function causesOf(error: AgentError): LogFields {
  const causes: string[] = [];
  let cause = error.cause;
  while (cause instanceof Error && causes.length < MAX_CAUSES) {
    causes.push(describe(cause, error));
    cause = cause.cause;
  }
  return causes.length === 0 ? {} : { cause: causes.join(" ← ") };
}

/** A foreign error's text may quote input or a URL's query: only a bug is worth its words. */
function describe(cause: Error, error: AgentError): string {
  if (cause instanceof AgentError) return `${cause.code}: ${cause.message}`;
  if (error.kind !== "bug") return cause.name;
  const frame = (cause.stack ?? "").split("\n").find((line) => line.trimStart().startsWith("at "));
  const text = cause.message.replaceAll(/\?\S*/g, "?…");
  return `${cause.name}: ${text} ${frame?.trim() ?? ""}`.trim();
}
