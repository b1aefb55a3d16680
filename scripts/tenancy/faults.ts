// The faults a test can arm: which request is met by which one. How each is sent: fault_reply.ts.

import type { Call } from "./terms.ts";

/** Every fault, with what the agent gets. */
export const FAULT_KINDS = {
  status: "an error reply with `status` and `code`",
  unauthenticated: "401 AGENT_UNAUTHENTICATED",
  env_mismatch: "403 AGENT_ENV_MISMATCH",
  rate_limited: "429 LEASE_RATE_LIMITED",
  not_found: "404 BUNDLE_NOT_FOUND",
  internal: "500 INTERNAL",
  bad_gateway: "502 BAD_GATEWAY",
  unavailable: "503 TENANCY_UNAVAILABLE",
  other_env: "a good reply that names another env_id",
  never_answer: "nothing, until the agent hangs up",
  slow: "the good reply after `ms` (default 2000)",
  drip: "the good reply one byte at a time, `ms` (default 50) apart",
  reset: "a connection reset before any answer; the request has no effect",
  lost_answer: "a connection reset, after the request took effect",
  cut_body: "half of the body, then an orderly close",
  reset_body: "half of the body, then a reset",
  short_length: "a Content-Length smaller than the body",
  html: "an HTML page with `status` (default 200)",
  legacy_lease: "role_id, secret_id and wrapping tokens; `field` names one, or `mixed`",
  missing_field: "the reply without `field` (dots go deeper; a default for each call)",
  mistyped_field: "the reply with a number or a list where `field` is something else",
  extra_fields: "the good reply with fields that the protocol does not know",
  wrong_content_type: "the good reply as text/plain",
  redirect: "`status` (default 307) with a Location (`location`)",
  huge_body: "the good reply with a string of `bytes` (default 1 GiB) in it",
  gzip_body: "the good reply, gzip-compressed though nobody asked",
  garbage: "200 with bytes that are not JSON",
  not_http: "bytes that are not HTTP",
} as const;

/** The name of a fault. */
export type FaultKind = keyof typeof FAULT_KINDS;

/** A fault to arm. */
export interface FaultSpec {
  readonly kind: FaultKind;
  /** Which call it meets; default any, of `legacy_lease` the lease alone. */
  readonly call?: Call | "any";
  /** Which environment it meets; default any. */
  readonly env?: string;
  /** How many requests it meets; default: all, until cleared. */
  readonly times?: number;
  /** Parameters; see `FAULT_KINDS` for which kind reads which. */
  readonly status?: number;
  readonly code?: string;
  readonly ms?: number;
  readonly bytes?: number;
  readonly field?: string;
  readonly location?: string;
}

/** An armed fault: its spec, its number, and how many requests it met so far. */
export interface ArmedFault {
  readonly id: number;
  readonly spec: FaultSpec;
  readonly met: number;
}

/** The list of armed faults; the oldest that matches a request meets it. */
export class Faults {
  #armed: { id: number; spec: FaultSpec; met: number }[] = [];
  #next = 1;

  /** Arms a fault and gives its number. Throws `TypeError` for a kind or count it cannot serve. */
  arm(spec: FaultSpec): number {
    if (!Object.hasOwn(FAULT_KINDS, spec.kind)) {
      throw new TypeError(`there is no fault called ${spec.kind}`);
    }
    if (spec.times !== undefined && !(Number.isInteger(spec.times) && spec.times > 0)) {
      throw new TypeError(`times must be a whole number above 0: ${spec.times}`);
    }
    const id = this.#next++;
    this.#armed.push({ id, spec, met: 0 });
    return id;
  }

  /** Disarms the fault with this number, or every fault; says how many went. */
  clear(id?: number): number {
    const before = this.#armed.length;
    this.#armed = id === undefined ? [] : this.#armed.filter((fault) => fault.id !== id);
    return before - this.#armed.length;
  }

  /** What is armed now. */
  list(): ArmedFault[] {
    return this.#armed.map((fault) => ({ ...fault }));
  }

  /** The fault that meets a request, counted as met; null when none does. */
  take(call: Call, env: string | null): FaultSpec | null {
    const fault = this.#armed.find(({ spec }) =>
      [call, "any"].includes(spec.call ?? (spec.kind === "legacy_lease" ? "lease" : "any")) &&
      (spec.env === undefined || spec.env === env)
    );
    if (fault === undefined) return null;
    fault.met += 1;
    if (fault.met === fault.spec.times) this.clear(fault.id);
    return fault.spec;
  }
}
