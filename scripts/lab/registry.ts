/** A private image registry with one account. */

import type { Need } from "./apt.ts";
import type { ProcessRecord, RegistryInfo } from "./info.ts";
import { assertRunning, runChecked, startServer } from "./process.ts";
import { freePorts, retryPortClash, waitFor } from "./wait.ts";

const USERNAME = "lab";

/** What must be installed before `startRegistry`. */
export const REGISTRY_NEEDS: readonly Need[] = [
  { program: "docker-registry", packages: ["docker-registry"] },
  { program: "perl", packages: ["perl"] },
];

/** A registry and its process. */
export interface RegistryStart {
  readonly registry: RegistryInfo;
  readonly process: ProcessRecord;
}

/**
 * Starts a registry on a free port of loopback, where Docker wants no TLS.
 *
 * @param runDir the lab's run folder; the registry lives in `registry/` there
 * @returns the registry, answering
 * @throws Error when it cannot be had, with the last lines of its log
 */
export async function startRegistry(runDir: string): Promise<RegistryStart> {
  const dir = `${runDir}/registry`;
  await Deno.mkdir(`${dir}/client`, { recursive: true, mode: 0o700 });
  const password = crypto.randomUUID();
  await Deno.writeTextFile(`${dir}/htpasswd`, `${USERNAME}:${await bcrypt(password)}\n`, {
    mode: 0o600,
  });
  return await retryPortClash(async () => {
    const [port = 0] = freePorts(1);
    const address = `127.0.0.1:${port}`;
    const auths = { [address]: { auth: btoa(`${USERNAME}:${password}`) } };
    await Deno.writeTextFile(`${dir}/client/config.json`, JSON.stringify({ auths }), {
      mode: 0o600,
    });
    await Deno.writeTextFile(`${dir}/config.yml`, registryConfig(dir, address), { mode: 0o600 });
    const command = ["docker-registry", "serve", `${dir}/config.yml`];
    const process = await startServer("registry", command, `${runDir}/registry.log`);
    await waitFor("registry", 90_000, async () => {
      await assertRunning(process);
      return await registryAnswers(address) ? true : null;
    });
    const registry = { address, username: USERNAME, password, dockerConfigDir: `${dir}/client` };
    return { registry, process };
  });
}

/**
 * Whether a registry asks for an account at this address.
 *
 * @param address `host:port`
 * @returns false when nothing, or something else, answers
 */
export async function registryAnswers(address: string): Promise<boolean> {
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  try {
    const response = await fetch(`http://${address}/v2/`, {
      client,
      signal: AbortSignal.timeout(15_000),
    });
    await response.body?.cancel();
    return response.status === 401;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

function registryConfig(dir: string, address: string): string {
  // JSON is YAML, and quotes whatever a folder's name may hold.
  return JSON.stringify({
    version: "0.1",
    log: { level: "warn", accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: `${dir}/data` }, delete: { enabled: true } },
    http: { addr: address, secret: crypto.randomUUID() },
    auth: { htpasswd: { realm: "lab", path: `${dir}/htpasswd` } },
  });
}

/** bcrypt by the C library's crypt(3); cost 4, since every request of a pull is checked with it. */
async function bcrypt(password: string): Promise<string> {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const salt = [...crypto.getRandomValues(new Uint8Array(21))]
    .map((byte) => letters[byte % letters.length]).join("");
  // A salt has 128 bits in 22 letters, so the last letter can only be one of four: "O" is.
  const script = 'local $/; print crypt(<STDIN>, "\\$2y\\$04\\$" . $ARGV[0] . "O")';
  const hash = await runChecked(["perl", "-e", script, salt], { stdin: password });
  if (!hash.startsWith("$2y$04$")) {
    throw new Error("crypt(3) of this machine knows no bcrypt: the registry cannot have accounts");
  }
  return hash;
}
