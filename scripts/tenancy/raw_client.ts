// A client for tests that sends exactly the bytes it is told to, and gives back what came.

/** What came back on one connection. */
export interface RawAnswer {
  /** From the status line; null when there was none. */
  readonly status: number | null;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Everything after the head. */
  readonly body: Uint8Array;
  /** How the connection ended: in good order, by a reset, or by the client's deadline. */
  readonly end: "closed" | "reset" | "deadline";
}

/** A request to send. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** Header lines in this order; `undefined` as a value leaves the header out. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
}

/**
 * Sends bytes to a loopback port and reads until the other side ends the connection, or for
 * `deadlineMs`. `maxBytes` stops reading early, as `deadline`. Throws `Error` when nothing listens.
 */
export async function sendBytes(
  port: number,
  bytes: Uint8Array,
  deadlineMs = 30_000,
  maxBytes = Infinity,
): Promise<RawAnswer> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    connection.close();
  }, deadlineMs);
  const chunks: Uint8Array[] = [];
  let end: RawAnswer["end"] = "closed";
  try {
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
    for (let have = 0; have < maxBytes;) {
      const chunk = new Uint8Array(64 * 1024);
      const length = await connection.read(chunk);
      if (length === null) break;
      chunks.push(chunk.subarray(0, length));
      have += length;
      if (have >= maxBytes) end = "deadline";
    }
  } catch {
    end = isOver ? "deadline" : "reset";
  } finally {
    clearTimeout(timer);
    if (!isOver) connection.close();
  }
  return {
    ...parseAnswer(new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer())),
    end,
  };
}

/** Sends one request; Content-Length is added for a body unless a header says otherwise. */
export async function sendRequest(
  port: number,
  request: RawRequest,
  deadlineMs?: number,
  maxBytes?: number,
): Promise<RawAnswer> {
  return await sendBytes(port, requestBytes(request), deadlineMs, maxBytes);
}

/** The bytes of a request as `sendRequest` sends them. */
export function requestBytes(request: RawRequest): Uint8Array {
  const body = typeof request.body === "string"
    ? new TextEncoder().encode(request.body)
    : request.body ?? new Uint8Array();
  const length = body.length === 0 ? {} : { "Content-Length": String(body.length) };
  const lines = Object.entries({ ...length, ...request.headers })
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}: ${value}`]);
  const head = [`${request.method} ${request.target} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  return new Uint8Array([...new TextEncoder().encode(head), ...body]);
}

function parseAnswer(bytes: Uint8Array): Omit<RawAnswer, "end"> {
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, 64 * 1024));
  const headEnd = text.indexOf("\r\n\r\n");
  const match = /^HTTP\/1\.1 (\d{3}) /.exec(text);
  if (headEnd < 0 || match === null) return { status: null, headers: {}, body: bytes };
  const headers = Object.fromEntries(
    text.slice(0, headEnd).split("\r\n").slice(1).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(match[1]), headers, body: bytes.subarray(headEnd + 4) };
}
