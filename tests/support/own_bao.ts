/** OpenBao servers of a test's own, to be sealed, stopped and counted. */

import {
  adminRequest,
  type BaoCluster,
  type BaoHandle,
  type LabInfo,
  readLab,
  startBao,
  startBaoCluster,
  waitFor,
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

/** How a node answers what only a leader can do. */
export async function writeStatus(node: BaoHandle): Promise<number> {
  return (await adminRequest(node, "POST", "auth/token/create", {})).status;
}

/** Longer than an heir takes to give up. */
const LEADERLESS_MS = 4_000;

/**
 * A leader that is stopped hands over, and its heir gives up after three seconds without a quorum:
 * then it is a standby again, answers what it can read by itself, and refuses the rest. It looks so
 * for a moment before it inherits, too: hence it must stay so. `readable` is the path of a secret.
 */
export async function waitLeaderless(standby: BaoHandle, readable: string): Promise<void> {
  const readStatus = async (path: string): Promise<number> =>
    (await adminRequest(standby, "GET", path)).status;
  let since: number | null = null;
  await waitFor("a standby without leader", 120_000, async () => {
    const before = since;
    since = null;
    const isStandby = await readStatus("sys/health") === 429;
    if (!isStandby || await writeStatus(standby) < 500) return null;
    if (await readStatus(readable) !== 200) return null;
    since = before ?? performance.now();
    return performance.now() - since >= LEADERLESS_MS ? true : null;
  }, 200);
}
