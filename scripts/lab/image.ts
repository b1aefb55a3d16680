/** Images for the lab's Engine and registry, made of busybox; no public registry is needed. */

import { dockerCall } from "./docker_api.ts";
import type { DockerInfo, LabInfo, RegistryInfo } from "./info.ts";
import { findProgram, run, runChecked } from "./process.ts";
import { packTar, type TarEntry } from "./tar.ts";

/** Name of the image that every lab has. */
export const BASE_IMAGE = "lab/bb:1";

/** Runs until it is told to stop, and stops at once then. */
const DEFAULT_CMD = ["sh", "-c", "trap exit TERM; while :; do sleep 1 & wait; done"];

/** What `importImage` takes besides the name. */
export interface ImageOptions {
  /** The image's `CMD`, exec form; by default it sleeps and ends on TERM at once. */
  readonly cmd?: readonly string[];
  /** Files to add: path (relative) → content. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>;
  /** Other Dockerfile instructions, one each: `ENV A=b`, `USER 1000`, `LABEL a=b`. */
  readonly changes?: readonly string[];
}

/**
 * Makes an image out of busybox (every applet linked) and the given files. An image of this name is
 * replaced. Two calls with the same arguments give different image ids: the time is in them.
 *
 * @param lab the lab, or anything else with an Engine
 * @param name `repository:tag`
 * @param options see `ImageOptions`
 * @returns the image id, `sha256:…`
 * @throws Error with the Engine's message
 */
export async function importImage(
  lab: { readonly docker: DockerInfo },
  name: string,
  options: ImageOptions = {},
): Promise<string> {
  const extra = Object.entries(options.files ?? {})
    .map(([path, content]): TarEntry => ({ path, content, mode: 0o755 }));
  const archive = packTar([...await busyboxEntries(), ...extra]);
  const { repository, tag } = splitName(name);
  const query = new URLSearchParams({ fromSrc: "-", repo: repository, tag });
  const changes = [`CMD ${JSON.stringify(options.cmd ?? DEFAULT_CMD)}`, ...options.changes ?? []];
  for (const change of changes) query.append("changes", change);
  const answer = await dockerCall(lab.docker.socket, "POST", `/images/create?${query}`, {
    body: archive,
  });
  const id = /sha256:[0-9a-f]{64}/.exec(answer)?.[0];
  if (id === undefined) throw new Error(`docker import ${name}: no image id in: ${answer}`);
  return id;
}

/**
 * Puts an image of the Engine into the lab's registry.
 *
 * @param lab the lab
 * @param image what the Engine calls it: `lab/bb:1`
 * @param remoteName `repository:tag` in the registry; by default the same as `image`
 * @returns the reference to pull it by: `127.0.0.1:<port>/lab/bb:1`
 * @throws Error with the Engine's message
 */
export async function pushImage(
  lab: { readonly docker: DockerInfo; readonly registry: RegistryInfo },
  image: string,
  remoteName: string = image,
): Promise<string> {
  const { registry, docker } = lab;
  const reference = `${registry.address}/${remoteName}`;
  const { repository, tag } = splitName(reference);
  const query = new URLSearchParams({ repo: repository, tag });
  await dockerCall(docker.socket, "POST", `/images/${image}/tag?${query}`);
  const account = { username: registry.username, password: registry.password };
  await dockerCall(docker.socket, "POST", `/images/${repository}/push?tag=${tag}`, {
    headers: { "x-registry-auth": btoa(JSON.stringify(account)) },
    timeoutMs: 60_000,
  });
  return reference;
}

/**
 * Takes an image (or one name of it) out of the Engine, so that the next use must pull it.
 *
 * @param lab the lab
 * @param name reference or id
 * @throws Error with the Engine's message when a container uses it or there is none
 */
export async function removeImage(lab: LabInfo, name: string): Promise<void> {
  await dockerCall(lab.docker.socket, "DELETE", `/images/${name}`);
}

/** The tag is what follows the last colon behind the last slash: a registry has a port. */
function splitName(name: string): { repository: string; tag: string } {
  const colon = name.lastIndexOf(":");
  if (colon <= name.lastIndexOf("/")) return { repository: name, tag: "latest" };
  return { repository: name.slice(0, colon), tag: name.slice(colon + 1) };
}

async function busyboxEntries(): Promise<TarEntry[]> {
  const path = await findProgram("busybox");
  if (path === null) throw new Error("busybox is missing: apt-get install busybox-static");
  const isStatic = (await run(["ldd", path])).code !== 0;
  if (!isStatic) throw new Error(`${path} needs shared libraries: apt-get install busybox-static`);
  const applets = (await runChecked([path, "--list"])).trim().split("\n");
  return [
    { path: "bin/" },
    { path: "tmp/", mode: 0o1777 },
    { path: "etc/" },
    { path: "etc/passwd", content: "root:x:0:0:root:/:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n" },
    { path: "etc/group", content: "root:x:0:\nuser:x:1000:\n" },
    { path: "bin/busybox", content: await Deno.readFile(path), mode: 0o755 },
    ...applets.filter((applet) => applet !== "busybox")
      .map((applet) => ({ path: `bin/${applet}`, link: "busybox" })),
  ];
}
