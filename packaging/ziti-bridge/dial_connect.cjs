/**
 * Dialling with `connect()`, which the addon has since 0.28: the other end of a socket pair, so end,
 * half-close and back-pressure are the kernel's. Its callback may never come (a dead router).
 */
"use strict";

const { faultOf, within } = require("./faults.cjs");

/**
 * @param {object} addon the package, logged in
 * @param {string} service name
 * @param {number} timeoutMs limit for the dial
 * @returns {Promise<import("node:net").Socket>} the connection; rejects with a Fault
 */
async function dialByConnect(addon, service, timeoutMs) {
  const coming = new Promise((resolve, reject) => {
    addon.connect(service, (error, socket) => {
      if (error) return reject(faultOf(error, "ZITI_UNAVAILABLE"));
      // The addon wraps the descriptor without it, and Node would then answer an end with an end.
      socket.allowHalfOpen = true;
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
  return await within(coming, {
    timeoutMs,
    what: "the dial",
    late: (socket) => socket.destroy(),
  });
}

module.exports = { dialByConnect };
