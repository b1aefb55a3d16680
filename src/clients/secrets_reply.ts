/**
 * What one answer to a read of a secret means (facts: openbao §1.6; cases 49, 52, 56, 58). The
 * status and `data` decide, never `deletion_time`: a future one is a good secret.
 */

import { AgentError, type Code, hasCode } from "../errors.ts";
import type { ManifestEntry } from "../model/bundle.ts";
import { hasWarnings, type KvVersion, readKvVersion } from "../model/bao_wire.ts";
import { Secret } from "../model/secret.ts";
import type { HttpReply } from "../ports.ts";
import {
  badAnswer,
  errorTexts,
  failureOf,
  isForbidden,
  jsonOf,
  retryAfterS,
  tryJson,
} from "./openbao_reply.ts";
import { baoCommand, nameRead, placeOf, type SecretRead } from "./secrets_target.ts";

/** A fault that another try will not mend; `text` names variables and path. */
export interface SecretFault {
  readonly code: Code;
  readonly text: string;
  /** The command that mends this very one; not there: the catalogue's hint says all. */
  readonly hint?: string;
}

/** What one answer means. */
export type Outcome =
  | { readonly kind: "version"; readonly version: KvVersion }
  /** No such path or version, or a standby that lags behind. */
  | { readonly kind: "absent" }
  /** A dead token, or one that may not read this path. */
  | { readonly kind: "forbidden" }
  /** `retryAfterS` is null when OpenBao does not say. */
  | { readonly kind: "limited"; readonly retryAfterS: number | null }
  | { readonly kind: "fault"; readonly fault: SecretFault }
  | { readonly kind: "temporary"; readonly error: Error };

/** The kernel's limit for one `NAME=value` of an environment, its final NUL included. */
const MAX_VARIABLE_BYTES = 128 * 1024;

/** Takes a read and what came back for it; gives what that means. Throws nothing. */
export function outcomeOf(read: SecretRead, answer: HttpReply | Error): Outcome {
  if (answer instanceof Error) {
    return hasCode(answer, "ANSWER_TOO_LARGE")
      ? fault("SECRET_TOO_LARGE", `${nameRead(read)} is too large to be read`)
      : { kind: "temporary", error: answer };
  }
  if (answer.status === 200) return versionOf(read, answer);
  if (answer.status === 404) return absenceOf(read, answer);
  if (isForbidden(answer)) return { kind: "forbidden" };
  if (answer.status === 429) return { kind: "limited", retryAfterS: retryAfterS(answer) };
  const texts = errorTexts(answer);
  if (answer.status === 400 && texts?.some((text) => /^Upgrading from non-versioned/i.test(text))) {
    const message = "OpenBao is still preparing the mount of the secrets";
    return { kind: "temporary", error: new AgentError("BAO_UNAVAILABLE", message) };
  }
  const failure = failureOf(answer, `the read of ${nameRead(read)}`);
  return failure.kind === "temporary"
    ? { kind: "temporary", error: failure }
    : fault(failure.code, failure.message);
}

/** Takes a read that nothing lies at; gives the fault. */
export function absentFault(read: SecretRead): SecretFault {
  const look = baoCommand(read, { kv: "metadata get" });
  const words = [...new Set(read.entries.map(({ key }) => `${key}=-`))];
  const hint = read.version === null
    ? `Write it (${baoCommand(read, { kv: "put", words })}; a "-" reads the value from stdin).`
    : `Pin a version that exists in manifest.json (${look}).`;
  return { code: "SECRET_NOT_FOUND", text: `${nameRead(read)} does not exist`, hint };
}

/**
 * Takes one entry, the read that it belongs to and the version that it lies in; gives the value, or
 * the fault that there is none.
 */
export function valueOf(
  entry: ManifestEntry,
  { read, version }: { readonly read: SecretRead; readonly version: KvVersion },
): Secret | SecretFault {
  const place = `${entry.var} (${placeOf(read)})`;
  const { data } = version;
  if (data === null || !Object.hasOwn(data, entry.key)) {
    const text = `${place} has no key ${JSON.stringify(entry.key)}`;
    const add = baoCommand(read, { kv: "patch", words: [`${entry.key}=-`] });
    const pin = entry.version === null ? "" : " and pin the new version";
    const hint = `Add the key (${add})${pin}, or correct "key" in manifest.json.`;
    return { code: "SECRET_KEY_MISSING", text, hint };
  }
  const value = data[entry.key];
  if (typeof value !== "string") {
    const text = `${place} holds no string under key ${JSON.stringify(entry.key)}`;
    return { code: "SECRET_NOT_STRING", text };
  }
  const bytes = new TextEncoder().encode(value).length + entry.var.length + 2;
  if (bytes > MAX_VARIABLE_BYTES) {
    const text = `${place} is larger than an environment variable can be (128 KiB)`;
    return { code: "SECRET_TOO_LARGE", text };
  }
  return new Secret(value);
}

function versionOf(read: SecretRead, reply: HttpReply): Outcome {
  const what = `the read of ${nameRead(read)}`;
  let json: unknown;
  try {
    json = jsonOf(reply, what);
  } catch (thrown) {
    if (thrown instanceof AgentError) return { kind: "temporary", error: thrown };
    throw thrown;
  }
  const version = readKvVersion(json);
  if (version === null) {
    return fault(
      "BAO_BAD_PATH",
      `${nameRead(read)} was answered in another shape than KV version 2's`,
    );
  }
  if (read.version !== null && version.version !== read.version) {
    const text = `${nameRead(read)} was answered with version ${version.version}`;
    return fault("SECRET_VERSION_MISMATCH", text);
  }
  if (version.data !== null) return { kind: "version", version };
  return lifeless(read, version) ??
    { kind: "temporary", error: badAnswer(reply, what, "without data") };
}

/** 404 with metadata is a version that was; with warnings or a router's text, a wrong mount. */
function absenceOf(read: SecretRead, reply: HttpReply): Outcome {
  const json = tryJson(reply);
  const version = readKvVersion(json);
  if (version !== null) return lifeless(read, version) ?? { kind: "absent" };
  if (hasWarnings(json)) {
    const text = `${
      nameRead(read)
    } lies below a path that OpenBao warns is no path of KV version 2`;
    return fault("BAO_BAD_PATH", text);
  }
  const texts = errorTexts(reply);
  if (texts === null) {
    const error = badAnswer(reply, `the read of ${nameRead(read)}`, "HTTP 404, not OpenBao's");
    return { kind: "temporary", error };
  }
  if (texts.length === 0) return { kind: "absent" };
  const text = `${nameRead(read)} lies below a mount or namespace that OpenBao does not have`;
  return fault("BAO_BAD_PATH", text);
}

function lifeless(read: SecretRead, version: KvVersion): Outcome | null {
  if (version.destroyed) {
    const look = baoCommand(read, { kv: "metadata get" });
    const hint = `Pin a version that exists in manifest.json (${look}).`;
    return fault("SECRET_DESTROYED", `${nameRead(read)} was destroyed`, hint);
  }
  if (version.deletionTime === "") return null;
  const undelete = baoCommand(read, { kv: "undelete", flags: [`-versions=${version.version}`] });
  const hint = `Bring it back (${undelete}), or pin another version in manifest.json.`;
  return fault("SECRET_DELETED", `${nameRead(read)} was deleted`, hint);
}

function fault(code: Code, text: string, hint?: string): Outcome {
  return { kind: "fault", fault: { code, text, ...hint === undefined ? {} : { hint } } };
}
