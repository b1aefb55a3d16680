/**
 * A release on GitLab: the files in the generic package registry, then the release that links them.
 * Says nothing twice: what is there with the same checksum stays, what is there with another one is
 * never overwritten.
 */

import * as z from "zod/mini";
import { type Asset, type Built, SUMS } from "./assets.ts";
import { type Call, call, jsonOf } from "./call.ts";

/** Where to, and as whom. */
export interface GitlabTarget {
  /** `https://host/api/v4`, without a slash at the end. */
  readonly api: string;
  /** Number or path of the project. */
  readonly project: string;
  /** `JOB-TOKEN` in a pipeline, `PRIVATE-TOKEN` by hand. */
  readonly auth: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
}

const PACKAGE = "monky-deployd";

const packages = z.array(z.object({ id: z.number(), name: z.string(), version: z.string() }));
const files = z.array(z.object({ file_name: z.string(), file_sha256: z.nullish(z.string()) }));

/**
 * Uploads what is missing, checks that all of it arrived, and makes the release.
 *
 * @throws {Error} When a file of the version is there with other content, or a call fails.
 */
export async function releaseToGitlab(
  built: Built,
  notes: string,
  target: GitlabTarget,
): Promise<void> {
  const before = await uploaded(target, built.version);
  refuseOverwrite(built, before);
  for (const asset of built.assets) {
    if (before.has(asset.name)) target.say(`${asset.name}: there already`);
    else await upload(target, built.version, asset);
  }
  const after = await uploaded(target, built.version);
  refuseOverwrite(built, after);
  const lost = built.assets.filter(({ name }) => !after.has(name)).map(({ name }) => name);
  if (lost.length > 0) throw new Error(`the registry does not list ${lost.join(", ")}: run again`);
  await makeRelease(built, notes, target);
}

function refuseOverwrite(built: Built, there: Uploaded): void {
  const differing = built.assets.filter(({ name, sha256 }) =>
    (there.get(name) ?? []).some((other) => other !== sha256)
  );
  if (differing.length === 0) return;
  const names = differing.map(({ name }) => name).join(", ");
  throw new Error(
    `version ${built.version} is in the registry with another ${names}. A version is never ` +
      "overwritten: raise the version, or delete a release that nobody has installed by hand",
  );
}

/** File name → checksums: the registry keeps several files of one name. */
type Uploaded = ReadonlyMap<string, readonly string[]>;

async function uploaded(target: GitlabTarget, version: string): Promise<Uploaded> {
  const query = `package_type=generic&package_name=${PACKAGE}&package_version=${version}`;
  const listed = await pages(target, `packages?${query}`, packages);
  const own = listed.find((each) => each.name === PACKAGE && each.version === version);
  if (own === undefined) return new Map();
  const there = await pages(target, `packages/${own.id}/package_files`, files);
  const byName = Map.groupBy(there, (each) => each.file_name);
  return new Map(
    [...byName].map(([name, each]) => [name, each.map((one) => one.file_sha256 ?? "unknown")]),
  );
}

const PAGE = 100;
const MAX_PAGES = 20;

async function pages<T extends z.ZodMiniType<readonly unknown[]>>(
  target: GitlabTarget,
  path: string,
  schema: T,
): Promise<z.output<T>[number][]> {
  const all: z.output<T>[number][] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const sign = path.includes("?") ? "&" : "?";
    const request: Call = {
      method: "GET",
      url: `${projectUrl(target)}/${path}${sign}per_page=${PAGE}&page=${page}`,
      auth: target.auth,
    };
    const found = z.safeParse(schema, jsonOf(await call(request), request, [200]));
    if (!found.success) throw new Error(`GET ${path.replace(/\?.*/, "")}: a reply of another form`);
    all.push(...found.data);
    if (found.data.length < PAGE) return all;
  }
  throw new Error(`GET ${path.replace(/\?.*/, "")}: more than ${MAX_PAGES} pages`);
}

async function upload(target: GitlabTarget, version: string, asset: Asset): Promise<void> {
  target.say(`${asset.name}: ${(asset.sizeBytes / 1e6).toFixed(1)} MB`);
  const request: Call = {
    method: "PUT",
    url: fileUrl(target, version, asset.name),
    auth: target.auth,
    body: await Deno.readFile(asset.path),
  };
  jsonOf(await call(request), request, [200, 201]);
}

async function makeRelease(built: Built, notes: string, target: GitlabTarget): Promise<void> {
  const tag = `v${built.version}`;
  const found = await call({
    method: "GET",
    url: `${projectUrl(target)}/releases/${tag}`,
    auth: target.auth,
  });
  if (found.status === 200) return target.say(`release ${tag}: there already`);
  const request: Call = {
    method: "POST",
    url: `${projectUrl(target)}/releases`,
    auth: target.auth,
    json: {
      tag_name: tag,
      name: `${PACKAGE} ${built.version}`,
      description: notes,
      assets: {
        links: built.assets.map(({ name }) => ({
          name,
          url: fileUrl(target, built.version, name),
          link_type: name === SUMS ? "other" : "package",
        })),
      },
    },
  };
  jsonOf(await call(request), request, [201]);
  target.say(`release ${tag}: made`);
}

function projectUrl({ api, project }: GitlabTarget): string {
  return `${api}/projects/${encodeURIComponent(project)}`;
}

function fileUrl(target: GitlabTarget, version: string, name: string): string {
  return `${projectUrl(target)}/packages/generic/${PACKAGE}/${version}/${name}`;
}
