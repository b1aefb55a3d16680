/** What a failure and its evidence look like to those who read the report, or the box's status. */

import type { AgentError } from "../errors.ts";

const MAX_DETAIL_BYTES = 16 << 10;
const CUT = "[…]\n";

/**
 * Takes a failure and the last lines that belong to it; gives a report's detail: the code at its
 * head (SPEC §3), then as much of the END of the evidence as fits, cut between characters.
 */
function detailOf(error: AgentError, evidence: string | null): string {
  const head = `${error.code}: ${error.message}`;
  if (evidence === null || evidence === "") return headOf(head);
  const room = MAX_DETAIL_BYTES - byteLength(head) - byteLength(CUT) - 1;
  return room <= 0 ? headOf(head) : `${head}\n${tailOf(evidence, room)}`;
}

/** What is kept of a failure: its code, the report's detail, and what the operator does next. */
export interface ToldFailure {
  readonly code: string;
  readonly detail: string;
  readonly hint: string;
}

/** Takes a failure and the last lines that belong to it; gives what is kept of it, bounded. */
export function toldFailure(error: AgentError, evidence: string | null): ToldFailure {
  return { code: error.code, detail: detailOf(error, evidence), hint: headOf(error.hint) };
}

function headOf(head: string): string {
  const bytes = new TextEncoder().encode(head);
  if (bytes.length <= MAX_DETAIL_BYTES) return head;
  return new TextDecoder().decode(bytes.subarray(0, MAX_DETAIL_BYTES)).replace(/\uFFFD$/, "");
}

function tailOf(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const tail = new TextDecoder().decode(bytes.subarray(bytes.length - maxBytes));
  return `${CUT}${tail.replace(/^\uFFFD+/, "")}`;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
