/**
 * The releases on disk (SPEC §4): `deploy_dir/releases/<sha>`, written through a staging folder, and
 * the file `current` that names one (a link would need write access to the whole disk, SPEC §10).
 * Writes nowhere else, and never through a link that a container may have planted.
 */

import { AgentError } from "../errors.ts";
import type { Bundle, BundleFile } from "../model/bundle.ts";
import { bundleListing } from "../model/bundle_listing.ts";
import { isLeftover } from "../model/leftover.ts";
import type { Secret } from "../model/secret.ts";
import type { Ports } from "../ports.ts";
import { hasContent, makeFoldersFor, MAX_FILE_BYTES, readBundleFiles } from "./bundle_files.ts";

/** The folders of releases and of the agent: nobody else reads them. */
const PRIVATE_DIR = 0o700;
const PRIVATE_FILE = 0o600;
const MAX_CURRENT_BYTES = 256;
const SHA = /^[0-9a-f]{64}$/;
/** What `stage` works in; a name of any other kind beside the releases is somebody else's. */
const UNFINISHED = /^\.(?:staging|replaced)-[0-9a-f-]{36}$/;

/** Paths of one release, and of the project that it is brought up in. */
export interface ReleasePaths {
  readonly root: string;
  readonly compose: string;
  readonly env: string;
  readonly override: string;
  /** release.json: what runs when the release is healthy. */
  readonly record: string;
  /** Stable over releases: compose's project directory for `up`. */
  readonly project: string;
}

/** The store of releases. Every call may throw DISK_FULL, FILE_UNWRITABLE or FILE_UNREADABLE. */
export interface Releases {
  /** Gives the paths of a release; touches nothing. */
  paths(sha: string): ReleasePaths;
  /** Gives the shas of the releases on disk, sorted. */
  list(): Promise<readonly string[]>;
  /** Removes what interrupted ticks left behind, which may hold secrets; gives the names. */
  sweep(): Promise<readonly string[]>;
  /** Removes what an interrupted repair left of the release's record: no apply may follow it. */
  sweepRecord(sha: string): Promise<void>;
  /** Writes the bundle's files as a release; one that is there unchanged stays, with its `.env`. */
  stage(bundle: Bundle): Promise<void>;
  /** Writes the release's `.env` (0600). */
  writeEnv(sha: string, text: Secret): Promise<void>;
  /** Writes a file of the agent's own into the release's `.monky` folder (0600). */
  writeOwn(sha: string, path: string, content: string): Promise<void>;
  /** Gives a file of the agent's own, or null. */
  readOwn(path: string): Promise<Uint8Array | null>;
  /** Gives the bundle's files of a release on disk, sorted by path, without what is the agent's own. */
  files(sha: string): Promise<readonly BundleFile[]>;
  /** Whether everything that bringing the release up needs is there. */
  isComplete(sha: string): Promise<boolean>;
  /** Whether the release's files on disk are those that its sha names, and its override is there. */
  isIntact(sha: string): Promise<boolean>;
  /** Points `current` at the release. */
  commit(sha: string): Promise<void>;
  /** Gives the sha that `current` points at, or null. */
  current(): Promise<string | null>;
  /** Removes one release. */
  remove(sha: string): Promise<void>;
  /**
   * Removes every release and what names the current one; the folder of releases stays, as the mark
   * of a `deploy_dir` that is the agent's, and so does what lies in it without being a release.
   */
  removeAll(): Promise<void>;
}

/** Makes the store over `deploy_dir`; throws nothing. */
export function createReleases(
  ports: Pick<Ports, "files" | "random" | "digest">,
  deployDir: string,
): Releases {
  const { files } = ports;
  const releasesDir = `${deployDir}/releases`;

  function paths(sha: string): ReleasePaths {
    const root = `${releasesDir}/${sha}`;
    return {
      root,
      compose: `${root}/docker-compose.yml`,
      env: `${root}/.env`,
      override: `${root}/.monky/override.yml`,
      record: `${root}/.monky/release.json`,
      project: `${deployDir}/project`,
    };
  }

  /** The folders of a release in which the agent replaces files of its own. */
  function ownDirs(sha: string): readonly string[] {
    return [paths(sha).root, `${paths(sha).root}/.monky`];
  }

  async function sweep(): Promise<readonly string[]> {
    const names = await files.list(releasesDir);
    const left = names.filter((name) => UNFINISHED.test(name) || isLeftover(name))
      .map((name) => `${releasesDir}/${name}`);
    const shas = names.filter((name) => SHA.test(name));
    for (const folder of [deployDir, ...shas.flatMap(ownDirs)]) {
      // Whatever stands in a folder's place is the next write's trouble.
      const inside = (await files.list(folder).catch(() => [])).filter(isLeftover);
      left.push(...inside.map((name) => `${folder}/${name}`));
    }
    for (const path of left) await files.remove(path);
    return left.map((path) => path.slice(deployDir.length + 1));
  }

  async function isUnchanged(bundle: Bundle): Promise<boolean> {
    const { root } = paths(bundle.sha);
    for (const file of bundle.files) {
      const path = `${root}/${file.path}`;
      if ((await files.stat(path))?.mode !== file.mode) return false;
      if (!await hasContent(files, path, file)) return false;
    }
    // What an editor left beside them is no part of the release.
    return (await readBundleFiles(files, root)).length === bundle.files.length;
  }

  return {
    paths,
    files: (sha) => readBundleFiles(files, paths(sha).root),
    async list() {
      return (await files.list(releasesDir)).filter((name) => SHA.test(name));
    },
    sweep,
    async sweepRecord(sha) {
      const folder = `${paths(sha).root}/.monky`;
      // Each tick comes here first: what is in its way is for the one that has to write there.
      for (const name of await files.list(folder).catch(() => [])) {
        if (isLeftover(name)) await files.remove(`${folder}/${name}`).catch(() => {});
      }
    },
    async stage(bundle) {
      if (await isUnchanged(bundle)) return;
      await files.makeDir(deployDir, PRIVATE_DIR);
      await files.makeDir(releasesDir, PRIVATE_DIR);
      const staging = `${releasesDir}/.staging-${ports.random.uuid()}`;
      try {
        await files.makeDir(staging, PRIVATE_DIR);
        await files.makeDir(`${staging}/.monky`, PRIVATE_DIR);
        for (const file of bundle.files) {
          await makeFoldersFor(files, { root: staging, path: file.path });
          await files.create(`${staging}/${file.path}`, file.content, { mode: file.mode });
        }
        await files.syncDir(staging);
        await replaceDir(staging, paths(bundle.sha).root);
      } catch (thrown) {
        await files.remove(staging).catch(() => {});
        throw thrown;
      }
    },
    async writeEnv(sha, text) {
      const bytes = new TextEncoder().encode(text.reveal());
      await files.write(paths(sha).env, bytes, { mode: PRIVATE_FILE });
    },
    async writeOwn(sha, path, content) {
      await files.makeDir(`${paths(sha).root}/.monky`, PRIVATE_DIR);
      await files.write(path, new TextEncoder().encode(content), { mode: PRIVATE_FILE });
    },
    readOwn: (path) => files.read(path, MAX_FILE_BYTES),
    async isComplete(sha) {
      const { compose, env } = paths(sha);
      return await files.stat(compose) !== null && await files.stat(env) !== null;
    },
    async isIntact(sha) {
      const { root, override } = paths(sha);
      if ((await files.stat(override))?.kind !== "file") return false;
      const { sha256 } = ports.digest;
      const listing = await bundleListing(await readBundleFiles(files, root), sha256);
      return await sha256(new TextEncoder().encode(listing)) === sha;
    },
    async commit(sha) {
      if (!SHA.test(sha)) throw new AgentError("INTERNAL", "a release has no proper sha");
      const text = new TextEncoder().encode(`releases/${sha}\n`);
      await files.write(`${deployDir}/current`, text, { mode: PRIVATE_FILE });
    },
    async current() {
      // A regular file is what it has to be; whatever else lies there names no release.
      const bytes = await files.read(`${deployDir}/current`, MAX_CURRENT_BYTES).catch(() => null);
      const sha = new TextDecoder().decode(bytes ?? new Uint8Array()).trim().split("/").at(-1);
      return sha !== undefined && SHA.test(sha) ? sha : null;
    },
    remove: (sha) => files.remove(paths(sha).root),
    async removeAll() {
      await sweep();
      await files.remove(`${deployDir}/current`);
      for (const name of await files.list(releasesDir)) {
        if (SHA.test(name)) await files.remove(`${releasesDir}/${name}`);
      }
    },
  };

  /** A folder cannot be renamed over one that is not empty: the old one steps aside first. */
  async function replaceDir(from: string, to: string): Promise<void> {
    const aside = `${releasesDir}/.replaced-${ports.random.uuid()}`;
    const existed = await files.stat(to) !== null;
    if (existed) await files.rename(to, aside);
    await files.rename(from, to);
    if (existed) await files.remove(aside);
  }
}
