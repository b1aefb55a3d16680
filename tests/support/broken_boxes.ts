/** What a broken box is, for the doctor's tests, and what several of them are made with. */

import type { CheckName } from "../../src/core/doctor/checks.ts";
import type { Code } from "../../src/errors.ts";
import type { Box, ConfigChange } from "../../scripts/box/box.ts";
import { testCerts } from "../io/tls_setup.ts";
import { writeExecutable } from "./executable.ts";

/** Takes what a broken box needs back when the test is over. */
export type Later = (undo: () => Promise<unknown>) => void;

/** One way to break a box, and what the doctor must say of it. */
export interface BrokenBox {
  readonly broken: string;
  readonly spoil: (box: Box, later: Later) => Promise<void>;
  readonly cause: CheckName;
  /** Null where no tick would end with a code. */
  readonly code: Code | null;
  /** What the fix must name: a command, or a file. */
  readonly fix: RegExp;
  /** A command line to run the doctor behind. */
  readonly enter?: (box: Box) => readonly string[];
}

/** Gives a spoiler that only changes the config. */
export function configured(
  change: (box: Box) => ConfigChange | Promise<ConfigChange>,
): BrokenBox["spoil"] {
  return async (box) => await box.configure(await change(box));
}

/** What a captive portal, or a wrong port, answers. */
export function htmlPage(): Response {
  return new Response("<html></html>", { headers: { "content-type": "text/html" } });
}

/** Starts an HTTP server of this process; gives its address. */
export function serve(
  answer: (request: Request) => Response,
  later: Later,
  tls: { readonly cert: string; readonly key: string } | null = null,
): string {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...tls },
    (request) => answer(request),
  );
  later(() => server.shutdown());
  return `127.0.0.1:${server.addr.port}`;
}

/** Puts a server in OpenBao's place, with one of the test certificates; gives the config for it. */
export async function insteadOfBao(
  box: Box,
  later: Later,
  { cert, answer }: {
    readonly cert: "good" | "expired";
    readonly answer: () => Response;
  },
): Promise<ConfigChange> {
  const certs = await testCerts();
  const ca = `${box.dir}/test-ca.pem`;
  await Deno.writeTextFile(ca, certs.caPem);
  const proxyAddr = serve(answer, later, certs.pair(cert));
  return { bao: { addr: "https://vault.internal:8200", proxy_addr: proxyAddr, ca } };
}

/** Gives the session file's path and its content as JSON. */
export async function readSession(box: Box): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(`${box.stateDir}/session.json`));
}

/** Gives the command line that runs another one where `/usr/bin` also has the programs of a folder. */
export function withPrograms(folder: string): readonly string[] {
  const script = `mount -t overlay overlay -o lowerdir='${folder}':/usr/bin /usr/bin && exec "$@"`;
  const root = Deno.uid() === 0 ? [] : ["-r"];
  return ["unshare", ...root, "-m", "sh", "-c", script, "sh"];
}

/** Writes a program that prints a text. */
export async function writePrinter(path: string, text: string): Promise<void> {
  await writeExecutable(path, `#!/bin/sh\nprintf '%s\\n' '${text}'\n`);
}
