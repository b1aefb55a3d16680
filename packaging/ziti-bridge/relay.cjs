/**
 * The private sockets: one a service, 0600, each connection dialled into the mesh. The agent is told
 * first how the dial ended, `ok` or `error CODE sentence`, one line, and then has the bare stream.
 */
"use strict";

const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const { Fault, faultOf } = require("./faults.cjs");

/** The agent opens eight at a time; the rest is room for what it gave up. */
const MAX_CONNECTIONS = 64;
/** The agent's going away looks like its half-close: what then says nothing this long is let go. */
const AFTER_END_MS = 10_000;

/** Enters the folder of the sockets. Throws a Fault unless it is this user's alone. */
function enterFolder(folder) {
  let stat = null;
  try {
    stat = fs.lstatSync(folder);
    process.chdir(folder);
  } catch {
    throw new Fault(
      "ZITI_BRIDGE_FAILED",
      "the folder of the sockets cannot be entered",
    );
  }
  const isPrivate = stat.isDirectory() && stat.uid === process.getuid() &&
    (stat.mode & 0o077) === 0;
  if (!isPrivate) {
    throw new Fault(
      "ZITI_BRIDGE_FAILED",
      "the folder of the sockets is open to other users",
    );
  }
}

/**
 * Makes the sockets of a folder that was entered.
 * @param {readonly {name: string, service: string}[]} sockets
 * @param {(service: string) => Promise<import("node:stream").Duplex>} dial
 * @param {(path: string, ino: number) => void} onMade told of each socket that lies there
 * @returns {{listen: () => Promise<void>, close: () => void}} `listen` may be called again, when
 *   another process took the names
 */
function createRelay(sockets, dial, onMade) {
  const own = new Map();
  const open = new Set();
  let servers = [];
  let turn = 0;

  const listenAt = ({ name, service }) =>
    new Promise((resolve, reject) => {
      const server = net.createServer({ allowHalfOpen: true }, (client) => {
        open.add(client);
        client.once("close", () => open.delete(client));
        serve(client, () => dial(service));
      });
      server.maxConnections = MAX_CONNECTIONS;
      server.on("error", reject);
      // Under a name of its own first: the rename replaces what lies there in one step, and Node,
      // which unlinks the path that it listened on, never unlinks another process's socket.
      const draft = `${name}.${process.pid}.${turn}`;
      server.listen(draft, () => {
        fs.renameSync(draft, name);
        const { ino } = fs.lstatSync(name);
        own.set(name, ino);
        onMade(path.resolve(name), ino);
        resolve(server);
      });
    });

  return {
    async listen() {
      turn += 1;
      const before = servers;
      const mask = process.umask(0o177);
      try {
        servers = await Promise.all(sockets.map(listenAt));
      } catch {
        throw new Fault("ZITI_BRIDGE_FAILED", "the sockets cannot be made");
      } finally {
        process.umask(mask);
      }
      for (const server of before) server.close();
    },
    close() {
      for (const server of servers) server.close();
      for (const client of open) client.destroy();
      for (const [name, ino] of own) {
        try {
          if (fs.lstatSync(name).ino === ino) fs.unlinkSync(name);
        } catch {
          // Gone already.
        }
      }
    },
  };
}

async function serve(client, dial) {
  // The agent is silent until it has been told: what comes before is its going away.
  const leave = () => client.destroy();
  client.on("error", leave).on("data", leave).on("end", leave);
  let remote;
  try {
    remote = await dial();
  } catch (thrown) {
    const { code, message } = faultOf(thrown, "ZITI_UNAVAILABLE");
    if (!client.destroyed) client.end(`error ${code} ${message}\n`);
    return;
  }
  remote.on("error", () => remote.destroy());
  if (client.destroyed) {
    remote.destroy();
    return;
  }
  client.pause().off("data", leave).off("end", leave);
  client.write("ok\n");
  join(client, remote);
  join(remote, client);
  client.once("end", () => letGo(client, remote));
}

function letGo(client, remote) {
  const leave = () => {
    client.destroy();
    remote.destroy();
  };
  let timer = setTimeout(leave, AFTER_END_MS);
  remote.on("data", () => {
    clearTimeout(timer);
    timer = setTimeout(leave, AFTER_END_MS);
  });
  client.once("close", () => clearTimeout(timer));
}

/** Carries one direction: an end is an end, a fault takes the other side along. */
function join(from, to) {
  from.pipe(to);
  from.once("close", () => {
    if (!from.readableEnded) to.destroy();
    else if (!to.destroyed) to.resume();
  });
}

module.exports = { createRelay, enterFolder };
