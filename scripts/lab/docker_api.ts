/** The few calls of the Docker Engine API that the lab itself needs, without the docker client. */

/** The answer to one call. */
export interface DockerAnswer {
  readonly status: number;
  /** Raw body. */
  readonly text: string;
}

/** What `dockerRequest` takes besides method and path. */
export interface DockerRequestOptions {
  readonly body?: Uint8Array<ArrayBuffer> | string;
  readonly headers?: Record<string, string>;
  /** 120,000 by default. */
  readonly timeoutMs?: number;
}

/**
 * Sends one request to the Engine.
 *
 * @param socket absolute path of its unix socket
 * @param method `GET`, `POST`, `DELETE`
 * @param path path and query, without a version prefix: `/containers/json?all=1`
 * @param options see `DockerRequestOptions`
 * @returns status and body, whatever the status
 * @throws TypeError when nothing listens; DOMException `TimeoutError` when nothing answers
 */
export async function dockerRequest(
  socket: string,
  method: string,
  path: string,
  options: DockerRequestOptions = {},
): Promise<DockerAnswer> {
  const client = Deno.createHttpClient({
    proxy: { transport: "unix", path: socket },
    poolMaxIdlePerHost: 0,
  });
  try {
    // 127.0.0.1 and not a name: fetch would ask DNS for it, although a socket is given.
    const response = await fetch(`http://127.0.0.1${path}`, {
      method,
      client,
      headers: { "content-type": "application/x-tar", ...options.headers },
      signal: AbortSignal.timeout(options.timeoutMs ?? 120_000),
      ...(options.body === undefined ? {} : { body: options.body }),
    });
    return { status: response.status, text: await response.text() };
  } finally {
    client.close();
  }
}

/**
 * Sends one request and insists on success.
 *
 * @param socket absolute path of the Engine's unix socket
 * @param method as for `dockerRequest`
 * @param path as for `dockerRequest`
 * @param options as for `dockerRequest`
 * @returns the body
 * @throws Error with the Engine's message; also when a 200 stream ends in an error
 */
export async function dockerCall(
  socket: string,
  method: string,
  path: string,
  options: DockerRequestOptions = {},
): Promise<string> {
  const answer = await dockerRequest(socket, method, path, options);
  const isStreamError = /"errorDetail":/.test(answer.text);
  if (answer.status >= 300 || isStreamError) {
    throw new Error(
      `docker ${method} ${path.split("?")[0]}: ${answer.status} ${answer.text.trim().slice(-500)}`,
    );
  }
  return answer.text;
}

/**
 * Asks an Engine who it is.
 *
 * @param socket absolute path of its unix socket
 * @returns version and data root, or null when nothing answers within 15 s
 */
export async function dockerIdentity(
  socket: string,
): Promise<{ version: string; dataRoot: string } | null> {
  try {
    const text = await dockerCall(socket, "GET", "/info", { timeoutMs: 15_000 });
    const info = JSON.parse(text) as { ServerVersion: string; DockerRootDir: string };
    return { version: info.ServerVersion, dataRoot: info.DockerRootDir };
  } catch {
    return null;
  }
}
