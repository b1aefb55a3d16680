/**
 * Standard input: the agent's settings in its first line, its commands after that, and its life. The
 * rest is read by a thread of its own, so that the bridge ends with the agent although the addon may
 * hold the main thread.
 */
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { Worker } = require("node:worker_threads");
const { Fault } = require("./faults.cjs");

const MAX_LINE_BYTES = 64 * 1024;

/** @returns {object} the first line, parsed; throws a Fault when it is not what the agent sends */
function readSettings() {
  const line = [];
  const byte = Buffer.alloc(1);
  while (line.length < MAX_LINE_BYTES) {
    if (fs.readSync(0, byte, 0, 1, null) === 0 || byte[0] === 0x0a) break;
    line.push(byte[0]);
  }
  try {
    return checked(JSON.parse(Buffer.from(line).toString("utf8")));
  } catch {
    throw new Fault(
      "ZITI_BRIDGE_FAILED",
      "the bridge was not started by the agent",
    );
  }
}

function checked(settings) {
  const { identity, folder, sockets, loginTimeoutMs, dialTimeoutMs } = settings;
  const isText = (value) => typeof value === "string" && value.length > 0;
  const isRight = isText(identity) && isText(folder) &&
    Array.isArray(sockets) &&
    sockets.every(({ name, service }) => /^[a-z]{1,16}\.sock$/.test(name) && isText(service)) &&
    loginTimeoutMs > 0 && dialTimeoutMs > 0;
  if (!isRight) throw new Error("not the agent's settings");
  return settings;
}

/**
 * Starts the thread.
 * @param {{onListen: () => void, onEnd: () => void}} hooks `onEnd` has half a second; then the thread
 *   ends the process
 * @returns {(path: string, ino: number) => void} names a file that the thread removes in the end
 */
function watch({ onListen, onEnd }) {
  const worker = new Worker(path.join(__dirname, "lifeline_thread.cjs"), {
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  });
  worker.on("message", (word) => word === "listen" ? onListen() : onEnd());
  return (path, ino) => worker.postMessage({ path, ino });
}

module.exports = { readSettings, watch };
