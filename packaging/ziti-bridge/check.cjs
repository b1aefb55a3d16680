/**
 * For a person: logs in with an identity, dials services, says how long each took and how it ended.
 *
 *     node check.cjs IDENTITY SERVICE...
 *
 * Uses the very code that the bridge uses. Exit code 0 when every dial succeeded, 1 otherwise, 64 for
 * a wrong command line. The addon's own log is on standard error (ZITI_LOG=4 makes it tell more).
 */
"use strict";

const process = require("node:process");
const { faultOf } = require("./faults.cjs");
const { claimThrown } = require("./dial_raw.cjs");
const { openMesh } = require("./mesh.cjs");

const LIMITS = { loginTimeoutMs: 15_000, dialTimeoutMs: 10_000 };

async function timed(what, act) {
  const from = Date.now();
  try {
    const value = await act();
    console.log(`ok      ${what} (${Date.now() - from} ms)`);
    return value;
  } catch (thrown) {
    const { code, message } = faultOf(thrown, "ZITI_UNAVAILABLE");
    console.log(
      `FAILED  ${what} (${Date.now() - from} ms): ${code}: ${message}`,
    );
    return null;
  }
}

async function main([identity, ...services]) {
  if (identity === undefined || services.length === 0) {
    console.error("usage: node check.cjs IDENTITY SERVICE...");
    return 64;
  }
  const mesh = await timed("login", () => openMesh({ identity, ...LIMITS }));
  if (mesh === null) return 1;
  console.log(`        the addon speaks ${mesh.api}()`);
  let failed = 0;
  for (const service of services) {
    const stream = await timed(`dial ${service}`, () => mesh.dial(service));
    if (stream === null) failed += 1;
    stream?.on("error", () => {}).destroy();
  }
  mesh.close();
  return failed === 0 ? 0 : 1;
}

process.on("uncaughtException", (thrown) => {
  if (!claimThrown(thrown)) throw thrown;
});
// The addon's handles keep Node alive for ever.
main(process.argv.slice(2)).then((code) => setTimeout(() => process.exit(code), 100));
