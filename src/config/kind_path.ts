/**
 * Kinds of config values that are paths on this box. Commas and control characters are refused since
 * Deno's permission flags cannot carry them (measured: `a,,b` does not escape).
 */

import { type Kind, textKind, type TextReading } from "./kind.ts";
import { quoted } from "./problem.ts";

const MAX_PATH_BYTES = 1024;
/** sun_path of a Linux unix socket holds 108 bytes, the closing NUL included (unix(7)). */
export const MAX_SOCKET_PATH_BYTES = 107;
const UNSAFE = /[\p{Cc},]/u;

/** An absolute path, normalised: `//`, `/.` and a trailing slash go, `..` and `/` itself are refused. */
export const path: Kind<string> = textKind({
  type: "path",
  allowed: "an absolute path other than /, without .. and commas",
  read: readPath,
  show: (value) => value,
});

/** A path of a program, or the bare name of one that PATH finds. */
export const program: Kind<string> = textKind({
  type: "path or name",
  allowed: "an absolute path, or the bare name of a program on PATH",
  read: (text) =>
    /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$/.test(text) ? { value: text } : readPath(text),
  show: (value) => value,
});

/** A path of a file that node_exporter's textfile collector reads. */
export const promFile: Kind<string> = textKind({
  type: "path",
  allowed: "an absolute path that ends with .prom, since node_exporter reads no other file",
  read: (text) => {
    const reading = readPath(text);
    if ("wrong" in reading) return reading;
    // The file is replaced through its folder, which must therefore not be the root of the box.
    if (/^\/.+\/[^/]+\.prom$/.test(reading.value)) return reading;
    if (reading.value.endsWith(".prom")) return { wrong: `${quoted(text)} lies in no folder` };
    return { wrong: `${quoted(text)} does not end with .prom` };
  },
  show: (value) => value,
});

/** A `unix://` URL; the value is the socket's path. */
export const unixSocket: Kind<string> = textKind({
  type: "unix:// URL",
  allowed: "unix:// and the absolute path of a socket, e.g. unix:///var/run/docker.sock",
  read: (text) => {
    if (!text.startsWith("unix://")) {
      return { wrong: "is no unix:// URL, and the agent speaks to the Engine of this box alone" };
    }
    const reading = readPath(text.slice("unix://".length));
    if ("value" in reading && byteLength(reading.value) > MAX_SOCKET_PATH_BYTES) {
      return { wrong: `is longer than the ${MAX_SOCKET_PATH_BYTES} bytes of a socket's path` };
    }
    return reading;
  },
  show: (value) => `unix://${value}`,
});

/** Takes a text; gives its length in UTF-8 bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Takes two normalised absolute paths; says whether the first is the second or lies below it. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`);
}

function readPath(text: string): TextReading<string> {
  if (UNSAFE.test(text)) return { wrong: "has a comma or a control character" };
  if (!text.startsWith("/")) return { wrong: `${quoted(text)} is not absolute` };
  if (byteLength(text) > MAX_PATH_BYTES) return { wrong: `is longer than ${MAX_PATH_BYTES} bytes` };
  const parts = text.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) return { wrong: `${quoted(text)} has a .. part` };
  if (parts.length === 0) return { wrong: "is the root of the box" };
  return { value: `/${parts.join("/")}` };
}
