/** OpenBao servers of a test's own, to be sealed, stopped and counted. */

import {
  type BaoCluster,
  type BaoHandle,
  type LabInfo,
  readLab,
  startBao,
  startBaoCluster,
} from "../../scripts/lab/mod.ts";

/** Starts a server, gives it to the test, stops it. Throws when the lab is not up. */
export async function withBao(test: (bao: BaoHandle) => Promise<void>): Promise<void> {
  const lab = await labThatIsUp();
  const bao = await startBao({ dir: folderOf(lab), lab });
  try {
    await test(bao);
  } finally {
    await bao.stop();
  }
}

/** Starts three servers of one cluster, gives them to the test, stops them. */
export async function withBaoCluster(test: (cluster: BaoCluster) => Promise<void>): Promise<void> {
  const lab = await labThatIsUp();
  const cluster = await startBaoCluster(3, { dir: folderOf(lab), lab });
  try {
    await test(cluster);
  } finally {
    await cluster.stop();
  }
}

async function labThatIsUp(): Promise<LabInfo> {
  const lab = await readLab();
  if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  return lab;
}

function folderOf(lab: LabInfo): string {
  return `${lab.dir}/run/bao-${crypto.randomUUID().slice(0, 8)}`;
}
