/**
 * One request to a release server: a deadline, no redirect (it would carry the token elsewhere), and
 * an error that names call and status and never a header.
 */

/** A request. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly url: string;
  /** The one header that lets us in. */
  readonly auth: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: BodyInit;
}

/** A whole reply. */
export interface Answer {
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** An upload of 60 MB over a slow line takes its time. */
const DEADLINE_MS = 600_000;
const TRIES = 3;

/**
 * Sends a request and gives the whole reply, whatever its status. A GET that fails on the way, or
 * with 5xx, is sent again, twice at most; nothing else ever is.
 *
 * @throws {Error} When there is no reply.
 */
export async function call(request: Call, pauseMs = 1_000): Promise<Answer> {
  const tries = request.method === "GET" ? TRIES : 1;
  for (let turn = 1;; turn++) {
    try {
      const answer = await once(request);
      if (answer.status < 500 || turn === tries) return answer;
    } catch (error) {
      if (turn === tries) throw error;
    }
    await new Promise((done) => setTimeout(done, pauseMs * turn));
  }
}

async function once({ method, url, auth, json, body }: Call): Promise<Answer> {
  const payload = json === undefined ? body : JSON.stringify(json);
  try {
    const reply = await fetch(url, {
      method,
      headers: { ...auth, ...(json === undefined ? {} : { "content-type": "application/json" }) },
      ...(payload === undefined ? {} : { body: payload }),
      redirect: "manual",
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    return { status: reply.status, body: await reply.bytes() };
  } catch (error) {
    const why = error instanceof Error ? error.name : "error";
    throw new Error(`${method} ${withoutQuery(url)}: no reply (${why})`);
  }
}

/**
 * Takes a reply, its request and the statuses that are fine; gives the reply's JSON.
 *
 * @throws {Error} When the status is another, with what it means; or when the body is no JSON.
 */
export function jsonOf(answer: Answer, request: Call, fine: readonly number[]): unknown {
  const what = `${request.method} ${withoutQuery(request.url)}`;
  if (!fine.includes(answer.status)) {
    throw new Error(`${what}: ${answer.status}${MEANING[answer.status] ?? ""}`);
  }
  try {
    return JSON.parse(new TextDecoder().decode(answer.body));
  } catch {
    throw new Error(`${what}: the reply is no JSON`);
  }
}

const MEANING: Readonly<Record<number, string>> = {
  401: ": the token is not accepted; is it expired, or of another project?",
  403: ": the token may not do this; it needs write access to packages and releases",
  404: ": there is no such project, or the token may not see it",
  409: ": it exists already",
  413: ": the server takes no file of this size",
};

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, "");
}
