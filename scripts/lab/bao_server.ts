/** Starting OpenBao servers: raft storage, TLS, audit log; initialised and unsealed. */

import { BaoClient } from "./bao_client.ts";
import { fillBao } from "./bao_contents.ts";
import type { BaoInfo, BaoParts, ProcessRecord, TenancyKeys } from "./info.ts";
import { assertRunning, startServer, stopProcess } from "./process.ts";
import { freePorts, retryPortClash, waitFor } from "./wait.ts";

/** What a server needs; a running lab has all of it but the folder. */
export interface BaoOptions {
  /** Folder of this server alone; made when missing, removed by `stop()`. */
  readonly dir: string;
  /** Program, certificate and tenancy's keys; `LabInfo` fits. */
  readonly lab: { readonly baoParts: BaoParts; readonly keys: TenancyKeys };
}

/** A server that a test started for itself. */
export interface BaoHandle {
  /** What clients and `bao_admin.ts` need. Handles fit where those take a lab. */
  readonly bao: BaoInfo;
  /** The process of now; another one after `restart()`. */
  readonly process: ProcessRecord;
  /** Ends the process and starts it on the same port and storage; unseals it unless told not to. */
  restart(options?: { readonly unseal?: boolean }): Promise<void>;
  /** Ends the process and removes its folder. */
  stop(): Promise<void>;
}

/** Where a server was started, before anybody initialised it. */
interface Started {
  readonly address: string;
  readonly port: number;
  readonly process: ProcessRecord;
}

/**
 * Starts a separate server with everything the agent expects in it: mount, role, policies, keys,
 * an empty kv v2 mount.
 *
 * @param options see `BaoOptions`
 * @returns the handle; the server is unsealed and active
 * @throws Error when it does not come up, with the last lines of its log
 */
export async function startBao(options: BaoOptions): Promise<BaoHandle> {
  const started = await startNode(options, "n1");
  const at = { address: started.address, caFile: options.lab.baoParts.caFile };
  try {
    const { rootToken, unsealKey } = await initialise(at);
    await unsealServer({ ...at, unsealKey });
    const tenancyToken = await fillBao(at, rootToken, options.lab.keys);
    return makeHandle(options, started, { rootToken, unsealKey, tenancyToken });
  } catch (cause) {
    await stopProcess(started.process);
    throw cause;
  }
}

/**
 * Starts a node's process; it waits for init, join or unseal.
 *
 * @param options see `BaoOptions`
 * @param nodeId raft's name of the node
 * @returns address and process, answering
 * @throws Error when it does not answer, with the last lines of its log
 */
export async function startNode(options: BaoOptions, nodeId: string): Promise<Started> {
  const { dir, lab: { baoParts } } = options;
  await Deno.mkdir(`${dir}/data`, { recursive: true, mode: 0o700 });
  return await retryPortClash(async () => {
    const [port = 0, clusterPort = 0] = freePorts(2);
    const config = serverConfig(dir, baoParts, nodeId, port, clusterPort);
    await Deno.writeTextFile(`${dir}/bao.hcl`, config);
    const process = await serve(baoParts.binary, dir);
    const address = `https://127.0.0.1:${port}`;
    await waitAnswering({ address, caFile: baoParts.caFile }, process);
    return { address, port, process };
  });
}

/**
 * Starts the process of a server that was configured before.
 *
 * @param binary the server program
 * @param dir the server's folder
 * @returns its record; the server need not answer yet
 */
export async function serve(binary: string, dir: string): Promise<ProcessRecord> {
  const command = [binary, "server", `-config=${dir}/bao.hcl`];
  return await startServer("bao", command, `${dir}/bao.log`, { cwd: dir });
}

/**
 * Waits until a server answers at all, sealed or not.
 *
 * @param bao address and CA
 * @param process its record
 * @throws Error after two minutes, or as soon as it has died, with the last lines of its log
 */
export async function waitAnswering(
  bao: Pick<BaoInfo, "address" | "caFile">,
  process: ProcessRecord,
): Promise<void> {
  using client = await BaoClient.open(bao);
  await waitFor(`OpenBao at ${bao.address}`, 120_000, async () => {
    await assertRunning(process);
    return await client.request("GET", "sys/health", { timeoutMs: 2_000 });
  });
}

/**
 * Unseals a server and waits until it serves: as active node, or as standby that knows its leader.
 *
 * @param bao address, CA and unseal key
 * @throws Error when it refuses the key, or does not serve within two minutes
 */
export async function unsealServer(
  bao: Pick<BaoInfo, "address" | "caFile" | "unsealKey">,
): Promise<void> {
  using client = await BaoClient.open(bao);
  if ((await client.call("GET", "sys/seal-status"))["sealed"] === false) return;
  const since = Date.now();
  await client.call("POST", "sys/unseal", { body: { key: bao.unsealKey } });
  await waitFor(`OpenBao at ${bao.address} unsealed`, 120_000, async () => {
    const health = await client.request("GET", "sys/health", { timeoutMs: 2_000 });
    const { body } = await client.request("GET", "sys/leader", { timeoutMs: 2_000 });
    // Every node is a standby for a moment, also one that is about to lead.
    const leader = body["leader_address"];
    const isFollowing = typeof leader === "string" && leader !== "" && leader !== bao.address;
    // Right after its unsealing a node calls itself active, with no time of it or with an old one.
    const isLeading = Date.parse(String(body["active_time"])) >= since;
    return health.status === 429 && isFollowing || health.status === 200 && isLeading || null;
  });
}

/**
 * Wraps a started node for those who will restart and stop it.
 *
 * @param options what it was started with
 * @param started where it is
 * @param secrets of the cluster it belongs to
 */
export function makeHandle(
  options: BaoOptions,
  started: Started,
  secrets: Pick<BaoInfo, "rootToken" | "unsealKey" | "tenancyToken">,
): BaoHandle {
  const { dir, lab: { baoParts } } = options;
  let process = started.process;
  const bao: BaoInfo = {
    address: started.address,
    port: started.port,
    caFile: baoParts.caFile,
    dir,
    rootToken: secrets.rootToken,
    unsealKey: secrets.unsealKey,
    tenancyToken: secrets.tenancyToken,
    auditLog: `${dir}/audit.log`,
    authMount: "jwt-tenancy",
    role: "see-env",
    kvMount: "monky",
  };
  return {
    bao,
    get process(): ProcessRecord {
      return process;
    },
    async restart({ unseal = true } = {}): Promise<void> {
      await stopProcess(process);
      process = await serve(baoParts.binary, dir);
      await waitAnswering(bao, process);
      if (unseal) await unsealServer(bao);
    },
    async stop(): Promise<void> {
      await stopProcess(process);
      await Deno.remove(dir, { recursive: true });
    },
  };
}

async function initialise(
  bao: Pick<BaoInfo, "address" | "caFile">,
): Promise<{ rootToken: string; unsealKey: string }> {
  using client = await BaoClient.open(bao);
  const body = await client.call("POST", "sys/init", {
    body: { secret_shares: 1, secret_threshold: 1 },
  });
  const [unsealKey = ""] = body["keys_base64"] as string[];
  return { rootToken: body["root_token"] as string, unsealKey };
}

function serverConfig(
  dir: string,
  parts: BaoParts,
  nodeId: string,
  port: number,
  clusterPort: number,
): string {
  const quote = JSON.stringify;
  // HCL, since the JSON form of an audit device is refused by 2.7.2. The audit file is relative to
  // the server's working folder: nodes of one cluster whose devices differ cannot take over.
  // The intervals let a joined node vote within seconds.
  return `
storage "raft" {
  path = ${quote(`${dir}/data`)}
  node_id = ${quote(nodeId)}
  autopilot_reconcile_interval = "500ms"
  autopilot_update_interval = "250ms"
}
listener "tcp" {
  address = "127.0.0.1:${port}"
  cluster_address = "127.0.0.1:${clusterPort}"
  tls_cert_file = ${quote(parts.certFile)}
  tls_key_file = ${quote(parts.keyFile)}
}
api_addr = "https://127.0.0.1:${port}"
cluster_addr = "https://127.0.0.1:${clusterPort}"
audit "file" "lab" {
  options {
    file_path = "audit.log"
    log_raw = "false"
  }
}
`;
}
