/**
 * The signature of a bundle (SPEC §3): a compact JWS, ES256, over `{sha, env_id, serial, iat}`.
 * Asked for only when `tenancy.bundle_keys` is configured; any of the keys may have signed.
 */

import { AgentError } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import type { Ports } from "../ports.ts";

const MAX_KEY_BYTES = 16 << 10;

/** What the signature is held against. */
export interface SignatureFacts {
  readonly envId: string;
  /** The serial that the check-in named, if any. */
  readonly desiredSerial: number | null;
  /** Public keys as PEM text, or absolute paths of PEM files. */
  readonly keys: readonly string[];
}

/**
 * Checks the bundle's signature. Throws BUNDLE_UNSIGNED, BUNDLE_SIGNATURE_INVALID, and CONFIG_INVALID
 * or FILE_UNREADABLE when a configured key cannot be used.
 */
export async function verifySignature(
  ports: Pick<Ports, "files">,
  bundle: Pick<Bundle, "sha" | "serial" | "signature">,
  facts: SignatureFacts,
): Promise<void> {
  const name = bundle.sha.slice(0, 12);
  if (bundle.signature === null) {
    throw new AgentError("BUNDLE_UNSIGNED", `bundle ${name} carries no signature`);
  }
  const { signature } = bundle;
  for (const [index, key] of facts.keys.entries()) {
    const payload = await payloadOf(signature, await readKey(ports, key), index);
    if (payload !== null) {
      refuseOtherPayload(payload, bundle, facts);
      return;
    }
  }
  throw new AgentError(
    "BUNDLE_SIGNATURE_INVALID",
    `bundle ${name} is signed by none of the ${facts.keys.length} configured keys`,
  );
}

async function readKey(ports: Pick<Ports, "files">, key: string): Promise<string> {
  if (!key.startsWith("/")) return key;
  const bytes = await ports.files.read(key, MAX_KEY_BYTES);
  if (bytes === null) throw new AgentError("FILE_UNREADABLE", `the key file ${key} is not there`);
  return new TextDecoder().decode(bytes);
}

/** The payload, when this key signed it; null when it did not. */
async function payloadOf(
  signature: string,
  pem: string,
  index: number,
): Promise<Readonly<Record<string, unknown>> | null> {
  // Loaded only where signatures are asked for: a converged tick has no use for it.
  const { compactVerify, importSPKI } = await import("./jws.ts");
  let key: Awaited<ReturnType<typeof importSPKI>>;
  try {
    key = await importSPKI(pem, "ES256");
  } catch {
    throw new AgentError(
      "CONFIG_INVALID",
      `tenancy.bundle_keys[${index}] is no P-256 public key in PEM`,
    );
  }
  try {
    const verified = await compactVerify(signature, key, { algorithms: ["ES256"] });
    const payload: unknown = JSON.parse(new TextDecoder().decode(verified.payload));
    return typeof payload === "object" && payload !== null && !Array.isArray(payload)
      ? payload as Readonly<Record<string, unknown>>
      : {};
  } catch {
    // Which of many things is wrong with a foreign signature helps nobody but its maker.
    return null;
  }
}

function refuseOtherPayload(
  payload: Readonly<Record<string, unknown>>,
  bundle: Pick<Bundle, "sha" | "serial">,
  facts: SignatureFacts,
): void {
  const serial = bundle.serial ?? facts.desiredSerial;
  const wrong = [
    payload["sha"] === bundle.sha ? null : "sha",
    payload["env_id"] === facts.envId ? null : "env_id",
    (payload["serial"] ?? null) === serial ? null : "serial",
  ].filter((field) => field !== null);
  if (wrong.length === 0) return;
  throw new AgentError(
    "BUNDLE_SIGNATURE_INVALID",
    `the signature of bundle ${bundle.sha.slice(0, 12)} is for another ${wrong.join(", ")}`,
  );
}
