/** The thread that waits for the agent's next word, or for its end; see lifeline.cjs. */
"use strict";

const fs = require("node:fs");
const { parentPort, receiveMessageOnPort } = require("node:worker_threads");

const GRACE_MS = 500;
const still = new Int32Array(new SharedArrayBuffer(4));
const bytes = Buffer.alloc(256);
let rest = "";

for (;;) {
  let count = 0;
  try {
    count = fs.readSync(0, bytes, 0, bytes.length, null);
  } catch (thrown) {
    if (thrown.code === "EAGAIN") {
      Atomics.wait(still, 0, 0, 50);
      continue;
    }
  }
  if (count === 0) break;
  const lines = `${rest}${bytes.toString("latin1", 0, count)}`.split("\n");
  rest = lines.pop().slice(-bytes.length);
  for (const line of lines) parentPort.postMessage(line);
}
parentPort.postMessage("end");
Atomics.wait(still, 0, 0, GRACE_MS);
// A main thread that the addon holds has not tidied: only what is still its own goes.
for (
  let told = receiveMessageOnPort(parentPort);
  told;
  told = receiveMessageOnPort(parentPort)
) {
  const { path, ino } = told.message;
  try {
    if (fs.lstatSync(path).ino === ino) fs.unlinkSync(path);
  } catch {
    // Gone already.
  }
}
process.kill(process.pid, "SIGKILL");
