/**
 * Installs the bridge in a folder of a test as the package does, with the stand-in where npm would
 * put the addon, and an identity file beside it.
 */

import { findProgram } from "../../scripts/lab/process.ts";
import { testCerts } from "../io/tls_setup.ts";

/** How the stand-in behaves (standin.cjs). */
export interface StandinOptions {
  readonly api?: "connect" | "dial";
  readonly services: Readonly<
    Record<string, {
      readonly port?: number;
      readonly fault?: "never" | "crash" | "throw" | "block";
      readonly lateMs?: number;
      /** The dial fails after so long, with a text and no number. */
      readonly failMs?: number;
    }>
  >;
  readonly login?: {
    readonly ms?: number;
    /** It ends once this file is there. */
    readonly until?: string;
    readonly never?: true;
    readonly block?: true;
    readonly crash?: true;
    readonly throwLater?: true;
    /** Writes so many bytes to standard output. */
    readonly flood?: number;
    readonly reject?: string;
    readonly code?: number;
    readonly resolve?: number;
  };
  readonly say?: string;
  readonly garbage?: string;
  readonly marker?: string;
}

const ROOT = new URL("../../", import.meta.url).pathname;

/** Node's path. Throws when there is none. */
export async function nodePath(): Promise<string> {
  const path = await findProgram("node");
  if (path === null) throw new Error("these tests need the program node: install it");
  return await Deno.realPath(path);
}

/** Copies the bridge to `<folder>/bridge`; gives bridge.cjs. */
export async function installBridge(folder: string, standin: StandinOptions): Promise<string> {
  await Deno.mkdir(`${folder}/bridge`, { recursive: true });
  for await (const { name } of Deno.readDir(`${ROOT}packaging/ziti-bridge`)) {
    if (!/\.(?:cjs|json)$/.test(name)) continue;
    await Deno.copyFile(`${ROOT}packaging/ziti-bridge/${name}`, `${folder}/bridge/${name}`);
  }
  await changeStandin(folder, standin);
  return `${folder}/bridge/bridge.cjs`;
}

/** Changes how the stand-in of an installed bridge behaves from the bridge's next start on. */
export async function changeStandin(folder: string, standin: StandinOptions): Promise<void> {
  const addon = `${folder}/bridge/node_modules/@openziti/ziti-sdk-nodejs`;
  await Deno.mkdir(addon, { recursive: true });
  await Deno.writeTextFile(
    `${addon}/index.js`,
    `module.exports = require(${JSON.stringify(`${ROOT}tests/bridge/standin.cjs`)})` +
      `.makeStandin(${JSON.stringify(standin)});\n`,
  );
}

/** Gives the text of an identity file whose certificate is the named one. */
export async function identityText(name: "good" | "expired" | "future" = "good"): Promise<string> {
  const { cert, key } = (await testCerts()).pair(name);
  return JSON.stringify({
    ztAPI: "https://controller.invalid:1280/edge/client/v1",
    ztAPIs: null,
    id: { cert: `pem:${cert}`, key: `pem:${key}`, ca: "" },
  });
}
