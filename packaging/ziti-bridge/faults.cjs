/**
 * What the addon says, in its numbers and its sentences, as the codes that the agent knows. The
 * addon's own text goes no further than this file: what is said outside is made of our words.
 */
"use strict";

/** A failure with a code of the agent's catalogue. */
class Fault extends Error {
  /**
   * @param {string} code ZITI_IDENTITY, ZITI_UNAVAILABLE, ZITI_SERVICE_UNAVAILABLE, ZITI_TIMEOUT or ZITI_BRIDGE_FAILED
   * @param {string} what one sentence of ours, without a newline
   */
  constructor(code, what) {
    super(what);
    this.code = code;
  }
}

/** The status numbers of the C SDK (ziti/errors.h) that have a meaning for the agent. */
const BY_STATUS = new Map([
  ...[
    -1,
    -10,
    -11,
    -13,
    -14,
    -25,
    -26,
    -27,
    -28,
    -30,
    -31,
    -32,
    -33,
    -34,
    -35,
    -36,
    -37,
    -39,
  ]
    .map((status) => [status, "ZITI_IDENTITY"]),
  ...[-16, -17, -21, -22, -23, -38, -42, -111].map((
    status,
  ) => [status, "ZITI_UNAVAILABLE"]),
  ...[-15, -18, -19, -24, -29].map((
    status,
  ) => [status, "ZITI_SERVICE_UNAVAILABLE"]),
  [-20, "ZITI_TIMEOUT"],
]);

/** Sentences that come without a number, newest addon included. */
const BY_TEXT = [
  [
    /service.*not available|connection.*closed|no terminators/i,
    "ZITI_SERVICE_UNAVAILABLE",
  ],
  [/time(?:d\s)?out|in time/i, "ZITI_TIMEOUT"],
  [/controller|gateway|edge router|not connected|aborted/i, "ZITI_UNAVAILABLE"],
  [/authenticat|identity|certificate|config|key/i, "ZITI_IDENTITY"],
];

const WORDS = {
  ZITI_IDENTITY: "the mesh does not accept the identity",
  ZITI_UNAVAILABLE: "the controller or a router cannot be reached",
  ZITI_SERVICE_UNAVAILABLE: "the service is not there, or this identity may not dial it",
  ZITI_TIMEOUT: "the mesh did not answer in time",
  ZITI_BRIDGE_FAILED: "the bridge broke",
};

/**
 * @param {unknown} thrown what the addon gave: an Error with or without a number, a text, a number
 * @param {string} otherwise the code when nothing in it is known
 * @returns {Fault} the same in the agent's words
 */
function faultOf(thrown, otherwise) {
  if (thrown instanceof Fault) return thrown;
  const status = numberIn(thrown);
  const text = String(thrown?.message ?? thrown);
  const code = BY_STATUS.get(status) ??
    BY_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? otherwise;
  const number = status === null ? "" : ` (status ${status})`;
  return new Fault(code, `${WORDS[code]}${number}`);
}

function numberIn(thrown) {
  const status = Number(typeof thrown === "number" ? thrown : thrown?.code);
  return Number.isInteger(status) && status < 0 ? status : null;
}

/**
 * Waits for a promise, but not for ever: the addon has no deadlines (login, dial, write).
 * @param {Promise<unknown>} coming what is waited for
 * @param {{timeoutMs: number, what: string, late?: (value: unknown) => void}} options `late` gets what comes afterwards
 * @returns {Promise<unknown>} what came in time; rejects with ZITI_TIMEOUT otherwise
 */
function within(coming, { timeoutMs, what, late = () => {} }) {
  return new Promise((resolve, reject) => {
    let over = false;
    const timer = setTimeout(() => {
      over = true;
      reject(
        new Fault("ZITI_TIMEOUT", `${what} did not end within ${timeoutMs} ms`),
      );
    }, timeoutMs);
    coming.then((value) => {
      clearTimeout(timer);
      if (over) late(value);
      else resolve(value);
    }, (thrown) => {
      clearTimeout(timer);
      reject(thrown);
    });
  });
}

module.exports = { Fault, faultOf, within };
