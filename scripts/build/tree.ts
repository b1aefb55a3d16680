/**
 * THE table of what is installed where. The .deb, the .rpm and the archive are three wrappings of it.
 * What is generated (the bundle, completions, changelog) is made here from the sources.
 */

import { gzipSync } from "node:zlib";
import { completionScript } from "../../src/cli/completions.ts";
import { toFlags } from "../../src/core/permissions.ts";
import { debianChangelog } from "./changelog.ts";

/** Which packages carry a file; all when it is left out. */
export type Format = "deb" | "rpm" | "tar";

/** One installed file. */
export interface Installed {
  /** Absolute. */
  readonly path: string;
  readonly mode: 0o644 | 0o755;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly only?: readonly Format[];
}

/** What the files are made from. */
export interface TreeParts {
  /** The project's folder. */
  readonly root: string;
  readonly version: string;
  /** Seconds since 1970. */
  readonly momentS: number;
  /** The path of the runtime's ELF file. */
  readonly runtime: string;
  /** The path of the bundled program. */
  readonly program: string;
}

const LIB = "/usr/lib/monky-deployd";
const DOC = "/usr/share/doc/monky-deployd";
/** What an operator reads; the others are about developing the agent. */
const GUIDE = /^(?!ARCHITECTURE|DEPENDENCIES)[A-Z]+\.md$/;

/**
 * Gives the installed files, sorted by path.
 * Throws Error naming a source that is missing.
 */
export async function installedFiles(parts: TreeParts): Promise<readonly Installed[]> {
  const { root } = parts;
  const packaging = `${root}/packaging`;
  const files: readonly Installed[] = [
    await file("/usr/bin/monky-deployd", `${packaging}/launcher/monky-deployd`, 0o755),
    await file(`${LIB}/deno`, parts.runtime, 0o755),
    await file(`${LIB}/main.js`, parts.program, 0o644),
    {
      path: `${LIB}/grants.sh`,
      mode: 0o644,
      content: utf8(sealedGrants(await Deno.readTextFile(`${packaging}/launcher/grants.sh`))),
    },
    await file(`${LIB}/write-grants`, `${packaging}/launcher/write-grants`, 0o755),
    await file(`${LIB}/ziti-proxy`, `${packaging}/launcher/ziti-proxy`, 0o755),
    await file(`${LIB}/box-setup`, `${packaging}/launcher/box-setup`, 0o755),
    await file(`${LIB}/renew-loop`, `${packaging}/launcher/renew-loop`, 0o755),
    ...await folder(`${LIB}/ziti-bridge`, `${packaging}/ziti-bridge`, /\.cjs$|^package\.json$/),
    ...await folder("/usr/lib/systemd/system", `${packaging}/systemd`, /\.(?:service|timer)$/),
    await file(`${DOC}/config.example.yaml`, `${packaging}/config.example.yaml`, 0o644),
    ...await folder(DOC, `${root}/docs`, GUIDE),
    await file(`${DOC}/copyright`, `${packaging}/deb/copyright`, 0o644),
    zipped(`${DOC}/changelog.gz`, await changelog(parts)),
    zipped(
      "/usr/share/man/man8/monky-deployd.8.gz",
      await read(`${packaging}/man/monky-deployd.8`),
    ),
    ...completions(),
    {
      ...await file(
        "/usr/share/lintian/overrides/monky-deployd",
        `${packaging}/deb/lintian-overrides`,
        0o644,
      ),
      only: ["deb"],
    },
  ];
  return files.toSorted((one, other) => one.path < other.path ? -1 : 1);
}

/**
 * Takes the text of packaging/launcher/grants.sh; gives it with the flags that every start has.
 * Throws Error when it has no place for them.
 */
export function sealedGrants(text: string): string {
  if (!text.includes("@SEALED@")) throw new Error("grants.sh has no place for the flags");
  const nothing = { net: [], read: [], write: [], run: [], env: [], sys: [] };
  return text.replace("@SEALED@", toFlags(nothing, "package").join("\n"));
}

function completions(): readonly Installed[] {
  const script = (shell: "bash" | "zsh" | "fish"): Uint8Array<ArrayBuffer> =>
    utf8(completionScript(shell));
  const zsh = { mode: 0o644, content: script("zsh") } as const;
  return [
    {
      path: "/usr/share/bash-completion/completions/monky-deployd",
      mode: 0o644,
      content: script("bash"),
    },
    {
      path: "/usr/share/fish/vendor_completions.d/monky-deployd.fish",
      mode: 0o644,
      content: script("fish"),
    },
    // Debian's zsh and the others' look in different folders.
    { ...zsh, path: "/usr/share/zsh/vendor-completions/_monky-deployd", only: ["deb", "tar"] },
    { ...zsh, path: "/usr/share/zsh/site-functions/_monky-deployd", only: ["rpm"] },
  ];
}

async function changelog({ root, version, momentS }: TreeParts): Promise<Uint8Array<ArrayBuffer>> {
  const text = await Deno.readTextFile(`${root}/CHANGELOG.md`);
  return utf8(debianChangelog({ text, version, momentS }));
}

async function file(path: string, source: string, mode: Installed["mode"]): Promise<Installed> {
  return { path, mode, content: await read(source) };
}

async function folder(path: string, source: string, wanted: RegExp): Promise<readonly Installed[]> {
  const entries = await Array.fromAsync(Deno.readDir(source));
  const names = entries.map(({ name }) => name).filter((name) => wanted.test(name));
  if (names.length === 0) throw new Error(`${source} holds nothing to install`);
  return await Promise.all(
    names.map((name) => file(`${path}/${name}`, `${source}/${name}`, 0o644)),
  );
}

/** zlib writes neither a time nor a name into the header. */
function zipped(path: string, content: Uint8Array<ArrayBuffer>): Installed {
  return { path, mode: 0o644, content: new Uint8Array(gzipSync(content, { level: 9 })) };
}

async function read(source: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(source);
  } catch (cause) {
    throw new Error(`cannot build: ${source} cannot be read`, { cause });
  }
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
