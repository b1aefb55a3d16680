/**
 * Stands in for the package @openziti/ziti-sdk-nodejs, whose binary no registry here serves: the same
 * surface in both generations, and the same faults, each as the facts about the real one have it.
 * "The mesh" is loopback: a service is a port of 127.0.0.1. What crashes the real addon ends this
 * process with SIGSEGV.
 *
 * Options: `api` ("connect" or "dial"), `services` {name: {port} | {fault} | {failMs}}, `login`, `say` (printed
 * through console.log when loaded), `garbage` (written to standard output after the login), `marker`
 * (a file that gets a line for each call).
 */
"use strict";

const fs = require("node:fs");
const net = require("node:net");
const process = require("node:process");

const CHUNK_BYTES = 16 * 1024;
const SERVICE_UNAVAILABLE = -18;

/** Gives the package's exports. */
function makeStandin(options) {
  const state = { options, isLoggedIn: false };
  if (options.say) console.log(options.say);
  const common = {
    init: (path) => init(state, path),
    serviceAvailable: (name, done) => {
      mustBeLoggedIn(state);
      const known = options.services[name] !== undefined;
      setTimeout(done, 1, { status: known ? 0 : SERVICE_UNAVAILABLE, permissions: known ? 1 : 0 });
    },
  };
  // The package leaves the raw addon in a sloppy global, and exports no shutdown.
  globalThis.ziti = { ziti_shutdown: () => mark(state, "shutdown") };
  return options.api === "dial"
    ? { ...common, ...oldApi(state) }
    : { ...common, connect: (service, done) => connect(state, service, done) };
}

function init(state, path) {
  const { login = {} } = state.options;
  mark(state, "init");
  // Its handles are never released: the process never ends by itself.
  setInterval(() => {}, 1_000_000);
  if (login.block) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (login.crash) crash();
  if (login.never) return new Promise(() => {});
  if (login.flood) flood(login.flood);
  if (login.throwLater) {
    setTimeout(() => {
      throw new Error("secret of the addon");
    }, 20);
  }
  if (login.throwLater) return new Promise(() => {});
  if (login.reject !== undefined) return rejected(login.reject, login.code);
  if (login.resolve !== undefined) return Promise.resolve(login.resolve);
  let file = null;
  try {
    file = fs.readFileSync(path, "utf8");
  } catch {
    return rejected("Configuration not found", -1);
  }
  try {
    JSON.parse(file);
  } catch {
    return rejected("Configuration is invalid", -13);
  }
  return new Promise((resolve) => {
    const settle = () => {
      if (login.until && !fs.existsSync(login.until)) return void setTimeout(settle, 10);
      state.isLoggedIn = true;
      if (state.options.garbage) fs.writeSync(1, state.options.garbage);
      resolve(0);
    };
    setTimeout(settle, login.ms ?? 5);
  });
}

/** Writes so many bytes that are no line of the bridge's, as long as somebody reads them. */
function flood(bytes) {
  const part = Buffer.alloc(1 << 20, "x");
  for (let left = bytes; left > 0;) {
    try {
      left -= fs.writeSync(1, part);
    } catch (error) {
      // The pipe is full, and does not block.
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function rejected(text, code) {
  return Promise.reject(
    code === undefined ? new Error(text) : Object.assign(new Error(text), { code }),
  );
}

/** Since 0.28: the other end of a socket pair, wrapped by JavaScript. Failures are texts without codes. */
function connect(state, service, done) {
  mustBeLoggedIn(state);
  mark(state, `connect ${service}`);
  const entry = state.options.services[service];
  if (entry === undefined) return void setTimeout(done, 1, new Error("service not available"));
  if (entry.fault === "crash") crash();
  if (entry.fault === "never") return;
  if (entry.failMs !== undefined) {
    // As the C SDK logs a failed dial: on standard error, two lines.
    console.error("ERROR ziti-sdk:connect.c connect failed\nERROR ziti-sdk:conn closed");
    return void setTimeout(() => {
      mark(state, `failed ${service}`);
      done(new Error("connection is closed"));
    }, entry.failMs);
  }
  if (entry.fault === "block") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (entry.fault === "throw") {
    setTimeout(() => {
      throw new Error("secret of the addon");
    }, 1);
  }
  if (entry.fault === "throw") return;
  const socket = net.connect(entry.port, "127.0.0.1");
  const closed = () => done(new Error("connection is closed"));
  socket.once("error", closed);
  socket.once("connect", () => {
    socket.off("error", closed);
    if (entry.lateMs === undefined) done(undefined, socket);
    else setTimeout(done, entry.lateMs, undefined, socket);
  });
}

/** Up to 0.27 (0.13.3 measured at its source): raw handles that JavaScript must not touch once they are closed. */
function oldApi(state) {
  const open = new Map();
  let last = 0x7f00;
  return {
    dial: (service, isWebSocket, onConnect, onData) => {
      mustBeLoggedIn(state);
      mark(state, `dial ${service}`);
      const entry = state.options.services[service];
      if (entry?.fault === "never") return;
      if (entry?.fault === "crash") crash();
      const socket = net.connect(entry?.port ?? 1, "127.0.0.1");
      const handle = last += 16;
      const record = { socket, isWriting: false };
      // onConnect is not called; a bug turns the failure into what nobody can catch.
      socket.once("error", () => {
        if (!open.has(handle)) throw new Error("Unable to napi_get_undefined (1)");
        open.delete(handle);
      });
      socket.once("connect", () => {
        open.set(handle, record);
        onConnect(handle);
      });
      socket.on("data", (chunk) => {
        for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
          onData(chunk.subarray(at, at + CHUNK_BYTES));
        }
      });
      // No word to JavaScript: unless it was dialled as a websocket, the handle is dead from here on.
      socket.once("end", () => {
        if (!isWebSocket) open.delete(handle);
      });
    },
    write: (handle, chunk, done) => {
      const record = open.get(handle) ?? crash();
      if (record.isWriting || !Buffer.isBuffer(chunk)) crash();
      // A refused write never calls back.
      if (record.socket.destroyed || record.socket.writableEnded) return;
      record.isWriting = true;
      record.socket.write(Buffer.from(chunk), () => {
        record.isWriting = false;
        done({ conn: handle, status: chunk.length });
      });
    },
    close: (handle) => {
      const record = open.get(handle) ?? crash();
      mark(state, "close");
      open.delete(handle);
      record.socket.destroy();
    },
  };
}

function mustBeLoggedIn({ isLoggedIn }) {
  if (!isLoggedIn) crash();
}

function crash() {
  process.kill(process.pid, "SIGSEGV");
  // The signal is on its way; nothing after it happens.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function mark({ options }, line) {
  if (options.marker) fs.appendFileSync(options.marker, `${line}\n`);
}

module.exports = { makeStandin };
