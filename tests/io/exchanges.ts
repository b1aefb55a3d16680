/**
 * The exchanges that every transport must carry: what is asked, what the servers answer, and what
 * must come of it. One table for all three, so that no transport is judged by tests of its own.
 */

import type { Http, HttpReply, HttpRequest } from "../../src/ports.ts";
import { AgentError } from "../../src/errors.ts";
import type { RawPeer } from "./raw_server.ts";
import { plainReply } from "./raw_server.ts";
import type { CertName } from "./tls_setup.ts";

/** The token that no sniffer may see on its way to OpenBao. */
export const CANARY = "hvs.CANARY-0123456789";
const BUNDLE_BYTES = 16 * 1024 * 1024;

/** One exchange and its right outcome: `ok …`, or code and phase. */
export interface Exchange {
  readonly name: string;
  /** The certificate that OpenBao shows; irrelevant to tenancy. */
  readonly cert: CertName;
  readonly ask: (http: Http) => Promise<string>;
  readonly right: string;
}

/** Gives an exchange's outcome as one line. */
export async function outcomeOf({ ask }: Exchange, http: Http): Promise<string> {
  try {
    return `ok ${await ask(http)}`;
  } catch (thrown) {
    if (!(thrown instanceof AgentError)) return `unforeseen: ${thrown}`;
    return `${thrown.code} ${thrown.data["phase"] ?? "-"}`;
  }
}

const tenancy = (target: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  peer: "tenancy",
  method: "GET",
  target,
  headers: { authorization: "Bearer mesh-only" },
  timeoutMs: 30_000,
  maxBodyBytes: BUNDLE_BYTES,
  ...more,
});
const bao = (target: string, more: Partial<HttpRequest> = {}): HttpRequest =>
  tenancy(target, { peer: "bao", headers: { "x-vault-token": CANARY }, ...more });
const text = ({ body }: HttpReply): string => new TextDecoder().decode(body);
const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

async function bundleSum(http: Http): Promise<string> {
  const { body } = await http.request(tenancy("/bundle"));
  return `${body.length} ${body.reduce((sum, byte) => (sum + byte) % 65521, 0)}`;
}

async function reads(http: Http): Promise<string> {
  const wanted = Array.from({ length: 64 }, (_, index) => bao(`/v1/secret/${index}`));
  const replies = await http.many(wanted);
  const right = replies.filter((reply, index) =>
    !(reply instanceof Error) && text(reply) === `/v1/secret/${index}`
  );
  return String(right.length);
}

async function loginAndReads(http: Http): Promise<string> {
  const login = bao("/v1/login", { method: "POST", body: json({ jwt: CANARY }), readsAfter: 64 });
  return `${text(await http.request(login))}, ${await reads(http)}`;
}

const refused = (cert: CertName, right: string): Exchange => ({
  name: `a login at a server with the certificate "${cert}"`,
  cert,
  ask: async (http) =>
    text(await http.request(bao("/v1/login", { method: "POST", body: json({ jwt: CANARY }) }))),
  right,
});

/** The table. */
export const EXCHANGES: readonly Exchange[] = [
  {
    name: "JSON both ways",
    cert: "good",
    ask: async (http) =>
      text(await http.request(tenancy("/echo", { method: "POST", body: json({ ü: [1] }) }))),
    right: 'ok {"ü":[1]}',
  },
  { name: "a bundle of 16 MiB", cert: "good", ask: bundleSum, right: "ok 16777216 13478" },
  {
    name: "a body of 1 MiB upwards",
    cert: "good",
    ask: async (http) => {
      const body = new Uint8Array(1 << 20).fill(97);
      const reply = await http.request(tenancy("/count", { method: "POST", body }));
      return text(reply);
    },
    right: "ok 1048576",
  },
  {
    name: "a chunked answer",
    cert: "good",
    ask: async (http) => text(await http.request(tenancy("/chunked"))),
    right: "ok one,two",
  },
  {
    name: "an answer that comes slowly",
    cert: "good",
    ask: async (http) => text(await http.request(tenancy("/slow"))),
    right: "ok 0123456789",
  },
  {
    name: "an answer that does not come",
    cert: "good",
    ask: async (http) => text(await http.request(tenancy("/silent", { timeoutMs: 1_200 }))),
    right: "TENANCY_TIMEOUT headers",
  },
  {
    name: "a connection closed before the answer, under a POST",
    cert: "good",
    ask: async (http) =>
      text(await http.request(tenancy("/drop", { method: "POST", timeoutMs: 2_500 }))),
    right: "TENANCY_UNAVAILABLE headers",
  },
  {
    name: "a connection closed in the body",
    cert: "good",
    ask: async (http) => text(await http.request(tenancy("/half", { timeoutMs: 2_500 }))),
    right: "TENANCY_UNAVAILABLE body",
  },
  refused("good", "ok /v1/login"),
  { name: "64 reads over TLS", cert: "good", ask: reads, right: "ok 64" },
  {
    name: "a login, and 64 reads on connections that were opened meanwhile",
    cert: "good",
    ask: loginAndReads,
    right: "ok /v1/login, 64",
  },
  refused("other", "TLS_REFUSED tls"),
  refused("stranger", "TLS_REFUSED tls"),
  refused("expired", "CLOCK_OR_CERT tls"),
  refused("future", "CLOCK_OR_CERT tls"),
];

/** Answers as tenancy: one request a connection, by its path. */
export async function answerAsTenancy(peer: RawPeer): Promise<void> {
  const request = await peer.request();
  if (request === null) return;
  const body = request.slice(request.indexOf("\r\n\r\n") + 4);
  const path = request.split(" ", 2)[1] ?? "";
  switch (path) {
    case "/echo":
      return await peer.send(plainReply(body));
    case "/count":
      return await peer.send(plainReply(String(body.length)));
    case "/bundle": {
      await peer.send(`HTTP/1.1 200 OK\r\ncontent-length: ${BUNDLE_BYTES}\r\n\r\n`);
      return await peer.send(Uint8Array.from({ length: BUNDLE_BYTES }, (_, at) => at % 251));
    }
    case "/chunked":
      return await peer.send(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n4\r\n,two\r\n0\r\n\r\n",
      );
    case "/slow":
      await peer.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n");
      for (let digit = 0; digit < 10; digit += 1) {
        await peer.send(String(digit));
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      return;
    case "/silent":
      return await peer.drain();
    case "/half":
      return await peer.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
  }
}

/** Answers as OpenBao: as many requests a connection as come, each with its own path. */
export async function answerAsBao(peer: RawPeer): Promise<void> {
  for (;;) {
    const request = await peer.request();
    if (request === null) return;
    await peer.send(plainReply(request.split(" ", 2)[1] ?? ""));
    if (/^connection: close/im.test(request)) return;
  }
}
