/** What `status` prints for a person: one screen. Pure. */

import type { LastDesired } from "../model/last_tick.ts";
import { short } from "./decide.ts";
import { sayMoment, saySpan } from "./say_time.ts";
import type { Status } from "./status.ts";

/** The rest stands in `status --json` and in the report. */
const DETAIL_LINES = 8;
const MAX_SERVICES = 30;
/** What `quarantined` means to a person. */
const QUARANTINED =
  "will not be tried again until another release is wanted, or with monky-deployd tick --now";

type Row = readonly [head: string, text: string];

/** Takes what is known of the box and the time (epoch ms); gives the lines for a person, each ended. */
export function showStatus(status: Status, now: number): string {
  const rows: Row[] = [
    ["box", `${status.env_id} at ${status.site}, project ${status.project}`],
    ["agent", `${status.agent_version}, transport ${status.transport}`],
    ["desired", desiredText(status.desired)],
    ["applied", appliedText(status, now)],
    ...applyingRows(status, now),
    ...failedRows(status, now),
    ...listRows("services", serviceTexts(status)),
    ["token", tokenText(status)],
    ...tickRows(status, now),
    ...nextRows(status, now),
    ["outbox", outboxText(status)],
    ...listRows("warnings", status.warnings),
  ];
  return rows.map(([head, text]) => `${head.padEnd(10)} ${text}`.trimEnd() + "\n").join("");
}

function desiredText(desired: LastDesired | null): string {
  if (desired === null) return "not known: tenancy was not asked yet";
  return desired.state === "absent" ? "absent" : releaseText(desired);
}

function appliedText({ applied }: Status, now: number): string {
  if (applied === null) return "nothing";
  return `${releaseText(applied)}, ${sayMoment(Date.parse(applied.at), now)}`;
}

function releaseText(
  { sha, serial }: { readonly sha: string; readonly serial: number | null },
): string {
  return serial === null ? short(sha) : `${short(sha)} serial ${serial}`;
}

/**
 * A tick that is at it, one that was stopped, and one that failed leave the same mark. A failure that
 * came after the mark tells that its tick is over, also when it is another release's.
 */
function applyingRows({ applying, failed }: Status, now: number): readonly Row[] {
  if (applying === null) return [];
  const { sha, step, since } = applying;
  const isOver = failed !== null && Date.parse(failed.at) >= Date.parse(since);
  const how = isOver
    ? `${failed.sha === sha ? "failed" : `ended in ${step}`}, and what it began stays until ` +
      "the next apply"
    : `reached ${step}; a tick is at it, or was stopped in it and the next one goes on`;
  return [["unfinished", `${short(sha)} since ${sayMoment(Date.parse(since), now)}: ${how}`]];
}

function failedRows({ failed }: Status, now: number): readonly Row[] {
  if (failed === null) return [];
  const { sha, code, attempts, at, detail, hint, quarantined } = failed;
  const times = attempts === 1 ? "" : `, ${attempts} times`;
  const lines = (detail ?? "").split("\n").filter((line) => line.trim() !== "");
  const [first, ...evidence] = lines;
  const shown = evidence.slice(-DETAIL_LINES);
  const hidden = evidence.length - shown.length;
  return [
    ["failed", `${short(sha)} with ${code}${times}, ${sayMoment(Date.parse(at), now)}`],
    ...(quarantined ? [["", QUARANTINED] as const] : []),
    ...(first === undefined ? [] : [["", first] as const]),
    ...(hint === null ? [] : [["", `do: ${hintHere(hint)}`] as const]),
    ...(hidden > 0 ? [["", `… ${hidden} more lines in status --json`] as const] : []),
    ...shown.map((text) => ["", `  ${text}`] as const),
  ];
}

/** A hint that sends the reader to this very page points at what stands on it. */
function hintHere(hint: string): string {
  return hint.replace(/: monky-deployd status\.$/, ", here below.")
    .replace("monky-deployd status says when", '"next try" says when');
}

function serviceTexts({ services }: Status): readonly string[] {
  if (services === null) return ["unknown"];
  const width = Math.max(0, ...services.map(({ name }) => name.length));
  const texts = services.map(({ name, state, health, image }) => {
    const how = health === null ? state : `${state}, ${health}`;
    return `${name.padEnd(Math.min(width, 24))}  ${how.padEnd(18)} ${image}`.trimEnd();
  });
  const hidden = texts.length - MAX_SERVICES;
  return hidden > 0 ? [...texts.slice(0, MAX_SERVICES), `… and ${hidden} more`] : texts;
}

function listRows(head: string, texts: readonly string[]): readonly Row[] {
  if (texts.length === 0) return [[head, "none"]];
  return texts.map((text, index) => [index === 0 ? head : "", text] as const);
}

function tokenText({ token }: Status): string {
  if (token === null) return "none";
  const left = token.seconds_left === 0
    ? "its time is over"
    : `${saySpan(token.seconds_left)} left`;
  return `from a ${token.source === "lease" ? "lease" : "bootstrap grant"}, ${left}`;
}

function tickRows({ last_tick: tick }: Status, now: number): readonly Row[] {
  if (tick === null) return [["last tick", "none yet"]];
  const at = tick.at === null ? null : sayMoment(Date.parse(tick.at), now);
  if (tick.ok) {
    return [["last tick", `reached tenancy and Docker${at === null ? "" : `, ${at}`}`]];
  }
  const since = tick.since === null ? "" : ` since ${sayMoment(Date.parse(tick.since), now)}`;
  return [
    ["last tick", `${tick.code}${since}${at === null ? "" : `, last ${at}`}`],
    ["", tick.message ?? ""],
    ["", `do: ${tick.hint ?? ""}`],
  ];
}

/** Nothing when nothing is to be tried again at a time of its own. No tick ends the pause of repairs. */
function nextRows({ next_attempt_at: at, failed }: Status, now: number): readonly Row[] {
  if (at === null) return [];
  const sooner = failed?.code === "FLAPPING" ? "" : "; at once: monky-deployd tick --now";
  return [["next try", `${sayMoment(Date.parse(at), now)}${sooner}`]];
}

function outboxText({ outbox }: Status): string {
  if (outbox.length === 0) return "empty";
  const results = outbox.map(({ result, sha }) => `${result} ${short(sha ?? "")}`.trim());
  const shown = results.slice(-3).join(", ");
  return `${outbox.length} not delivered yet: ${outbox.length > 3 ? "… " : ""}${shown}`;
}
