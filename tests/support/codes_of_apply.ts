/** Codes of bundles, secrets, tenancy and OpenBao, on a box where a release runs. */

import { adminRequest } from "../../scripts/lab/mod.ts";
import type { Box } from "../../scripts/box/box.ts";
import { type Entry, type WebBundle, webBundle } from "./bundles.ts";
import { readSession } from "./broken_boxes.ts";
import { type CodeScenario, lieAboutSecrets, otherRole, tickAfter } from "./codes_by_run.ts";

async function publish(box: Box, bundle: WebBundle): Promise<void> {
  await box.tenancy.publish(box.env, webBundle({ revision: crypto.randomUUID(), ...bundle }));
}

const reads = (...entries: readonly Entry[]): WebBundle => ({ entries });

/** A secret that was written and then met a fate: `delete` or `destroy`. */
async function lost(box: Box, path: "delete" | "destroy"): Promise<void> {
  const version = await box.secret(path, { value: "x" });
  const target = `monky/${path}/${box.env}/see/${path}`;
  await adminRequest(box.bao, "POST", target, { versions: [version] });
  await publish(box, reads({ var: "A", path, version }));
}

function kv(data: unknown, version: number): Response {
  const metadata = { version, destroyed: false, deletion_time: "", created_time: "" };
  return Response.json({ data: { data, metadata } });
}

const KEY: Entry = { var: "KEY", path: "key", version: 1 };

/** Each on a box that runs the release of serial 1 and holds a token of its only lease. */
export const CODES_OF_APPLY: readonly CodeScenario[] = [
  tickAfter("AGENT_TOO_OLD", "a bundle for a newer agent", async (box) => {
    await publish(box, { meta: { agent: { min_version: "99.0.0" } } });
  }),
  tickAfter("ROLLBACK_REFUSED", "an older serial", async (box) => {
    await box.tenancy.publish(box.env, webBundle({ revision: "older" }), { serial: 1 });
  }),
  tickAfter("BUNDLE_UNSIGNED", "no signature where keys are configured", async (box) => {
    await box.configure({ tenancy: { bundle_keys: [box.tenancy.bundlePublicKeyPem] } });
    await publish(box, {});
  }),
  tickAfter("BUNDLE_SIGNATURE_INVALID", "a signature of another key", async (box) => {
    await box.configure({ tenancy: { bundle_keys: [box.tenancy.grantPublicKeyPem] } });
    await box.tenancy.publish(box.env, webBundle({ revision: "signed" }), { sign: true });
  }),
  tickAfter("DISK_INSUFFICIENT", "an image larger than the disk", async (box) => {
    await publish(box, { meta: { images: [{ ref: "lab/none:1", size_bytes: 2 ** 50 }] } });
  }),
  tickAfter("ENV_VALUE_INVALID", "a secret that holds NUL", async (box) => {
    await box.secret("nul", { value: "a\0b" });
    await publish(box, reads({ var: "A", path: "nul" }));
  }),
  tickAfter("ENV_TOO_LARGE", "a variable that no program could be given", async (box) => {
    await publish(box, { template: `A=${"x".repeat(140_000)}\n` });
  }),
  tickAfter("SECRET_NOT_FOUND", "a path that nobody wrote", async (box) => {
    await publish(box, reads({ var: "A", path: "nowhere" }));
  }),
  tickAfter("SECRET_DELETED", "a version that was deleted", (box) => lost(box, "delete")),
  tickAfter("SECRET_DESTROYED", "a version that was destroyed", (box) => lost(box, "destroy")),
  tickAfter("SECRET_FORBIDDEN", "a folder that the policy does not give", async (box) => {
    await box.configure({ bao: { kv_prefix: "sea" } });
    await publish(box, reads(KEY));
  }),
  tickAfter("SECRET_KEY_MISSING", "a key that the secret does not have", async (box) => {
    await publish(box, reads({ ...KEY, key: "other" }));
  }),
  tickAfter("SECRET_NOT_STRING", "a number", async (box) => {
    await box.secret("number", { value: 5 });
    await publish(box, reads({ var: "A", path: "number" }));
  }),
  tickAfter("SECRET_TOO_LARGE", "a secret of 140,000 bytes", async (box) => {
    await box.secret("large", { value: "x".repeat(140_000) });
    await publish(box, reads({ var: "A", path: "large" }));
  }),
  tickAfter("SECRET_VERSION_MISMATCH", "an answer of another version", async (box, later) => {
    await lieAboutSecrets(box, later, () => kv({ value: "x" }, 7));
    await publish(box, reads(KEY));
  }),
  tickAfter("BAO_BAD_PATH", "an answer as KV version 1 gives it", async (box, later) => {
    await lieAboutSecrets(box, later, () => Response.json({ data: { value: "x" } }));
    await publish(box, reads(KEY));
  }),
  tickAfter("BAO_REFUSED", "a request that OpenBao does not take", async (box, later) => {
    await lieAboutSecrets(box, later, () => Response.json({ errors: ["no"] }, { status: 400 }));
    await publish(box, reads(KEY));
  }),
  tickAfter("BAO_REDIRECTED", "a standby that points elsewhere", async (box, later) => {
    const headers = { location: "https://other.invalid/v1/x" };
    await lieAboutSecrets(box, later, () => new Response(null, { status: 307, headers }));
    await publish(box, reads(KEY));
  }),
  tickAfter("BAO_RATE_LIMITED", "a quota that is used up", async (box, later) => {
    const headers = { "retry-after": "60" };
    const errors = ["rate limit exceeded"];
    await lieAboutSecrets(box, later, () => Response.json({ errors }, { status: 429, headers }));
    await publish(box, reads(KEY));
  }),
  tickAfter("TENANCY_REFUSED", "a code that the protocol does not know", (box) => {
    box.tenancy.faults.arm({ kind: "status", call: "checkin", status: 400, code: "SOMETHING" });
    return Promise.resolve();
  }),
  tickAfter("ANSWER_TOO_LARGE", "a check-in of 2 MiB", (box) => {
    box.tenancy.faults.arm({ kind: "huge_body", call: "checkin", bytes: 2 << 20 });
    return Promise.resolve();
  }),
  {
    code: "GRANT_CONSUMED",
    when: "the grant of the first tick, and no token",
    run: async (box, later) => {
      const path = `${box.stateDir}/session.json`;
      const session = await readSession(box);
      later(() => Deno.writeTextFile(path, JSON.stringify(session)));
      await Deno.writeTextFile(path, JSON.stringify({ ...session, token: null }));
      await Deno.copyFile(`${box.dir}/used.jwt`, box.bootstrapFile);
      later(() => Deno.remove(box.bootstrapFile));
      return await box.tick();
    },
  },
];

/** Use up what the box has: nothing of the above can follow on the same box. */
export const LAST_CODES_OF_APPLY: readonly CodeScenario[] = [
  tickAfter(
    "LEASE_RATE_LIMITED",
    "a token that OpenBao forgot while tenancy's leases are used up",
    async (box) => {
      const { token } = await readSession(box) as { readonly token: { readonly accessor: string } };
      const { accessor } = token;
      await adminRequest(box.bao, "POST", "auth/token/revoke-accessor", { accessor });
      await publish(box, reads(KEY));
    },
  ),
  tickAfter(
    "BAO_TOKEN_DEAD",
    "a token that dies between two reads, and no lease for another",
    async (box, later) => {
      // Its first read uses it up.
      const role = await otherRole(box, { token_num_uses: 1 }, later);
      await box.configure({ bao: { role } });
      await box.reveal();
      await box.secret("second", { value: "x" });
      await publish(box, reads(KEY, { var: "A", path: "second" }));
    },
  ),
];
