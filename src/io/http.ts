/**
 * The port Http over our own HTTP/1.1 (SPEC §7): no redirect is followed, no request is written
 * twice, no proxy variable is read, and a converged tick pays for neither `fetch` nor a `node:`
 * module. Judges framing only; statuses and bodies are the clients' business.
 */

import { AgentError, asAgentError } from "../errors.ts";
import type { Http, HttpReply, HttpRequest, Peer } from "../ports.ts";
import { connectSocket } from "./connect.ts";
import { type Connection, type ConnectionOptions, withConnection } from "./connection.ts";
import type { Dialer } from "./dialer.ts";
import type { Endpoints } from "./endpoints.ts";
import { encodeRequest } from "./http1_request.ts";
import { pipeline, shares } from "./pipeline.ts";
import { checkCaPem, secure } from "./tls.ts";
import { faultsOf, withRequest } from "./wire_faults.ts";

/** Where the remotes are and how they are reached. */
export interface HttpOptions {
  readonly endpoints: Endpoints;
  readonly dialer: Dialer;
  /** PEM text of roots beside the system's, or null. */
  readonly caPem: string | null;
  /** Limit for the connections that `many` opens; 8 unless told. */
  readonly maxConnections?: number;
}

/** The port, and the way to end what its transport keeps. */
export interface HeldHttp extends Http {
  /** Ends the bridge of the transport `sdk`; with the others there is nothing to end. */
  close(): Promise<void>;
}

const DEFAULT_MAX_CONNECTIONS = 8;
const SOCKET_DROPPED = "closed the connection before it answered";

/** Gives the port. Throws CONFIG_INVALID when `caPem` holds no certificate. */
export function createHttp(options: HttpOptions): HeldHttp {
  if (options.caPem !== null) checkCaPem(options.caPem);
  return {
    request: (request) => exchange(options, request),
    many: (requests) => exchangeMany(options, requests),
    close: () => options.dialer.close?.() ?? Promise.resolve(),
  };
}

async function exchange(options: HttpOptions, request: HttpRequest): Promise<HttpReply> {
  try {
    const framing = { host: hostHeader(options.endpoints, request.peer), keepAlive: false };
    const bytes = encodeRequest(request, framing);
    return await withConnection(connectionOptions(options, request), async (connection) => {
      connection.send(bytes);
      const { reply } = await connection.receive(request.maxBodyBytes);
      refuseSurplus(connection, request.peer);
      return reply;
    });
  } catch (thrown) {
    throw withRequest(asAgentError(thrown), request.method, request.target);
  }
}

/** More bytes than the answer: the peer frames its answers in another way than we read them. */
function refuseSurplus(connection: Connection, peer: Peer): void {
  if (connection.surplus === 0) return;
  throw faultsOf(peer).badAnswer("body", "goes on behind its own end");
}

async function exchangeMany(
  options: HttpOptions,
  requests: readonly HttpRequest[],
): Promise<readonly (HttpReply | Error)[]> {
  const max = options.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  const parts = await Promise.all(
    shares(requests, max).map((share) => exchangeShare(options, share)),
  );
  return parts.flat();
}

async function exchangeShare(
  options: HttpOptions,
  share: readonly HttpRequest[],
): Promise<readonly (HttpReply | Error)[]> {
  const label = (request: HttpRequest, error: AgentError): AgentError =>
    withRequest(error, request.method, request.target);
  const [first] = share;
  if (first === undefined) return [];
  try {
    const host = hostHeader(options.endpoints, first.peer);
    const bytes = share.map((request, index) => {
      checkPipelined(request, first);
      return encodeRequest(request, { host, keepAlive: index < share.length - 1 });
    });
    // One clock for the connection: it gives every request of the share its full time.
    const timeoutMs = Math.max(...share.map((request) => request.timeoutMs));
    const settings = connectionOptions(options, { ...first, timeoutMs });
    const outcomes = await withConnection(
      settings,
      (connection) => pipeline(connection, { bytes, requests: share, faults: settings.faults }),
    );
    return share.map((request, index) => {
      const outcome = outcomes[index];
      return outcome instanceof AgentError || outcome === undefined
        ? label(request, asAgentError(outcome))
        : outcome;
    });
  } catch (thrown) {
    return share.map((request) => label(request, asAgentError(thrown)));
  }
}

function checkPipelined(request: HttpRequest, first: HttpRequest): void {
  if (request.method === "GET" && request.body === undefined && request.peer === first.peer) return;
  throw new AgentError("INTERNAL", "only GETs of one remote may share connections");
}

function connectionOptions(options: HttpOptions, request: HttpRequest): ConnectionOptions {
  const { endpoints, dialer, caPem } = options;
  const { peer, timeoutMs, signal } = request;
  const faults = faultsOf(peer);
  const common = { faults, timeoutMs, signal };
  if (peer === "docker") {
    const { socket } = endpoints.docker;
    const dial = (): ReturnType<Dialer["dial"]> => connectSocket(socket, faults);
    return { ...common, dropped: SOCKET_DROPPED, dial, secure: null };
  }
  const { scheme, host, port, service } = endpoints[peer];
  const { dropped } = dialer;
  const dial = (abort: AbortSignal): ReturnType<Dialer["dial"]> =>
    dialer.dial({ peer, service, host, port }, abort);
  return {
    ...common,
    dropped,
    dial,
    secure: scheme === "http"
      ? null
      : (duplex, signal): ReturnType<Dialer["dial"]> =>
        secure(duplex, { host, caPem, faults, dropped, signal, redial: () => dial(signal) }),
  };
}

/** The Host header: always with the port, default or not (SPEC §3). */
function hostHeader(endpoints: Endpoints, peer: Peer): string {
  if (peer === "docker") return "docker";
  return `${endpoints[peer].host}:${endpoints[peer].port}`;
}
