/**
 * Kinds of config values that name something on a network. A URL is never quoted in a message: it
 * may hold a password that somebody put there.
 */

import type { HostPort } from "../model/config.ts";
import { type Kind, textKind } from "./kind.ts";
import { quoted } from "./problem.ts";

/** Where a URL points; `port` is null when it names none. */
export interface UrlTarget {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number | null;
}

/** A host name or a dotted IPv4 address, in lower case. */
export const hostName: Kind<string> = textKind({
  type: "host name",
  allowed: "a host name or an IPv4 address",
  read: (text) => {
    const host = readHost(text);
    return host === null ? { wrong: `${quoted(text)} is no host name` } : { value: host };
  },
  show: (value) => value,
});

/** `HOST:PORT`, an IPv6 address in brackets. */
export const hostPort: Kind<HostPort> = textKind({
  type: "host:port",
  allowed: "HOST:PORT, e.g. 127.0.0.1:18443",
  read: (text) => {
    const found = /^(.+):([0-9]{1,5})$/.exec(text);
    const host = readHost(found?.[1] ?? "") ?? readBracketed(found?.[1] ?? "");
    const port = readPort(found?.[2]);
    if (host === null || port === null) return { wrong: `${quoted(text)} is no host and port` };
    return { value: { host, port } };
  },
  show: showHostPort,
});

/** `http://HOST[:PORT]` or `https://HOST[:PORT]`: what tenancy's host, port and scheme derive from. */
export const baseUrl: Kind<UrlTarget> = textKind({
  type: "URL",
  allowed: "http://HOST[:PORT] or https://HOST[:PORT], without user, path or query",
  read: (text) => {
    const value = readUrl(text);
    return value === null ? { wrong: "is no such URL" } : { value };
  },
  show: showUrl,
});

/** OpenBao's address: https alone, since the agent's token and every secret travel there. */
export const httpsUrl: Kind<UrlTarget> = textKind({
  type: "https URL",
  allowed: "https://HOST[:PORT], without user, path or query",
  read: (text) => {
    const value = readUrl(text);
    if (/^http:/i.test(text)) {
      return { wrong: "is http, over which the agent's token and every secret could be read" };
    }
    return value === null ? { wrong: "is no such URL" } : { value };
  },
  show: showUrl,
});

/** An IPv4 network. A range wider than /8 would accept nearly any answer, so it is refused. */
export const ipv4Range: Kind<string> = textKind({
  type: "IPv4 range",
  allowed: "an IPv4 network from /8 to /32, e.g. 100.64.0.0/10",
  read: (text) => {
    const found = /^([0-9.]+)\/([0-9]{1,2})$/.exec(text);
    const address = readIpv4(found?.[1] ?? "");
    const bits = Number(found?.[2]);
    if (address === null || !(bits >= 8 && bits <= 32)) {
      return { wrong: `${quoted(text)} is no such network` };
    }
    if (address % 2 ** (32 - bits) !== 0) {
      return { wrong: `${quoted(text)} has bits set behind the prefix` };
    }
    return { value: `${found?.[1]}/${bits}` };
  },
  show: (value) => value,
});

/** Takes a host and port; gives `host:port`, an IPv6 address in brackets. */
export function showHostPort({ host, port }: HostPort): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function showUrl({ scheme, host, port }: UrlTarget): string {
  return `${scheme}://${host}${port === null ? "" : `:${port}`}`;
}

function readUrl(text: string): UrlTarget | null {
  const found = /^(https?):\/\/([^:/?#@\\]+)(?::([0-9]{1,5}))?\/?$/i.exec(text);
  if (found === null) return null;
  const host = readHost(found[2] ?? "");
  const port = readPort(found[3]);
  if (host === null || (found[3] !== undefined && port === null)) return null;
  return { scheme: found[1]?.toLowerCase() === "https" ? "https" : "http", host, port };
}

function readPort(text: string | undefined): number | null {
  const port = Number(text);
  return Number.isInteger(port) && port >= 1 && port <= 65535 ? port : null;
}

/** A name that ends with a number must be a whole dotted address: resolvers read `127.1` as one. */
function readHost(text: string): string | null {
  const host = text.toLowerCase();
  const labels = host.split(".");
  if (host.length > 253) return null;
  if (!labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))) {
    return null;
  }
  const numeric = /^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "");
  return numeric && readIpv4(host) === null ? null : host;
}

function readBracketed(text: string): string | null {
  const inner = /^\[([0-9a-fA-F:.]{2,45})\]$/.exec(text)?.[1];
  if (inner === undefined || !inner.includes(":")) return null;
  try {
    return new URL(`http://[${inner}]/`).hostname.slice(1, -1);
  } catch {
    return null;
  }
}

function readIpv4(text: string): number | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part))) {
    return null;
  }
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255)
    ? bytes.reduce((sum, byte) => sum * 256 + byte, 0)
    : null;
}
