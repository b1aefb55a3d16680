/**
 * The port Http over our own HTTP/1.1 (SPEC §7): no redirect is followed, no request is written
 * twice, no proxy variable is read, and a converged tick pays for neither `fetch` nor a `node:`
 * module. Judges framing only; statuses and bodies are the clients' business.
 */

import { AgentError, asAgentError } from "../errors.ts";
import type { Http, HttpReply, HttpRequest, Peer } from "../ports.ts";
import { connectSocket } from "./connect.ts";
import { type ConnectionOptions, withConnection } from "./connection.ts";
import type { Dialer } from "./dialer.ts";
import type { Endpoints } from "./endpoints.ts";
import { encodeRequest } from "./http1_request.ts";
import { connectionsFor, pipeline, shares, surplusFault } from "./pipeline.ts";
import { Spares, type SpareWay } from "./spares.ts";
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
  const held: HeldOptions = { ...options, spares: new Spares() };
  return {
    request: (request) => exchange(held, request),
    many: (requests) => exchangeMany(held, requests),
    close: async () => {
      held.spares.close();
      await options.dialer.close?.();
    },
  };
}

/** The options, and what is kept between two exchanges. */
interface HeldOptions extends HttpOptions {
  readonly spares: Spares;
}

async function exchange(options: HeldOptions, request: HttpRequest): Promise<HttpReply> {
  const { peer, readsAfter = 0 } = request;
  const spares = readsAfter > 0 ? options.spares : null;
  try {
    const framing = { host: hostHeader(options.endpoints, request.peer), keepAlive: false };
    const bytes = encodeRequest(request, framing);
    const settings = connectionOptions(options, request);
    spares?.open(peer, connectionsFor(readsAfter, maxOf(options)), settings);
    const reply = await withConnection(settings, async (connection) => {
      connection.send(bytes);
      const { reply } = await connection.receive(request.maxBodyBytes);
      const { surplus } = connection;
      if (surplus.length > 0) throw surplusFault(surplus, settings.faults);
      return reply;
    });
    spares?.succeeded();
    return reply;
  } catch (thrown) {
    const error = asAgentError(thrown);
    spares?.failed(error.data["phase"]);
    throw withRequest(error, request.method, request.target);
  }
}

async function exchangeMany(
  options: HeldOptions,
  requests: readonly HttpRequest[],
): Promise<readonly (HttpReply | Error)[]> {
  const parts = shares(requests, maxOf(options));
  const [first] = requests;
  const spares = first === undefined ? [] : options.spares.take(first.peer, parts.length);
  const outcomes = await Promise.all(
    parts.map((share, index) => exchangeShare(options, { share, way: spares[index]?.way })),
  );
  return outcomes.flat();
}

function maxOf({ maxConnections = DEFAULT_MAX_CONNECTIONS }: HttpOptions): number {
  return maxConnections;
}

/** What one connection carries, and how it is made when it was opened before. */
interface Share {
  readonly share: readonly HttpRequest[];
  readonly way: SpareWay | undefined;
}

async function exchangeShare(
  options: HttpOptions,
  { share, way }: Share,
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
    const settings = { ...connectionOptions(options, { ...first, timeoutMs }), ...way };
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
