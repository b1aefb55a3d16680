/** The KV version 2 mount of OpenBao's stand-in (facts: openbao §1.6, §1.7). */

import type { HttpReply } from "../../src/ports.ts";
import { envelope, errors } from "./openbao_reply.ts";
import type { FakeSecret, FakeState, FakeVersion } from "./openbao_state.ts";

const KEPT_VERSIONS = 10;

/** Writes a new version; gives its number. The oldest beyond ten is pruned. */
export function putVersion(
  state: FakeState,
  path: string,
  data: Readonly<Record<string, unknown>>,
): number {
  const secret = secretAt(state, path);
  const now = state.now();
  secret.newest++;
  secret.versions.set(secret.newest, {
    data,
    createdAtMs: now,
    deletedAtMs: secret.deleteAfterMs === null ? null : now + secret.deleteAfterMs,
    destroyed: false,
  });
  secret.versions.delete(secret.newest - KEPT_VERSIONS);
  return secret.newest;
}

/** Gives the secret at the path, an empty one when there is none. */
export function secretAt(state: FakeState, path: string): FakeSecret {
  const found = state.secrets.get(path);
  if (found !== undefined) return found;
  const secret: FakeSecret = { versions: new Map(), newest: 0, deleteAfterMs: null };
  state.secrets.set(path, secret);
  return secret;
}

/** Answers `GET monky/data/<path>?version=<version>`. */
export function answerRead(state: FakeState, path: string, version: string | null): HttpReply {
  const asked = version === null ? 0 : Number(version);
  if (!Number.isInteger(asked)) {
    return errors(400, `error converting input ${version} for field "version"`);
  }
  const secret = state.secrets.get(path);
  const number = asked > 0 ? asked : secret?.newest ?? 0;
  const found = secret?.versions.get(number);
  if (found === undefined) return errors(404);
  const isGone = found.destroyed ||
    (found.deletedAtMs !== null && found.deletedAtMs <= state.now());
  return envelope(isGone ? 404 : 200, {
    data: { data: isGone ? null : found.data, metadata: metadataOf(number, found) },
  });
}

/** Answers `LIST monky/metadata/<folder>/`. */
export function answerList(state: FakeState, folder: string): HttpReply {
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  const keys = new Set<string>();
  for (const path of state.secrets.keys()) {
    if (!path.startsWith(prefix)) continue;
    const [head = "", ...rest] = path.slice(prefix.length).split("/");
    keys.add(rest.length === 0 ? head : `${head}/`);
  }
  return keys.size === 0 ? errors(404) : envelope(200, { data: { keys: [...keys].sort() } });
}

function metadataOf(number: number, version: FakeVersion): unknown {
  const { deletedAtMs, createdAtMs, destroyed } = version;
  return {
    created_time: new Date(createdAtMs).toISOString(),
    custom_metadata: null,
    deletion_time: deletedAtMs === null ? "" : new Date(deletedAtMs).toISOString(),
    destroyed,
    version: number,
  };
}
