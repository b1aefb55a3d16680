/** A Docker Engine of a test's own on a small file system, so that its disk can be full. */

import { startEngine } from "../../scripts/lab/docker_engine.ts";
import { importImage, type LabInfo } from "../../scripts/lab/mod.ts";
import { run, stopProcess } from "../../scripts/lab/process.ts";
import { mountSmallDisk } from "../../scripts/matrix/small_disk.ts";

/** An Engine with little room. */
export interface SmallEngine {
  /** The lab, with this Engine in the place of its own. */
  readonly lab: LabInfo;
  readonly dataRoot: string;
  /** Changes how much room there is. */
  resize(sizeMib: number): Promise<void>;
}

/** Starts an Engine with so many MiB for everything, gives it to the test, stops and removes it. */
export async function withSmallEngine(
  lab: LabInfo,
  { sizeMib, image }: { readonly sizeMib: number; readonly image: string },
  test: (engine: SmallEngine) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "monky-engine-" });
  const dataRoot = `${dir}/docker`;
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => Deno.remove(dir, { recursive: true }));
  cleanup.use(await mountSmallDisk(dataRoot, sizeMib << 10));
  const { docker, process } = await startEngine(dir, { folders: [], plugin: lab.compose.plugin });
  if (process === null) throw new Error("no Engine of the test's own was started");
  cleanup.defer(async () => void await run(["ip", "link", "del", docker.bridge]));
  // A killed dockerd would leave its containerd behind, in the folder that is unmounted next.
  cleanup.defer(() => stopProcess(process, 60_000));
  await importImage({ docker }, image);
  await test({
    lab: { ...lab, docker },
    dataRoot,
    async resize(mib) {
      const { code, stderr } = await run(["mount", "-o", `remount,size=${mib}m`, dataRoot]);
      if (code !== 0) throw new Error(`the file system cannot be resized: ${stderr}`);
    },
  });
}
