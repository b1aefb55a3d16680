/**
 * The addon: finding it, logging in, dialling, ending. Nothing is dialled before the login is done,
 * since that crashes the process; the login has a deadline, since the addon's never ends when the
 * controller is away or the identity was deleted.
 */
"use strict";

const { Fault, faultOf, within } = require("./faults.cjs");
const { dialByConnect } = require("./dial_connect.cjs");
const { dialRaw } = require("./dial_raw.cjs");

const PACKAGE = "@openziti/ziti-sdk-nodejs";

/** @returns {object} the package; throws a Fault that says why it cannot be had */
function loadAddon() {
  let addon;
  try {
    addon = require(PACKAGE);
  } catch (thrown) {
    const missing = thrown?.code === "MODULE_NOT_FOUND" ||
      thrown?.code === "ERR_MODULE_NOT_FOUND";
    throw new Fault(
      "ZITI_BRIDGE_FAILED",
      missing
        ? `the package ${PACKAGE} is not installed beside the bridge`
        : `the package ${PACKAGE} does not load here: it was built for another Node or system`,
    );
  }
  const isAddon = typeof addon?.init === "function" &&
    (typeof addon.connect === "function" || typeof addon.dial === "function");
  if (isAddon) return addon;
  throw new Fault(
    "ZITI_BRIDGE_FAILED",
    `the package ${PACKAGE} has neither connect nor dial`,
  );
}

/**
 * Logs in.
 * @param {{identity: string, loginTimeoutMs: number, dialTimeoutMs: number}} settings
 * @returns {Promise<{api: string, dial: (service: string) => Promise<import("node:stream").Duplex>, close: () => void}>}
 *   rejects with a Fault
 */
async function openMesh({ identity, loginTimeoutMs, dialTimeoutMs }) {
  const addon = loadAddon();
  let status;
  try {
    const coming = Promise.resolve(addon.init(identity));
    status = await within(coming, {
      timeoutMs: loginTimeoutMs,
      what: "the login",
    });
  } catch (thrown) {
    throw faultOf(thrown, "ZITI_IDENTITY");
  }
  // Old addons resolve with the failure's number.
  if (typeof status === "number" && status !== 0) {
    throw faultOf(status, "ZITI_UNAVAILABLE");
  }
  const api = typeof addon.connect === "function" ? "connect" : "dial";
  const dial = api === "connect" ? dialByConnect : dialRaw;
  return {
    api,
    dial: (service) => dial(addon, service, dialTimeoutMs),
    close: () => shutdown(addon),
  };
}

/** The package does not export the raw shutdown, but leaves the raw addon in a global. */
function shutdown(addon) {
  const end = addon.shutdown ?? addon.ziti_shutdown ??
    globalThis.ziti?.ziti_shutdown;
  try {
    end?.();
  } catch {
    // The process ends anyway.
  }
}

module.exports = { openMesh };
