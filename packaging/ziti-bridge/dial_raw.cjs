/**
 * Dialling with `dial`, `write` and `close`, all that the addon had up to 0.27. Its faults decide the
 * shape (facts of the addon's source, 0.13.3):
 * - The status of a failed dial is lost: the addon throws past every handler. So one dial at a time,
 *   and what is thrown then belongs to it (`claimThrown`).
 * - At the other side's end the addon closes the connection itself without a word, and closing it
 *   again is use after free. Dialled as a websocket it does not, so every connection is.
 *   What ends with the connection is therefore not seen to end: the agent's deadline ends it.
 * - One write at a time, and the callback of a refused one never comes.
 * - Reading cannot be held back: what is not taken is kept, up to a limit.
 */
"use strict";

const { Duplex } = require("node:stream");
const { Fault, faultOf, within } = require("./faults.cjs");

const WRITE_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;
const LAST_WORDS_MS = 500;
/** A bundle of 16 MiB in base64, and as much again. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;
const MAY_DIAL = 1;

class RawConnection extends Duplex {
  #addon;
  #handle = null;
  #writing = Promise.resolve();

  constructor(addon) {
    super({ allowHalfOpen: true, autoDestroy: true });
    this.#addon = addon;
  }

  open(handle) {
    this.#handle = handle;
    if (this.destroyed) this.#close();
  }

  take(chunk) {
    if (this.destroyed) return;
    this.push(Buffer.from(chunk));
    if (this.readableLength > MAX_KEPT_BYTES) {
      this.destroy(
        new Fault("ZITI_BRIDGE_FAILED", "the agent reads too slowly"),
      );
    }
  }

  _read() {}

  _write(chunk, _encoding, done) {
    this.#writing = this.#writeAll(chunk);
    this.#writing.then(() => done(), done);
  }

  async #writeAll(chunk) {
    for (let at = 0; at < chunk.length && this.#handle !== null;) {
      const coming = new Promise((resolve) =>
        this.#addon.write(this.#handle, chunk.subarray(at), resolve)
      );
      const { status } = await within(coming, {
        timeoutMs: WRITE_TIMEOUT_MS,
        what: "a write",
      });
      if (!(status > 0)) throw faultOf(status, "ZITI_UNAVAILABLE");
      at += status;
    }
  }

  // There is no half-close to pass on, and the agent makes none: its end is its going away.
  _final(done) {
    setTimeout(() => this.destroy(), LAST_WORDS_MS);
    done();
  }

  _destroy(error, done) {
    const settled = this.#writing.catch(() => {});
    within(settled, { timeoutMs: CLOSE_TIMEOUT_MS, what: "a write" })
      .catch(() => {})
      .then(() => this.#close());
    done(error);
  }

  #close() {
    if (this.#handle === null) return;
    const handle = this.#handle;
    this.#handle = null;
    this.#addon.close(handle);
  }
}

let queue = Promise.resolve();
let failPending = null;

/**
 * @param {object} addon the package, logged in
 * @param {string} service name
 * @param {number} timeoutMs limit for the dial
 * @returns {Promise<Duplex>} the connection; rejects with a Fault
 */
function dialRaw(addon, service, timeoutMs) {
  const dialling = queue.then(() => dialOne(addon, service, timeoutMs));
  queue = dialling.catch(() => {});
  return dialling;
}

async function dialOne(addon, service, timeoutMs) {
  const { status, permissions } = await within(
    new Promise((resolve) => addon.serviceAvailable(service, resolve)),
    { timeoutMs, what: "asking for the service" },
  );
  if (status !== 0) throw faultOf(status, "ZITI_SERVICE_UNAVAILABLE");
  if (permissions !== undefined && (permissions & MAY_DIAL) === 0) {
    throw new Fault(
      "ZITI_SERVICE_UNAVAILABLE",
      "this identity may not dial the service",
    );
  }
  const connection = new RawConnection(addon);
  connection.on("error", () => {});
  const coming = new Promise((resolve, reject) => {
    failPending = reject;
    addon.dial(service, true, (handle) => {
      connection.open(handle);
      resolve(connection);
    }, (chunk) => connection.take(chunk));
  });
  try {
    return await within(coming, { timeoutMs, what: "the dial" });
  } catch (thrown) {
    connection.destroy();
    throw thrown;
  } finally {
    failPending = null;
  }
}

/**
 * @param {unknown} thrown what reached the top of the process
 * @returns {boolean} whether it is the addon's way to say that the pending dial failed
 */
function claimThrown(thrown) {
  if (
    failPending === null || !/napi_/.test(String(thrown?.message ?? thrown))
  ) return false;
  failPending(
    new Fault(
      "ZITI_SERVICE_UNAVAILABLE",
      "the dial failed, and the addon does not say why",
    ),
  );
  return true;
}

module.exports = { claimThrown, dialRaw };
