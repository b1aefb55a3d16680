/**
 * The same release on a Gitea mirror: a draft, its files, then made public, so that nobody meets half
 * of it. Gitea tells no checksum: a file that is there is read back and compared.
 */

import * as z from "zod/mini";
import { type Asset, type Built, sha256Hex } from "./assets.ts";
import { type Call, call, jsonOf } from "./call.ts";

/** Where to, and as whom. */
export interface GiteaTarget {
  /** `https://host/api/v1`, without a slash at the end. */
  readonly api: string;
  /** `owner/name`. */
  readonly repository: string;
  /** `Authorization: token …`. */
  readonly auth: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
}

const asset = z.object({ name: z.string(), browser_download_url: z.string() });
const release = z.object({
  id: z.number(),
  tag_name: z.string(),
  draft: z.boolean(),
  assets: z.nullish(z.array(asset)),
});
const releases = z.array(release);

type Release = z.output<typeof release>;

/**
 * Makes the draft where there is none, uploads what is missing, and publishes it.
 *
 * @throws {Error} When a file of the version is there with other content, or a call fails.
 */
export async function releaseToGitea(
  built: Built,
  notes: string,
  target: GiteaTarget,
): Promise<void> {
  const tag = `v${built.version}`;
  const found = await findRelease(target, tag) ?? await makeDraft(built, notes, { target, tag });
  const there = new Map((found.assets ?? []).map((each) => [each.name, each]));
  for (const each of built.assets) {
    const old = there.get(each.name);
    if (old === undefined) {
      if (!found.draft) throw new Error(`release ${tag} is public and has no ${each.name}`);
      await upload(target, found.id, each);
    } else {
      await refuseOther(target, each, { url: old.browser_download_url, tag });
      target.say(`${each.name}: there already`);
    }
  }
  if (!found.draft) return target.say(`release ${tag}: there already`);
  const request: Call = {
    method: "PATCH",
    url: `${releasesUrl(target)}/${found.id}`,
    auth: target.auth,
    json: { draft: false },
  };
  jsonOf(await call(request), request, [200]);
  target.say(`release ${tag}: made`);
}

const PAGE = 50;
const MAX_PAGES = 20;

/** By the list: asked for by its tag, a draft is not found. */
async function findRelease(target: GiteaTarget, tag: string): Promise<Release | null> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const url = `${releasesUrl(target)}?limit=${PAGE}&page=${page}`;
    const request: Call = { method: "GET", url, auth: target.auth };
    const found = z.safeParse(releases, jsonOf(await call(request), request, [200]));
    if (!found.success) throw new Error("GET releases: a reply of another form");
    const own = found.data.find((each) => each.tag_name === tag);
    if (own !== undefined) return own;
    if (found.data.length < PAGE) return null;
  }
  return null;
}

async function makeDraft(
  built: Built,
  notes: string,
  { target, tag }: { readonly target: GiteaTarget; readonly tag: string },
): Promise<Release> {
  const request: Call = {
    method: "POST",
    url: releasesUrl(target),
    auth: target.auth,
    json: { tag_name: tag, name: `monky-deployd ${built.version}`, body: notes, draft: true },
  };
  const made = z.safeParse(release, jsonOf(await call(request), request, [201]));
  if (!made.success) throw new Error("POST releases: a reply of another form");
  return made.data;
}

async function refuseOther(
  target: GiteaTarget,
  { name, sha256 }: Asset,
  { url, tag }: { readonly url: string; readonly tag: string },
): Promise<void> {
  // The address comes from the server; the token goes to no other.
  if (new URL(url).origin !== new URL(target.api).origin) {
    throw new Error(`release ${tag} keeps ${name} on another host: it cannot be compared`);
  }
  const { status, body } = await call({ method: "GET", url, auth: target.auth });
  if (status === 200 && await sha256Hex(body) === sha256) return;
  const why = status === 200 ? "has another" : `does not give back (${status}) its`;
  throw new Error(
    `release ${tag} ${why} ${name}. A version is never overwritten: raise the version, or delete ` +
      "the file there by hand if it is the rest of a broken upload",
  );
}

async function upload(target: GiteaTarget, id: number, { name, path }: Asset): Promise<void> {
  target.say(name);
  const form = new FormData();
  form.append("attachment", new Blob([await Deno.readFile(path)]), name);
  const request: Call = {
    method: "POST",
    url: `${releasesUrl(target)}/${id}/assets?name=${encodeURIComponent(name)}`,
    auth: target.auth,
    body: form,
  };
  jsonOf(await call(request), request, [201]);
}

function releasesUrl({ api, repository }: GiteaTarget): string {
  const [owner = "", name = ""] = repository.split("/");
  return `${api}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/releases`;
}
