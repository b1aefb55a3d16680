/**
 * Every effect that the agent needs, as small interfaces. Types only: src/io implements them, tests
 * stand in for them, and a function asks for exactly those it uses.
 */

/** Time. `now` may jump with the box's clock; `monotonic` never does. */
export interface Clock {
  /** Gives epoch milliseconds. */
  now(): number;
  /** Gives milliseconds since some fixed moment of this process. */
  monotonic(): number;
  /** Waits; ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Chance. */
export interface Random {
  /** Gives a version-4 UUID. */
  uuid(): string;
  /** Gives a number in [0, 1). */
  fraction(): number;
}

/** Digests. */
export interface Digest {
  /** Gives the SHA-256 of the bytes in lower-case hex. */
  sha256(bytes: Uint8Array): Promise<string>;
}

/** What a path is. Symbolic links are not followed. */
export interface FileStat {
  readonly kind: "file" | "directory" | "symlink" | "other";
  readonly size: number;
  /** Permission bits, e.g. 0o600. */
  readonly mode: number;
  readonly uid: number;
  /**
   * Another text as soon as the content, the mode or the owner is changed or another file takes the
   * place, whatever times it was given; not there when that cannot be known.
   */
  readonly identity?: string;
}

/** How a file is written: through a temporary file, fsync, rename, fsync of the folder. */
export interface WriteOptions {
  readonly mode: number;
  /**
   * The path of the temporary file, beside the other, for a folder in which only these two are
   * granted: one that a killed write left there is replaced, and the folder is not made durable.
   */
  readonly through?: string;
}

/** How a file is read. */
export interface ReadOptions {
  /**
   * Follows a symbolic link at the path itself. For paths that the operator chose (the config, a CA,
   * a key): there a link is normal. Without it a link is FILE_UNREADABLE.
   */
  readonly followLink?: boolean;
}

/**
 * Files. Every failure is an AgentError: FILE_UNREADABLE, FILE_UNWRITABLE, DISK_FULL or
 * PERMISSION_MISSING, naming the path.
 */
export interface Files {
  /** Gives the content, or null when there is no such file. Larger than `maxBytes`, or no regular file: FILE_UNREADABLE. */
  read(path: string, maxBytes: number, options?: ReadOptions): Promise<Uint8Array | null>;
  /** Gives what the path is, or null when there is nothing. */
  stat(path: string): Promise<FileStat | null>;
  /** Gives the names in a folder, sorted; empty when there is no such folder. */
  list(path: string): Promise<readonly string[]>;
  /** Replaces or creates the file in one durable step: readers see the old or the new, never a part. */
  write(path: string, content: Uint8Array, options: WriteOptions): Promise<void>;
  /**
   * Creates a file that must not exist yet and makes its content durable, without the rename: for
   * folders that nobody reads before they are renamed into place.
   */
  create(path: string, content: Uint8Array, options: WriteOptions): Promise<void>;
  /** Makes the folder and its missing parents with the mode (the parents too). */
  makeDir(path: string, mode: number): Promise<void>;
  /** Changes the permission bits. */
  chmod(path: string, mode: number): Promise<void>;
  /** Renames within one file system and makes it durable. */
  rename(from: string, to: string): Promise<void>;
  /** Gives what a symbolic link points at, or null when it is none. */
  readLink(path: string): Promise<string | null>;
  /** Removes a file or a whole folder; nothing there is no error. */
  remove(path: string): Promise<void>;
  /** Makes earlier changes of the folder's entries durable. */
  syncDir(path: string): Promise<void>;
  /** Gives the bytes that an unprivileged writer can still write below the path. */
  freeBytes(path: string): Promise<number>;
}

/** A lock that dies with its holder. */
export interface Lock {
  /** Takes the lock at once, or throws LOCK_HELD. The file stays; only the lock is released. */
  acquire(path: string): Promise<HeldLock>;
}

/** A lock that is held. */
export interface HeldLock {
  /** Frees the lock; the file stays. */
  release(): void;
}

/** A child process to run. The environment starts empty: only `env` reaches the child. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /**
   * Path of a socket to listen on while the child runs, in a folder that exists: closed by the
   * kernel when the agent dies, so that a child that watches it ends too.
   */
  readonly lifeline?: string;
  /** TERM after this long, KILL after `graceMs` more, and a second later the pipes are given up. */
  readonly timeoutMs: number;
  readonly graceMs?: number;
  /** Keeps at most this much of standard output (from the start); more is read and dropped. */
  readonly maxStdoutBytes?: number;
  /** Receives each line of standard error while the child runs. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** How a child ended. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stdoutTruncated: boolean;
  /** The last lines of standard error: at most 200 lines and 64 KiB. */
  readonly stderrTail: readonly string[];
  readonly timedOut: boolean;
  /** The caller's signal ended it. */
  readonly aborted: boolean;
}

/** Child processes. */
export interface Exec {
  /** Runs the program to its end. Throws COMPOSE_MISSING when the program is not there, PERMISSION_MISSING when it may not be run. */
  run(command: Command): Promise<CommandResult>;
}

/** The remotes. The word decides which codes a failure gets. */
export type Peer = "tenancy" | "bao" | "docker";

/** One HTTP exchange. */
export interface HttpRequest {
  readonly peer: Peer;
  readonly method: "GET" | "POST" | "DELETE" | "PUT" | "LIST";
  /** Origin-form: the path with its query, `/agent/v1/checkin`. */
  readonly target: string;
  /** Lower-case names. `host`, `content-length` and `connection` are set by the client. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Limit for the whole exchange, dialling included. */
  readonly timeoutMs: number;
  /** Limit for the decoded body. */
  readonly maxBodyBytes: number;
  /** How many GETs of the same remote `many` is asked for right after: their connections are opened meanwhile. */
  readonly readsAfter?: number;
  readonly signal?: AbortSignal;
}

/** A complete reply. Anything less is an error. */
export interface HttpReply {
  readonly status: number;
  /** Lower-case names; repeated ones joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * HTTP. Never follows a redirect, never sends a request twice, never obeys proxy variables. Failures
 * are AgentErrors by peer: X_UNAVAILABLE (refused, reset), X_TIMEOUT, X_BAD_ANSWER (not HTTP),
 * ANSWER_TOO_LARGE, TLS_REFUSED, CLOCK_OR_CERT, TRANSPORT_UNMAPPED, TRANSPORT_NOT_INTERCEPTED, ZITI_*;
 * `data.phase` is `dial`, `tls`, `send`, `headers` or `body`.
 */
export interface Http {
  /** Makes one exchange on a connection of its own. */
  request(request: HttpRequest): Promise<HttpReply>;
  /**
   * Makes many GETs, sharing connections and bounded in number; gives the replies in the order of
   * the requests. A failed one is its error in the array, never a rejection of the whole.
   */
  many(requests: readonly HttpRequest[]): Promise<readonly (HttpReply | Error)[]>;
}

/** Severity of a log line. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Printable facts of a log line. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The journal. One call is one line; values pass the mask of revealed secrets. */
export interface Log {
  /** Writes one line; never throws. */
  write(level: LogLevel, event: string, fields?: LogFields): void;
  /** Says whether lines of the level are written at all; what is not shown need not be made. */
  readonly shows?: (level: LogLevel) => boolean;
}

/** A terminal: lines that stay, and one below them that is drawn in place. */
export interface Screen {
  /** Gives its width now. */
  columns(): number;
  readonly colour: boolean;
  /** Writes a line that stays, above the drawn one. */
  print(line: string): void;
  /** Draws the line in place of the one drawn before; null: none. It must be narrower than the screen. */
  draw(line: string | null): void;
}

/** A person who watches an apply. */
export interface Watch {
  /** A step begins. */
  begin(step: string): void;
  /** A child of the step printed the line; as it came, unmasked, so it must not be shown. */
  progress(line: string): void;
  /** The step has ended. */
  end(step: string, how: { readonly ok: boolean; readonly ms: number }): void;
}

/** Standard output, for commands whose result is text. */
export interface Out {
  /** Writes the text as it is; the caller ends its lines. */
  print(text: string): void;
}

/** What can be seen of the box besides files. */
export interface Box {
  /** Gives the user that this process runs as; null when it may not know. */
  uid(): number | null;
  /**
   * Says whether somebody listens at the address, or at every address with this port; null when it
   * may not know. The port is taken for a moment when it is free.
   */
  isTaken(address: { readonly host: string; readonly port: number }): boolean | null;
}

/** What the process may ask of its surroundings. */
export interface Signals {
  /** Aborts on SIGTERM or SIGINT; `reason` is the signal's name. */
  readonly stop: AbortSignal;
}

/** Being told to read the config again. */
export interface Reloads {
  /** Gives a signal that aborts at the next SIGHUP; listening begins with the first call. */
  next(): AbortSignal;
}

/** All effects together; functions take a Pick of it. */
export interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly digest: Digest;
  readonly files: Files;
  readonly lock: Lock;
  readonly exec: Exec;
  readonly http: Http;
  readonly log: Log;
  readonly out: Out;
  /** There when a person watches. */
  readonly watch?: Watch;
  readonly signals: Signals;
  readonly box: Box;
}
