/**
 * The bridge between monky-deployd and the mesh: logs in with the box's identity, offers one private
 * unix socket a service, and ends with the agent. It exists because the addon kills the agent's own
 * runtime; every fault of the addon stays in this process.
 *
 * Speaks JSON lines on standard output: `{"say":"ready","api"}`, `{"say":"listening"}` and
 * `{"say":"failed","code","what"}`, nothing else. Reads settings, `listen` and the end of the agent
 * on standard input (lifeline.cjs). Knows no token: TLS ends in the agent, HTTP is not looked at.
 */
"use strict";

const fs = require("node:fs");
const { Fault, faultOf } = require("./faults.cjs");
const { claimThrown } = require("./dial_raw.cjs");
const { readSettings, watch } = require("./lifeline.cjs");
const { openMesh } = require("./mesh.cjs");
const { createRelay, enterFolder } = require("./relay.cjs");

/** How long the addon may take to say goodbye to its routers. */
const GOODBYE_MS = 100;

let relay = null;
let mesh = null;
let isEnding = false;

function say(message) {
  try {
    fs.writeSync(1, `${JSON.stringify(message)}\n`);
  } catch {
    // The agent is gone: standard input tells.
  }
}

/** Ends without Node's own way out: handlers of the addon run there, and some never return. */
function end() {
  if (isEnding) return;
  isEnding = true;
  relay?.close();
  mesh?.close();
  setTimeout(
    () => process.kill(process.pid, "SIGKILL"),
    mesh === null ? 0 : GOODBYE_MS,
  );
}

function fail(thrown) {
  if (isEnding) return;
  const { code, message } = faultOf(thrown, "ZITI_BRIDGE_FAILED");
  say({ say: "failed", code, what: message });
  end();
}

function listenAgain() {
  relay?.listen().then(() => say({ say: "listening" }), fail);
}

async function main() {
  const settings = readSettings();
  const forget = watch({ onListen: listenAgain, onEnd: end });
  enterFolder(settings.folder);
  mesh = await openMesh(settings);
  relay = createRelay(settings.sockets, mesh.dial, forget);
  await relay.listen();
  say({ say: "ready", api: mesh.api });
}

// What packages print must not get between the lines that the agent reads.
console.log = console.info = console.debug = console.error;
process.umask(0o077);
// The agent ends the bridge: a signal to the whole group must not do so in the middle of a tick.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
  process.on(signal, () => {});
}
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (thrown) => {
    if (claimThrown(thrown)) return;
    fail(
      new Fault(
        "ZITI_BRIDGE_FAILED",
        "the addon threw where nobody could catch it",
      ),
    );
  });
}

main().catch(fail);
