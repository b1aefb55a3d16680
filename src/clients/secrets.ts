/**
 * Reads a bundle's secrets (SPEC §5): all of them or none. Every fault names its variables and path
 * and never a value. What is wrong for good is told all at once; what may mend itself is temporary.
 */

import { AgentError, hasCode } from "../errors.ts";
import type { ManifestEntry } from "../model/bundle.ts";
import type { KvVersion, TokenLookup } from "../model/bao_wire.ts";
import { Secret } from "../model/secret.ts";
import type { HttpReply, Ports } from "../ports.ts";
import { type BaoConfig, baoRequest, type Mask } from "./openbao_call.ts";
import { LOOKUP_TARGET, lookupOf } from "./openbao_lookup.ts";
import { createReader, type Outcomes, type Reader } from "./secrets_reader.ts";
import { absentFault, type Outcome, type SecretFault, valueOf } from "./secrets_reply.ts";
import { nameRead, planReads, type SecretRead } from "./secrets_target.ts";

/** What is read, with which token, and for how long. */
export interface SecretsRequest {
  readonly config: BaoConfig;
  readonly token: Secret;
  readonly entries: readonly ManifestEntry[];
  /** Limit of the whole step; waits for rate limits included. */
  readonly timeoutMs: number;
  /** Let lookup-self run beside the reads: no round trip more (SPEC §13). */
  readonly confirmToken: boolean;
  readonly mask: Mask;
  readonly signal?: AbortSignal;
}

/** The value of one variable and the version it was read at. */
export interface ReadSecret {
  readonly value: Secret;
  readonly version: number;
}

/** What was read. */
export interface SecretsRead {
  /** Variable → value; one for every entry. */
  readonly values: ReadonlyMap<string, ReadSecret>;
  /** What lookup-self said beside the reads; null when it was not asked or gave no answer. */
  readonly lookup: TokenLookup | null;
}

/**
 * Reads the entries' values. Throws, for good: SECRET_NOT_FOUND, SECRET_DELETED, SECRET_DESTROYED,
 * SECRET_FORBIDDEN, SECRET_KEY_MISSING, SECRET_NOT_STRING, SECRET_TOO_LARGE, SECRET_VERSION_MISMATCH,
 * BAO_BAD_PATH, BAO_REFUSED; BAO_TOKEN_DEAD when lookup-self says so, for the engine to lease once;
 * for now: BAO_RATE_LIMITED, BAO_SEALED, BAO_UNAVAILABLE, BAO_BAD_ANSWER, BAO_REDIRECTED and the
 * codes of the HTTP port; INTERRUPTED when the signal ended a wait.
 */
export async function readSecrets(
  ports: Pick<Ports, "http" | "clock" | "random">,
  request: SecretsRequest,
): Promise<SecretsRead> {
  const reads = planReads(request.entries, request.config);
  if (reads.length === 0) return { values: new Map(), lookup: null };
  const exchangeMs = request.config.bao.timeoutS * 1000;
  const reader = createReader(ports, {
    token: request.token,
    exchangeMs,
    deadlineMs: ports.clock.monotonic() + request.timeoutMs,
    signal: request.signal,
  });
  const first = request.confirmToken
    ? await reader.readWithLookup(reads)
    : { outcomes: await reader.read(reads), lookup: null };
  const { outcomes } = first;
  const ask = (): Promise<HttpReply> =>
    ports.http.request(baoRequest({
      method: "GET",
      target: LOOKUP_TARGET,
      token: request.token,
      timeoutMs: exchangeMs,
      signal: request.signal,
    }));
  const { lookup, denied } = await settleForbidden(reader, outcomes, first.lookup, ask);
  await settleAbsent(reader, outcomes, denied);
  const faults: SecretFault[] = [...denied];
  const values = collect(outcomes, faults);
  if (faults.length > 0) throw faultError(faults);
  const unread = [...outcomes].filter(([, outcome]) => outcome.kind !== "version");
  if (unread.length > 0) throw temporaryError(unread, request.signal);
  for (const { value } of values.values()) request.mask(value);
  return { values, lookup };
}

/**
 * Decides what 403 meant (case 52). A dead token: BAO_TOKEN_DEAD. A living one: one read is sent
 * again, since a follower may not have known a fresh token yet (facts: openbao §5 row 20); if that is
 * forbidden too, the policy is. Gives the faults, and what is known of the token.
 */
async function settleForbidden(
  reader: Reader,
  outcomes: Outcomes,
  beside: HttpReply | Error | null,
  ask: () => Promise<HttpReply>,
): Promise<{ readonly lookup: TokenLookup | null; readonly denied: readonly SecretFault[] }> {
  const known = lookupBeside(beside);
  const forbidden = withKind(outcomes, "forbidden");
  const [probe, ...others] = forbidden;
  if (probe === undefined) return { lookup: known === "dead" ? null : known, denied: [] };
  const lookup = known === null ? lookupOf(await ask()) : known;
  if (lookup === null || lookup === "dead") {
    throw new AgentError("BAO_TOKEN_DEAD", "OpenBao no longer knows the token of this box");
  }
  const again = await reader.read([probe]);
  if (again.get(probe)?.kind !== "forbidden" && others.length > 0) {
    for (const [read, outcome] of await reader.read(others)) again.set(read, outcome);
  }
  for (const [read, outcome] of again) outcomes.set(read, outcome);
  const denied = withKind(outcomes, "forbidden").map((read): SecretFault => ({
    code: "SECRET_FORBIDDEN",
    text: `the token works and may not read ${nameRead(read)}`,
  }));
  return { lookup, denied };
}

/** Gives what lookup-self said beside the reads; null when that proves nothing. */
function lookupBeside(answer: HttpReply | Error | null): TokenLookup | "dead" | null {
  if (answer === null || answer instanceof Error) return null;
  try {
    return lookupOf(answer) ?? "dead";
  } catch (thrown) {
    if (thrown instanceof AgentError) return null;
    throw thrown;
  }
}

/** A pinned version that is not there may only be late, unless something is wrong for good anyway. */
async function settleAbsent(
  reader: Reader,
  outcomes: Outcomes,
  denied: readonly SecretFault[],
): Promise<void> {
  const isOver = denied.length > 0 ||
    [...outcomes.values()].some(({ kind }) => kind === "fault" || kind === "temporary");
  const absent = withKind(outcomes, "absent");
  const pinned = absent.filter((read) => read.version !== null);
  if (!isOver && pinned.length > 0 && pinned.length === absent.length) {
    for (const [read, outcome] of await reader.awaitPinned(pinned)) outcomes.set(read, outcome);
  }
}

/** Gives the values that were read; puts every fault that was found into `faults`. */
function collect(outcomes: Outcomes, faults: SecretFault[]): ReadonlyMap<string, ReadSecret> {
  const values = new Map<string, ReadSecret>();
  for (const [read, outcome] of outcomes) {
    if (outcome.kind === "version") takeValues(read, outcome.version, { values, faults });
    if (outcome.kind === "fault") faults.push(outcome.fault);
    if (outcome.kind === "absent") faults.push(absentFault(read));
  }
  return values;
}

function takeValues(
  read: SecretRead,
  version: KvVersion,
  into: { readonly values: Map<string, ReadSecret>; readonly faults: SecretFault[] },
): void {
  for (const entry of read.entries) {
    const value = valueOf(entry, { read, version });
    if (value instanceof Secret) into.values.set(entry.var, { value, version: version.version });
    else into.faults.push(value);
  }
}

/** One error for all faults, sorted by their texts; the code is the first one's. */
function faultError(faults: readonly SecretFault[]): AgentError {
  const sorted = [...faults].sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  const [first] = sorted;
  const shown = sorted.slice(0, 50).map(({ code, text }) =>
    code === first?.code ? text : `${code}: ${text}`
  );
  const more = sorted.length > 50 ? `; and ${sorted.length - 50} more` : "";
  const hint = first?.hint === undefined ? {} : { hint: first.hint };
  return new AgentError(first?.code ?? "INTERNAL", `${shown.join("; ")}${more}`, hint);
}

/** What kept the reads from an answer: a seal before anything else, a rate limit last. */
function temporaryError(
  unread: readonly (readonly [SecretRead, Outcome])[],
  signal: AbortSignal | undefined,
): Error {
  if (signal?.aborted === true) {
    return new AgentError("INTERRUPTED", "the reading of secrets was interrupted");
  }
  const errors = unread.flatMap(([, outcome]) =>
    outcome.kind === "temporary" ? [outcome.error] : []
  );
  const error = errors.find((found) => hasCode(found, "BAO_SEALED")) ?? errors[0];
  if (error !== undefined) return error;
  const seconds = unread.map(([, outcome]) =>
    outcome.kind === "limited" ? outcome.retryAfterS ?? 0 : 0
  );
  return new AgentError(
    "BAO_RATE_LIMITED",
    `OpenBao's rate limit left ${unread.length} reads of secrets without an answer`,
    { data: { retry_after_s: Math.max(0, ...seconds) } },
  );
}

function withKind(outcomes: Outcomes, kind: Outcome["kind"]): readonly SecretRead[] {
  return [...outcomes].filter(([, outcome]) => outcome.kind === kind).map(([read]) => read);
}
