/** An HTTP port that answers by a function, and replies as the case files write them. */

import type { Http, HttpReply, HttpRequest } from "../../src/ports.ts";

/** The port and what it was asked. */
export interface ScriptedHttp extends Http {
  readonly requests: readonly HttpRequest[];
}

/** Makes a port whose answers the function gives; an Error is thrown, or stands in `many`'s array. */
export function scriptedHttp(
  answer: (request: HttpRequest, index: number) => HttpReply | Error,
): ScriptedHttp {
  const requests: HttpRequest[] = [];
  const next = (request: HttpRequest): HttpReply | Error => {
    requests.push(request);
    return answer(request, requests.length - 1);
  };
  return {
    requests,
    request: (request) => {
      const reply = next(request);
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
    },
    many: (all) => Promise.resolve(all.map(next)),
  };
}

/** A reply of a status, a body and headers. JSON unless the headers say otherwise. */
export function reply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: new TextEncoder().encode(text),
  };
}

/** Reads a reply from a file of tests/cases/, given by `<folder>/<file>`. */
export async function caseReply(file: string): Promise<HttpReply> {
  const text = await Deno.readTextFile(new URL(`../cases/${file}`, import.meta.url));
  const [head = "", ...rest] = text.split("\n\n");
  const [statusLine = "", ...fields] = head.split("\n");
  const headers = fields.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: Object.fromEntries(headers),
    body: new TextEncoder().encode(rest.join("\n\n").trim()),
  };
}
