/**
 * The bridge as a child process: started, waited for, asked to listen again, stopped. Its standard
 * input is its life: the kernel closes it with the agent, however that dies. Nothing of the bridge
 * outlives stop(): no process, no zombie, no socket.
 */

import { AgentError } from "../errors.ts";
import { type BridgeWord, createWordSink } from "./bridge_lines.ts";
import { pump } from "./exec_pipes.ts";
import { osCode } from "./file_faults.ts";

/** What a bridge is started with. */
export interface BridgeSettings {
  /** The program Node. */
  readonly node: string;
  /** The path of bridge.cjs. */
  readonly bridge: string;
  readonly identity: string;
  /** The folder of the sockets: exists, is this user's alone. */
  readonly folder: string;
  /** Socket names in the folder, and the service behind each. */
  readonly sockets: readonly { readonly name: string; readonly service: string }[];
  /** Limits that the bridge itself keeps. */
  readonly loginTimeoutMs: number;
  readonly dialTimeoutMs: number;
}

/** A bridge that runs, or did. */
export interface Bridge {
  /** Ends when it listens; rejects with ZITI_* or PERMISSION_MISSING when it never will. */
  readonly ready: Promise<void>;
  /** Whether it can be dialled no more. */
  readonly isOver: boolean;
  /** Makes its sockets anew, after another process took their names. Throws ZITI_BRIDGE_FAILED. */
  listenAgain(): Promise<void>;
  /** Ends it, by force after a second, and removes its sockets. */
  stop(): Promise<void>;
}

/** The agent clears the environment, so a bare `node` is looked for here. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Beyond the bridge's own limit for the login: Node's start, on a box that is busy. */
const START_MARGIN_MS = 5_000;
const LISTEN_TIMEOUT_MS = 2_000;
const STOP_GRACE_MS = 1_000;

/** Starts a bridge. Throws ZITI_BRIDGE_FAILED or PERMISSION_MISSING when there is nothing to start. */
export function startBridge(settings: BridgeSettings): Bridge {
  return new BridgeProcess(settings);
}

class BridgeProcess implements Bridge {
  readonly ready: Promise<void>;
  readonly #settings: BridgeSettings;
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  readonly #inodes = new Map<string, number | null>();
  #waiting: PromiseWithResolvers<void>;
  #failure: AgentError | null = null;
  #over = false;

  constructor(settings: BridgeSettings) {
    this.#settings = settings;
    this.#child = spawn(settings);
    this.#stdin = this.#child.stdin.getWriter();
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    this.ready = within(promise, settings.loginTimeoutMs + START_MARGIN_MS)
      .then(() => this.#remember())
      .catch((thrown) => this.#giveUp(thrown));
    this.ready.catch(() => {});
    this.#ended = this.#watch();
    const { node: _, bridge: __, ...told } = settings;
    this.#tell(JSON.stringify(told));
  }

  get isOver(): boolean {
    return this.#over;
  }

  async listenAgain(): Promise<void> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    this.#tell("listen");
    await within(promise, LISTEN_TIMEOUT_MS).catch((thrown) => this.#giveUp(thrown));
    this.#remember();
  }

  async stop(): Promise<void> {
    this.#over = true;
    await this.#stdin.close().catch(() => {
      // It went first.
    });
    const timer = setTimeout(() => this.#kill(), STOP_GRACE_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  #tell(line: string): void {
    this.#stdin.write(new TextEncoder().encode(`${line}\n`)).catch(() => {
      // It is gone: #watch tells why.
    });
  }

  #hear(word: BridgeWord): void {
    switch (word.say) {
      case "ready":
      case "listening":
        return this.#waiting.resolve();
      case "failed":
        this.#failure ??= bridgeFault(word);
        break;
      case "garbage":
        this.#failure ??= bridgeFailed("was ended: it said what no bridge says");
    }
    this.#over = true;
    this.#kill();
  }

  /** Follows the child to its end; whoever waits for a word then gets the reason. */
  async #watch(): Promise<void> {
    const words = pump(
      this.#child.stdout,
      createWordSink((word) => this.#hear(word)),
      this.#closing.signal,
    );
    const status = await this.#child.status;
    this.#over = true;
    // What it said last is in the pipe still; a child of its own could hold the pipe for ever.
    await within(words, LISTEN_TIMEOUT_MS).catch(() => {});
    this.#closing.abort();
    await words;
    await this.#stdin.close().catch(() => {});
    const how = status.signal === null ? `with code ${status.code}` : `by ${status.signal}`;
    this.#waiting.reject(this.#failure ?? bridgeFailed(`ended ${how}`));
    this.#waiting.promise.catch(() => {});
    await this.#removeSockets();
  }

  #giveUp(thrown: unknown): never {
    this.#over = true;
    this.#kill();
    if (thrown instanceof AgentError) throw thrown;
    throw bridgeFailed("says nothing");
  }

  #kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It ended by itself.
    }
  }

  #remember(): void {
    for (const { name } of this.#settings.sockets) this.#inodes.set(name, this.#inode(name));
  }

  /** Another process's socket may lie under a name by now: that one stays. */
  async #removeSockets(): Promise<void> {
    const { folder, sockets } = this.#settings;
    for (const { name } of sockets) {
      const inode = this.#inode(name);
      const isOwn = this.#inodes.has(name)
        ? inode === this.#inodes.get(name)
        : inode !== null && await isDead(`${folder}/${name}`);
      if (isOwn) await removeQuietly(`${folder}/${name}`);
      // The bridge listens under a name with its own number before it takes the socket's.
      for (const draft of namesIn(folder)) {
        if (draft.startsWith(`${name}.${this.#child.pid}.`)) {
          await removeQuietly(`${folder}/${draft}`);
        }
      }
    }
  }

  #inode(name: string): number | null {
    try {
      return Deno.lstatSync(`${this.#settings.folder}/${name}`).ino;
    } catch {
      return null;
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Whether nobody listens on the socket any more. */
async function isDead(path: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path })).close();
    return false;
  } catch (thrown) {
    return thrown instanceof Deno.errors.ConnectionRefused;
  }
}

async function removeQuietly(path: string): Promise<void> {
  await Deno.remove(path).catch(() => {
    // The bridge was faster.
  });
}

function spawn({ node, bridge }: BridgeSettings): Deno.ChildProcess {
  try {
    return new Deno.Command(node, {
      args: [bridge],
      env: { PATH, ZITI_LOG: "0", ZITI_NODEJS_LOG: "0" },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotCapable) {
      throw new AgentError("PERMISSION_MISSING", `the agent was not started with run ${node}`, {
        data: { program: node, phase: "dial" },
        hint: "Give sdk.node as an absolute path, and start the agent with the flags of " +
          "monky-deployd permissions.",
      });
    }
    const code = osCode(thrown);
    const why = code === "ENOENT" ? `there is no program "${node}"` : `"${node}" does not start`;
    throw bridgeFailed(`cannot run: ${why}`, { cause: thrown });
  }
}

/** `did` completes "the bridge to the mesh …". */
function bridgeFailed(did: string, options: { readonly cause?: unknown } = {}): AgentError {
  return new AgentError("ZITI_BRIDGE_FAILED", `the bridge to the mesh ${did}`, {
    ...options,
    data: { phase: "dial" },
  });
}

function bridgeFault({ code, what }: BridgeWord & { readonly say: "failed" }): AgentError {
  return new AgentError(code, `the mesh cannot be reached: ${what}`, { data: { phase: "dial" } });
}

async function within<T>(coming: Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("too late")), timeoutMs);
  try {
    return await Promise.race([coming, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
