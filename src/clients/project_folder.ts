/**
 * The project's stable folder, `deploy_dir/project`, that relative binds point into (SPEC §4). It
 * holds what a release brings and nothing else, so the agent empties it of anything else: only where
 * it is the agent's own, and never through a link.
 */

import { AgentError } from "../errors.ts";
import type { BundleFile } from "../model/bundle.ts";
import type { Ports } from "../ports.ts";
import { hasContent, makeFoldersFor, SHARED_DIR } from "./bundle_files.ts";

/** The project's folder. Every call may throw DISK_FULL, FILE_UNWRITABLE or FILE_UNREADABLE. */
export interface ProjectFolder {
  /**
   * Throws PROJECT_FOLDER_TAKEN when files lie in it although nothing beside it tells of a release,
   * neither their folder nor `current`: somebody else's, for a `deploy_dir` that was chosen badly.
   */
  refuseTaken(): Promise<void>;
  /**
   * Makes it hold exactly these files; unchanged ones are not touched. A link in its place is
   * replaced, for what it leads to is not the agent's to empty.
   */
  sync(bundleFiles: readonly BundleFile[]): Promise<void>;
  /** Gives the paths of those of the files that are missing, in their order. */
  missing(bundleFiles: readonly BundleFile[]): Promise<readonly string[]>;
  /**
   * Brings back those of the files that are missing, all when the folder is; the rest stays as it is.
   * So does what stands in the place of one of their folders: a link that a container planted is for
   * the policy to see.
   */
  bringMissing(bundleFiles: readonly BundleFile[]): Promise<void>;
}

/** Makes the client of the folder below `deploy_dir`; throws nothing. */
export function createProjectFolder(
  { files }: Pick<Ports, "files">,
  deployDir: string,
): ProjectFolder {
  const root = `${deployDir}/project`;

  async function isThere(): Promise<boolean> {
    return (await files.stat(root))?.kind === "directory";
  }

  async function syncFile(file: BundleFile): Promise<void> {
    await makeFoldersFor(files, { root, path: file.path });
    const path = `${root}/${file.path}`;
    const stat = await files.stat(path);
    if (await hasContent(files, path, file)) {
      if (stat?.mode !== file.mode) await files.chmod(path, file.mode);
      return;
    }
    if (stat !== null && stat.kind !== "file") await files.remove(path);
    await files.write(path, file.content, { mode: file.mode });
  }

  /** Whether the folders of a file are folders, as far as they are there. */
  async function hasPlainFolders(path: string): Promise<boolean> {
    const parts = path.split("/");
    for (let depth = 1; depth < parts.length; depth++) {
      const stat = await files.stat(`${root}/${parts.slice(0, depth).join("/")}`);
      if (stat !== null && stat.kind !== "directory") return false;
    }
    return true;
  }

  async function removeStrangers(folder: string, wanted: ReadonlySet<string>): Promise<void> {
    for (const name of await files.list(folder === "" ? root : `${root}/${folder}`)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const inside = [...wanted].some((each) => each.startsWith(`${path}/`));
      const stat = await files.stat(`${root}/${path}`);
      if (inside && stat?.kind === "directory") await removeStrangers(path, wanted);
      else if (!wanted.has(path)) await files.remove(`${root}/${path}`);
    }
  }

  async function missing(bundleFiles: readonly BundleFile[]): Promise<readonly string[]> {
    const gone: string[] = [];
    for (const { path } of bundleFiles) {
      if (await files.stat(`${root}/${path}`) === null) gone.push(path);
    }
    return gone;
  }

  async function sync(bundleFiles: readonly BundleFile[]): Promise<void> {
    if (!await isThere()) await files.remove(root);
    await files.makeDir(root, SHARED_DIR);
    await removeStrangers("", new Set(bundleFiles.map((file) => file.path)));
    for (const file of bundleFiles) await syncFile(file);
  }

  return {
    async refuseTaken() {
      for (const mark of ["releases", "current"]) {
        if (await files.stat(`${deployDir}/${mark}`) !== null) return;
      }
      if (!await isThere() || (await files.list(root)).length === 0) return;
      throw new AgentError(
        "PROJECT_FOLDER_TAKEN",
        `${root} holds files that the agent did not put there, and would remove`,
      );
    },
    sync,
    missing,
    async bringMissing(bundleFiles) {
      if (!await isThere()) return await sync(bundleFiles);
      const gone = new Set(await missing(bundleFiles));
      for (const file of bundleFiles.filter((each) => gone.has(each.path))) {
        if (await hasPlainFolders(file.path)) await syncFile(file);
      }
    },
  };
}
