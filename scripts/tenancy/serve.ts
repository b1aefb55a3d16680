// One connection after the other: read, record, check, ask OpenBao, answer or misbehave.

import { admitBearer, type Bearer, lookUpBearer } from "./bearer.ts";
import { answerCall, type CallParts } from "./calls.ts";
import { type AgentRequest, bearerOf, bodyText, checkRequest } from "./check_request.ts";
import { distortReply, replyInstead, takesEffect } from "./fault_reply.ts";
import type { Faults, FaultSpec } from "./faults.ts";
import { BadRequest, type HttpRequest, RequestReader } from "./http_request.ts";
import { type RecordedRequest, tokenName } from "./record.ts";
import { errorReply, Refusal, type Reply } from "./reply.ts";
import { sendFault, sendReply } from "./send.ts";
import { sleep } from "./sleep.ts";
import type { Connection } from "./socket.ts";
import type { TokenLookup } from "./token_lookup.ts";

/** Time for the peer to read an answer to a request that was not read to its end. */
const LINGER_MS = 200;

/** What serving takes besides the calls' own parts. */
export interface ServeParts extends CallParts {
  readonly lookup: TokenLookup;
  readonly lookupTimeoutMs: number;
  readonly expectedHost: string;
  readonly faults: Faults;
  readonly onRequest: (line: string) => void;
}

/** Serves one connection until the agent, a fault or a bad request ends it. */
export async function serveConnection(parts: ServeParts, connection: Connection): Promise<void> {
  const reader = new RequestReader(connection);
  for (;;) {
    let http: HttpRequest | null;
    try {
      http = await reader.next();
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      parts.record.violate(null, error.message);
      const reply = errorReply(400, "PROTOCOL_VIOLATION", error.message);
      parts.onRequest(`${parts.record.now()} 400 ${error.message}`);
      await sendReply(connection, reply, false);
      return await sleep(LINGER_MS, connection.hungUp);
    }
    if (http === null) return;
    const goesOn = await serveRequest(parts, connection, http);
    if (!goesOn) return;
  }
}

async function serveRequest(
  parts: ServeParts,
  connection: Connection,
  http: HttpRequest,
): Promise<boolean> {
  const checked = checkRequest(http, parts.expectedHost);
  const entry = await recordRequest(parts, http, checked.ok ? checked.request.call : checked.call);
  const say = (): void => {
    const fault = entry.fault === null ? "" : ` (fault ${entry.fault})`;
    parts.onRequest(
      `${entry.at} ${entry.call ?? http.method} ${entry.env ?? "?"} ` +
        `${entry.status ?? "no answer"}${fault}`,
    );
    parts.record.touch();
  };
  if (!checked.ok) {
    const message = checked.problems.join("; ");
    parts.record.violate(checked.call, message);
    entry.status = 400;
    say();
    const reply = errorReply(400, "PROTOCOL_VIOLATION", message);
    await sendReply(connection, reply, http.keepAlive);
    return http.keepAlive;
  }
  const { request } = checked;
  const bearer = await lookUpBearer(parts.lookup, request.token, parts.lookupTimeoutMs);
  const asked = request.call === "bundle" ? null : request.body.env_id;
  entry.env = asked ?? bearer.env;
  const fault = parts.faults.take(request.call, entry.env);
  entry.fault = fault?.kind ?? null;
  const reply = await makeReply(parts, request, bearer, fault, connection.hungUp);
  if (fault === null || replyInstead(fault) !== null) {
    // Recorded before it is sent: whoever saw the answer finds it in the record.
    entry.status = reply?.status ?? null;
    say();
    if (reply !== null) await sendReply(connection, reply, http.keepAlive);
    return http.keepAlive;
  }
  try {
    entry.status = await sendFault(connection, fault, reply);
  } finally {
    say();
  }
  return false;
}

async function makeReply(
  parts: ServeParts,
  request: AgentRequest,
  bearer: Bearer,
  fault: FaultSpec | null,
  hungUp: AbortSignal,
): Promise<Reply | null> {
  if (fault !== null && !takesEffect(fault)) return replyInstead(fault);
  try {
    const asked = request.call === "bundle" ? null : request.body.env_id;
    const env = admitBearer(parts.grants, bearer, asked);
    const { result } = bearer;
    if (result.kind === "valid" && result.grantJti !== null) {
      if (parts.grants.noteAccessor(env, result.accessor, result.grantJti)) {
        await parts.store.save(parts.clock.now());
      }
    }
    const otherEnv = fault?.kind === "other_env" ? "env-somebody-else" : null;
    const reply = await answerCall(parts, request, { env, hungUp, otherEnv });
    return fault === null ? reply : distortReply(reply, fault, request.call);
  } catch (error) {
    if (error instanceof Refusal) return errorReply(error.status, error.code, error.message);
    return errorReply(500, "INTERNAL", error instanceof Error ? error.message : String(error));
  }
}

/** Writes a request down with its token masked wherever it stands. */
async function recordRequest(
  parts: ServeParts,
  http: HttpRequest,
  call: RecordedRequest["call"],
): Promise<RecordedRequest> {
  const { record } = parts;
  const token = bearerOf(http);
  const name = token === null ? "" : await tokenName(token);
  const mask = (text: string): string => token === null ? text : text.replaceAll(token, name);
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(http.headers)) {
    headers[header] = header === "authorization" ? name || "(malformed)" : mask(value);
  }
  const text = bodyText(http) ?? "";
  if (token !== null && (text.includes(token) || http.target.includes(token))) {
    record.violate(call, "the token stands outside the Authorization header");
  }
  const entry: RecordedRequest = {
    at: record.now(),
    call,
    method: http.method,
    target: mask(http.target),
    headers,
    body: jsonOrNull(mask(text)),
    env: null,
    status: null,
    fault: null,
  };
  record.requests.push(entry);
  record.touch();
  return entry;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
