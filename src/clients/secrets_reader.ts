/**
 * Sends reads of secrets and sends again what deserves it (facts: openbao §0.5, §0.12, §6): rate
 * limited reads one at a time, paced; a pinned version that a lagging standby does not have yet,
 * for a few seconds. Everything ends at the step's deadline.
 */

import { AgentError, hasCode } from "../errors.ts";
import type { Secret } from "../model/secret.ts";
import type { HttpReply, HttpRequest, Ports } from "../ports.ts";
import { baoRequest, MAX_REPLY_BYTES } from "./openbao_call.ts";
import { LOOKUP_TARGET } from "./openbao_lookup.ts";
import { type Outcome, outcomeOf } from "./secrets_reply.ts";
import type { SecretRead } from "./secrets_target.ts";

/** What the reader needs besides the reads. */
export interface ReaderOptions {
  readonly token: Secret;
  /** Limit of one exchange. */
  readonly exchangeMs: number;
  /** Monotonic milliseconds at which all of it must be over. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Read → what its last answer means. */
export type Outcomes = Map<SecretRead, Outcome>;

/** Replies are held in memory together: this many at once, and this much in all. */
const BATCH = 256;
const BATCH_BYTES = 64 << 20;
const MIN_REPLY_BYTES = 256 << 10;
/** Waits between tries for a pinned version: 3.5 s in all. */
const STALE_WAITS_MS = [500, 1000, 2000] as const;
/** Without Retry-After the wait doubles from here; with it, it is never shorter than this. */
const PACE_FLOOR_MS = 1000;
/** A quota is often counted by the minute. */
const PACE_CAP_MS = 70_000;

/** Outcomes, and what lookup-self answered beside them. */
export interface LookedUp {
  readonly outcomes: Outcomes;
  readonly lookup: HttpReply | Error;
}

/** Sends reads with one token. */
export interface Reader {
  /** Sends the reads together, the rate limited ones again one by one. Never throws for an answer. */
  read(reads: readonly SecretRead[]): Promise<Outcomes>;
  /** As `read`, with lookup-self in the first batch: its answer comes beside. */
  readWithLookup(reads: readonly SecretRead[]): Promise<LookedUp>;
  /** Sends absent pinned versions again until they are there or the waits are used up. */
  awaitPinned(absent: readonly SecretRead[]): Promise<Outcomes>;
}

/** Makes the reader; throws nothing. */
export function createReader(
  ports: Pick<Ports, "http" | "clock" | "random">,
  options: ReaderOptions,
): Reader {
  const { http, clock, random } = ports;

  function requestFor(target: string, maxBodyBytes: number): HttpRequest {
    const leftMs = Math.max(1, options.deadlineMs - clock.monotonic());
    return baoRequest({
      method: "GET",
      target,
      token: options.token,
      timeoutMs: Math.min(options.exchangeMs, leftMs),
      maxBodyBytes,
      signal: options.signal,
    });
  }

  /** Sends the targets in batches; `take` gets each answer, so that only one batch is in memory. */
  async function fanOut(
    targets: readonly string[],
    take: (index: number, answer: HttpReply | Error) => void,
  ): Promise<void> {
    for (let start = 0; start < targets.length; start += BATCH) {
      const batch = targets.slice(start, start + BATCH);
      const share = Math.floor(BATCH_BYTES / batch.length);
      const maxBodyBytes = Math.max(MIN_REPLY_BYTES, Math.min(MAX_REPLY_BYTES, share));
      const answers = await http.many(batch.map((target) => requestFor(target, maxBodyBytes)));
      for (const index of batch.keys()) {
        take(start + index, answers[index] ?? noAnswer());
      }
    }
  }

  async function once(reads: readonly SecretRead[]): Promise<Outcomes> {
    const outcomes: Outcomes = new Map();
    await fanOut(reads.map((read) => read.target), (index, answer) => {
      const read = reads[index];
      if (read !== undefined) outcomes.set(read, outcomeOf(read, answer));
    });
    return await askUnread(outcomes, { moved: ![...outcomes.values()].every(isUnread) });
  }

  /**
   * A server that ends each connection after so many replies says so in the last, and has not read on
   * (RFC 9112 §9.6): the rest is asked on new connections for as long as each round moved something.
   */
  async function askUnread(
    outcomes: Outcomes,
    { moved }: { readonly moved: boolean },
  ): Promise<Outcomes> {
    const unread = [...outcomes].filter(([, outcome]) => isUnread(outcome)).map(([read]) => read);
    const hasTime = clock.monotonic() < options.deadlineMs && options.signal?.aborted !== true;
    if (unread.length === 0 || !moved || !hasTime) return outcomes;
    for (const [read, outcome] of await once(unread)) outcomes.set(read, outcome);
    return outcomes;
  }

  /** Waits unless the deadline would pass; says whether it waited. */
  async function waited(ms: number): Promise<boolean> {
    if (clock.monotonic() + ms >= options.deadlineMs) return false;
    await clock.sleep(ms, options.signal);
    return options.signal?.aborted !== true;
  }

  /** One at a time from the first 429 on: thirty at once would only meet the limit again. */
  async function paceLimited(outcomes: Outcomes): Promise<Outcomes> {
    for (let limits = 0;; limits++) {
      const limited = [...outcomes].filter(([, outcome]) => outcome.kind === "limited");
      const [first] = limited;
      if (first === undefined || [...outcomes.values()].some(endsReading)) return outcomes;
      const ownMs = Math.min(PACE_CAP_MS, PACE_FLOOR_MS * 2 ** Math.min(limits, 10));
      const waitMs = Math.max(askedMs(limited), ownMs) * (1 + random.fraction() / 10);
      if (!(await waited(Math.ceil(waitMs)))) return outcomes;
      for (const [read, state] of limited) {
        const outcome = (await once([read])).get(read) ?? state;
        outcomes.set(read, outcome);
        if (outcome.kind === "limited") break;
        if (endsReading(outcome)) return outcomes;
        limits = -1; // the limit let one through: the next wait starts from the floor again
      }
    }
  }

  return {
    async read(reads: readonly SecretRead[]): Promise<Outcomes> {
      return await paceLimited(await once(reads));
    },
    async readWithLookup(reads: readonly SecretRead[]): Promise<LookedUp> {
      const outcomes: Outcomes = new Map();
      let lookup: HttpReply | Error = noAnswer();
      await fanOut([LOOKUP_TARGET, ...reads.map((read) => read.target)], (index, answer) => {
        const read = reads[index - 1];
        if (read === undefined) lookup = answer;
        else outcomes.set(read, outcomeOf(read, answer));
      });
      const moved = !(lookup instanceof Error) || ![...outcomes.values()].every(isUnread);
      return { outcomes: await paceLimited(await askUnread(outcomes, { moved })), lookup };
    },
    async awaitPinned(absent: readonly SecretRead[]): Promise<Outcomes> {
      const outcomes: Outcomes = new Map(absent.map((read) => [read, { kind: "absent" }]));
      for (const waitMs of STALE_WAITS_MS) {
        const missing = absent.filter((read) => outcomes.get(read)?.kind === "absent");
        if (missing.length === 0 || !(await waited(waitMs))) break;
        for (const [read, outcome] of await once(missing)) outcomes.set(read, outcome);
      }
      return await paceLimited(outcomes);
    },
  };
}

function isUnread(outcome: Outcome): boolean {
  return outcome.kind === "temporary" && hasCode(outcome.error, "BAO_UNAVAILABLE") &&
    outcome.error.data["announced"] === true;
}

/** An outcome after which the rest need not be asked. */
function endsReading(outcome: Outcome): boolean {
  return outcome.kind === "temporary" || outcome.kind === "fault" || outcome.kind === "forbidden";
}

/** The longest wait that a 429 among them asked for. */
function askedMs(limited: readonly (readonly [SecretRead, Outcome])[]): number {
  const seconds = limited.map(([, outcome]) =>
    outcome.kind === "limited" ? outcome.retryAfterS ?? 0 : 0
  );
  return Math.max(0, ...seconds) * 1000;
}

function noAnswer(): AgentError {
  return new AgentError("INTERNAL", "the HTTP port gave fewer answers than it was asked for");
}
