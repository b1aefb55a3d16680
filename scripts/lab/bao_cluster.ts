/** Several OpenBao servers as one raft cluster, for what standbys do. */

import { BaoClient } from "./bao_client.ts";
import { adminRequest } from "./bao_admin.ts";
import {
  type BaoHandle,
  type BaoOptions,
  makeHandle,
  startBao,
  startNode,
  unsealServer,
} from "./bao_server.ts";
import { waitFor } from "./wait.ts";

/**
 * A cluster; the roles are those at its start and change when the leader goes. A killed leader is
 * replaced after about 20 s, one told to `sys/step-down` within one.
 */
export interface BaoCluster {
  readonly leader: BaoHandle;
  readonly standbys: readonly BaoHandle[];
  /** Stops every node and removes the folder. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster: the first node is set up like `startBao` does, the others join it and vote.
 *
 * @param count how many nodes, 3 for a cluster that survives losing one
 * @param options `dir` gets one folder a node
 * @returns the cluster, all nodes unsealed and serving
 * @throws Error when a node does not come up; the nodes started so far are stopped
 */
export async function startBaoCluster(count: number, options: BaoOptions): Promise<BaoCluster> {
  const nodes: BaoHandle[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    await Deno.remove(options.dir, { recursive: true }).catch(() => {});
  };
  try {
    const leader = await startBao({ ...options, dir: `${options.dir}/n1` });
    nodes.push(leader);
    // A node that joined may vote only after this long; ten seconds by default.
    await adminRequest(leader, "POST", "sys/storage/raft/autopilot/configuration", {
      server_stabilization_time: "1s",
    });
    for (let index = 2; index <= count; index++) {
      await joinNode(leader, { ...options, dir: `${options.dir}/n${index}` }, index, nodes);
    }
    await waitFor("raft voters", 120_000, async () => await countVoters(leader) === count || null);
    return { leader, standbys: nodes.slice(1), stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function joinNode(
  leader: BaoHandle,
  options: BaoOptions,
  index: number,
  nodes: BaoHandle[],
): Promise<void> {
  const started = await startNode(options, `n${index}`);
  const handle = makeHandle(options, started, leader.bao);
  // At once, so that it is stopped even if it cannot join.
  nodes.push(handle);
  using client = await BaoClient.open(handle.bao);
  await client.call("POST", "sys/storage/raft/join", {
    body: {
      leader_api_addr: leader.bao.address,
      leader_ca_cert: await Deno.readTextFile(leader.bao.caFile),
    },
  });
  await unsealServer(handle.bao);
}

async function countVoters(leader: BaoHandle): Promise<number> {
  const { body } = await adminRequest(leader, "GET", "sys/storage/raft/configuration");
  const config = body.data?.["config"] as { servers: { voter: boolean }[] } | undefined;
  return (config?.servers ?? []).filter(({ voter }) => voter).length;
}
