/**
 * What is in the package, as CycloneDX 1.5: the agent, the runtime, and each npm package that the
 * bundle is made of, with the checksum under which it was fetched.
 */

import * as z from "zod/mini";
import { sha256Of } from "./checksums.ts";
import { runProgram } from "./run.ts";
import type { Runtime } from "./runtime.ts";

/** What the list is made from. */
export interface SbomParts {
  /** The project's folder. */
  readonly root: string;
  readonly version: string;
  /** Seconds since 1970. */
  readonly momentS: number;
  readonly runtime: Runtime;
  /** The bundled program. */
  readonly program: Uint8Array<ArrayBuffer>;
}

const GRAPH = z.object({
  modules: z.array(z.object({ npmPackage: z.optional(z.string()) })),
  npmPackages: z.record(
    z.string(),
    z.object({ name: z.string(), version: z.string(), dependencies: z.array(z.string()) }),
  ),
});

const LOCK = z.object({ npm: z.record(z.string(), z.object({ integrity: z.string() })) });

/**
 * Gives the document as text, the same for the same parts.
 * Throws Error when a package of the bundle is not in deno.lock.
 */
export async function makeSbom(parts: SbomParts): Promise<string> {
  const { root, version, momentS, runtime } = parts;
  const program = await sha256Of(parts.program);
  const components = [
    {
      ...npm(runtime.package, runtime.deno, runtime.integrity),
      type: "platform",
      description: "the runtime, shipped as /usr/lib/monky-deployd/deno",
    },
    ...await bundled(root),
  ];
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${uuidFrom(await sha256Of(utf8(`${version} ${program}`)))}`,
    version: 1,
    metadata: {
      timestamp: new Date(momentS * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": "monky-deployd",
        name: "monky-deployd",
        version,
        licenses: [{ license: { id: "Apache-2.0" } }],
        hashes: [{ alg: "SHA-256", content: program }],
      },
    },
    components,
    dependencies: [{
      ref: "monky-deployd",
      dependsOn: components.map((component) => component["bom-ref"]),
    }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** What main.ts reaches: Deno lists all that is locked, with what only tests and scripts use. */
async function bundled(root: string): Promise<readonly ReturnType<typeof npm>[]> {
  const graph = GRAPH.parse(JSON.parse(
    await runProgram(Deno.execPath(), {
      args: ["info", "--json", "--config", `${root}/deno.json`, `${root}/main.ts`],
    }),
  ));
  const lock = LOCK.parse(JSON.parse(await Deno.readTextFile(`${root}/deno.lock`)));
  const reached = new Set<string>();
  const reach = (id: string): void => {
    // Types are gone from what runs.
    if (reached.has(id) || id.startsWith("@types/")) return;
    reached.add(id);
    graph.npmPackages[id]?.dependencies.forEach(reach);
  };
  for (const { npmPackage } of graph.modules) if (npmPackage !== undefined) reach(npmPackage);
  return [...reached].sort().map((id) => {
    const found = graph.npmPackages[id];
    const integrity = lock.npm[id]?.integrity;
    if (found === undefined || integrity === undefined) throw new Error(`${id} is not locked`);
    return npm(found.name, found.version, integrity);
  });
}

function npm(name: string, version: string, integrity: string) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const content = Uint8Array.fromBase64(integrity.replace("sha512-", "")).toHex();
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    hashes: [{ alg: "SHA-512", content }],
  };
}

/** A version 8 UUID (RFC 9562): any bits that its maker chose. */
function uuidFrom(hex: string): string {
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...groups, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
