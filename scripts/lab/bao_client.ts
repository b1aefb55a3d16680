/** Plain HTTP to an OpenBao server of the lab. */

import type { BaoInfo } from "./info.ts";

/** The answer to one request. */
export interface BaoReply {
  readonly status: number;
  /** The JSON body; an empty object when there is none. */
  readonly body: BaoBody;
}

/** What the lab reads of OpenBao's envelope. */
export interface BaoBody {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly auth?: {
    readonly client_token: string;
    readonly accessor: string;
    readonly lease_duration: number;
    readonly policies: readonly string[];
    readonly metadata: Readonly<Record<string, string>>;
  } | null;
  readonly errors?: readonly string[];
  readonly [key: string]: unknown;
}

/** What a request carries besides method and path. */
export interface BaoRequestOptions {
  /** Sent as `X-Vault-Token`. */
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** 15,000 by default. */
  readonly timeoutMs?: number;
}

/** A connection pool to one server; `using` closes it. */
export class BaoClient {
  readonly #address: string;
  readonly #client: Deno.HttpClient;

  private constructor(address: string, caPem: string) {
    this.#address = address;
    this.#client = Deno.createHttpClient({ caCerts: [caPem] });
  }

  /**
   * Opens a pool that trusts the lab's CA (and the system's roots).
   *
   * @param bao address and CA of the server; it need not answer yet
   */
  static async open(bao: Pick<BaoInfo, "address" | "caFile">): Promise<BaoClient> {
    return new BaoClient(bao.address, await Deno.readTextFile(bao.caFile));
  }

  /**
   * Sends one request; a redirect is an answer like others.
   *
   * @param method `GET`, `POST`, `DELETE`, `LIST`
   * @param path without `/v1/`
   * @param options see `BaoRequestOptions`
   * @returns status and body, whatever the status
   * @throws TypeError when nothing listens; DOMException `TimeoutError` when nothing answers
   */
  async request(
    method: string,
    path: string,
    options: BaoRequestOptions = {},
  ): Promise<BaoReply> {
    const response = await fetch(`${this.#address}/v1/${path}`, {
      method,
      client: this.#client,
      redirect: "manual",
      signal: AbortSignal.timeout(options.timeoutMs ?? 15_000),
      headers: options.token === undefined ? {} : { "x-vault-token": options.token },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
  }

  /**
   * Sends one request and insists on a 2xx.
   *
   * @param method as for `request`
   * @param path as for `request`
   * @param options as for `request`
   * @returns the body
   * @throws Error with method, path, status and OpenBao's own words; never with what was sent
   */
  async call(method: string, path: string, options: BaoRequestOptions = {}): Promise<BaoBody> {
    const reply = await this.request(method, path, options);
    assertOk(reply, method, path);
    return reply.body;
  }

  /** Closes the pool. */
  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/**
 * Insists on a 2xx.
 *
 * @param reply the answer
 * @param method for the error's text
 * @param path for the error's text
 * @throws Error with OpenBao's own words
 */
export function assertOk(reply: BaoReply, method: string, path: string): void {
  if (reply.status < 300) return;
  const errors = (reply.body.errors ?? []).join("; ");
  throw new Error(`OpenBao ${method} ${path}: ${reply.status} ${errors}`);
}
