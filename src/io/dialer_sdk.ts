/**
 * The transport `sdk`: the bridge process dials the mesh with the box's own identity and offers one
 * private unix socket a service (SPEC §7). It is started by the first dial and kept; started anew
 * when it died or when the identity was replaced, never while a connection of it is in use.
 *
 * On each connection the bridge says first, in one line, how its dial ended; what follows is the
 * service's own stream.
 */

import { AgentError } from "../errors.ts";
import type { Peer } from "../ports.ts";
import { checkIdentity, type IdentityStamp, identityStamp } from "./bridge_identity.ts";
import { isBridgeCode, plainSentence } from "./bridge_lines.ts";
import { type Bridge, type BridgeSettings, startBridge } from "./bridge_process.ts";
import { permissionMissing } from "./connect.ts";
import type { Dialer, DialTarget } from "./dialer.ts";
import { closeQuietly, type Duplex } from "./duplex.ts";
import { isAbsent } from "./file_faults.ts";
import { faultsOf } from "./wire_faults.ts";

/** What the transport needs to know. */
export interface SdkOptions {
  readonly node: string;
  readonly bridge: string;
  readonly identity: string;
  /** The runtime folder; made, private, when it is not there. */
  readonly folder: string;
  /** The services behind the mesh; their sockets are called after the peers. */
  readonly services: { readonly tenancy: string; readonly bao: string };
  /** Is told, once a bridge, when the identity's certificate has few days left. */
  readonly onExpiring: (daysLeft: number) => void;
  /** Limits of the bridge; 15 s and 10 s unless told. */
  readonly loginTimeoutMs?: number;
  readonly dialTimeoutMs?: number;
}

/** Less than the deadlines of the exchanges (30 s), so that the bridge's own word arrives first. */
const LOGIN_TIMEOUT_MS = 15_000;
const DIAL_TIMEOUT_MS = 10_000;
/** A bridge that has not even said by then how its dial ended hangs. */
const STATUS_MARGIN_MS = 2_000;
const MAX_STATUS_BYTES = 512;
const LF = 0x0a;

/** A bridge over its whole life. After `close` every dial fails. */
export class BridgeLife implements Omit<Required<Dialer>, "dropped"> {
  readonly #options: SdkOptions;
  #bridge: Bridge | null = null;
  #stamp: IdentityStamp = null;
  #starting: Promise<Bridge> | null = null;
  #healing: Promise<void> | null = null;
  #closed = false;
  #inUse = 0;

  constructor(options: SdkOptions) {
    this.#options = options;
  }

  /**
   * Connects to the target's service. Throws ZITI_*, PERMISSION_MISSING, FILE_UNWRITABLE (the folder),
   * or INTERRUPTED after `close`.
   */
  async dial(target: DialTarget, signal: AbortSignal): Promise<Duplex> {
    const bridge = await this.#current();
    signal.throwIfAborted();
    const path = `${this.#options.folder}/${socketName(target.peer)}`;
    const conn = await this.#connect(path, bridge);
    this.#inUse += 1;
    const counted = countedDuplex(conn, () => this.#inUse -= 1);
    const onAbort = (): void => closeQuietly(counted);
    signal.addEventListener("abort", onAbort, { once: true });
    const limitMs = (this.#options.dialTimeoutMs ?? DIAL_TIMEOUT_MS) + STATUS_MARGIN_MS;
    const timer = setTimeout(() => void bridge.stop(), limitMs);
    try {
      await readStatus(counted, target);
      return counted;
    } catch (thrown) {
      closeQuietly(counted);
      throw thrown;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Ends the bridge, and waits until nothing of it is left. */
  async close(): Promise<void> {
    this.#closed = true;
    // One that is still logging in ends now: whoever waits for it is told.
    await this.#bridge?.stop();
    await this.#starting?.catch(() => {});
    this.#bridge = null;
  }

  /** Gives a bridge that listens: the one there is, or a new one that all who wait share. */
  #current(): Promise<Bridge> {
    if (this.#starting !== null) return this.#starting;
    const bridge = this.#bridge;
    if (bridge !== null && !bridge.isOver && (this.#inUse > 0 || !this.#isReplaced())) {
      return Promise.resolve(bridge);
    }
    this.#starting = this.#start().finally(() => this.#starting = null);
    return this.#starting;
  }

  /** A file that is away is about to come back: the old identity serves until then. */
  #isReplaced(): boolean {
    const now = identityStamp(this.#options.identity);
    return now !== null && now !== this.#stamp;
  }

  async #start(): Promise<Bridge> {
    await this.#bridge?.stop();
    this.#bridge = null;
    const { identity, onExpiring } = this.#options;
    this.#stamp = identityStamp(identity);
    const daysLeft = await checkIdentity(identity);
    const settings = await prepare(this.#options);
    if (this.#closed) throw new AgentError("INTERRUPTED", "the bridge to the mesh was closed");
    if (daysLeft !== null) onExpiring(daysLeft);
    const bridge = startBridge(settings);
    this.#bridge = bridge;
    try {
      await bridge.ready;
      return bridge;
    } catch (thrown) {
      await bridge.stop();
      throw thrown;
    }
  }

  /** Another process of the agent may have taken the socket's name, and left: then it is made anew, once. */
  async #connect(path: string, bridge: Bridge): Promise<Deno.UnixConn> {
    try {
      return await connect(path);
    } catch (thrown) {
      if (!isAbsent(thrown) && !(thrown instanceof Deno.errors.ConnectionRefused)) {
        throw socketFault(thrown, path);
      }
    }
    this.#healing ??= bridge.listenAgain().finally(() => this.#healing = null);
    await this.#healing;
    try {
      return await connect(path);
    } catch (thrown) {
      throw socketFault(thrown, path);
    }
  }
}

function connect(path: string): Promise<Deno.UnixConn> {
  return Deno.connect({ transport: "unix", path });
}

/** Gives the socket's name in the folder (core/permissions.ts grants exactly these). */
function socketName(peer: Peer): string {
  return `${peer}.sock`;
}

/** Makes the folder private and sees that there is a bridge to start. */
async function prepare(options: SdkOptions): Promise<BridgeSettings> {
  const { node, bridge, identity, folder, services } = options;
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    await Deno.chmod(folder, 0o700);
  } catch (thrown) {
    throw new AgentError("FILE_UNWRITABLE", `the folder "${folder}" cannot be made`, {
      cause: thrown,
      data: { path: folder, phase: "dial" },
    });
  }
  const there = await Deno.stat(bridge).catch(() => null);
  if (there === null) {
    throw new AgentError("ZITI_BRIDGE_FAILED", `there is no bridge to the mesh at "${bridge}"`, {
      data: { path: bridge, phase: "dial" },
    });
  }
  return {
    node,
    bridge,
    identity,
    folder,
    sockets: [
      { name: socketName("tenancy"), service: services.tenancy },
      { name: socketName("bao"), service: services.bao },
    ],
    loginTimeoutMs: options.loginTimeoutMs ?? LOGIN_TIMEOUT_MS,
    dialTimeoutMs: options.dialTimeoutMs ?? DIAL_TIMEOUT_MS,
  };
}

/** Reads the bridge's line, byte by byte: what follows it belongs to the service. */
async function readStatus(conn: Duplex, { peer, service }: DialTarget): Promise<void> {
  const { name } = faultsOf(peer);
  const line: number[] = [];
  const byte = new Uint8Array(1);
  while (line.at(-1) !== LF && line.length < MAX_STATUS_BYTES) {
    // A bridge that dies resets its connections: to be told like one that closes them.
    if (await conn.read(byte).catch(() => null) === null) break;
    line.push(byte[0] ?? 0);
  }
  const text = String.fromCharCode(...line);
  if (text === "ok\n") return;
  const [, code, what] = /^error ([A-Z_]+) (.*)\n$/.exec(text) ?? [];
  const known = isBridgeCode(code) ? code : "ZITI_BRIDGE_FAILED";
  const why = isBridgeCode(code) ? plainSentence(what) : "the bridge let the connection go";
  throw new AgentError(known, `${name} cannot be dialled over the mesh: ${why}`, {
    data: { peer, service, phase: "dial" },
  });
}

function socketFault(thrown: unknown, path: string): AgentError {
  if (thrown instanceof Deno.errors.NotCapable) return permissionMissing(`unix:${path}`);
  return new AgentError("ZITI_BRIDGE_FAILED", `the bridge's socket "${path}" cannot be opened`, {
    cause: thrown,
    data: { address: path, phase: "dial" },
  });
}

function countedDuplex(conn: Deno.UnixConn, onClose: () => void): Duplex {
  let open = true;
  return {
    read: (into) => conn.read(into),
    write: (bytes) => conn.write(bytes),
    close: (): void => {
      if (!open) return;
      open = false;
      onClose();
      conn.close();
    },
  };
}
