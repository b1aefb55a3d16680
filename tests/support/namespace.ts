/**
 * Network namespaces for tests that need addresses, ports and a resolver of their own: everything
 * lives in the child process and is gone with it. Needs unshare (util-linux) and ip (iproute2), and
 * root or user namespaces.
 */

/** What a namespace has. */
export interface Namespace {
  /** Addresses of its loopback, in CIDR notation. */
  readonly addresses: readonly string[];
  /** Milliseconds until the program is killed. */
  readonly timeoutMs: number;
}

/** How a program in a namespace ended. */
export interface NamespaceRun {
  readonly code: number;
  readonly output: string;
}

/** Options of Deno.test: left out where there are no namespaces; with CI=true that is a failure. */
export const NEEDS_NAMESPACE = {
  ignore: Deno.env.get("CI") !== "true" && !await canUnshare(),
};

/** Gives the command line that runs another one in a fresh namespace, with 127.0.0.1 as the resolver. */
export function inNamespace(
  { addresses }: Pick<Namespace, "addresses">,
  { resolvConf, command }: { readonly resolvConf: string; readonly command: readonly string[] },
): readonly string[] {
  const script = [
    "set -e",
    'mount --bind "$1" /etc/resolv.conf',
    "shift",
    "ip link set lo up",
    ...addresses.map((address) => `ip addr add ${address} dev lo`),
    'exec "$@"',
  ].join("\n");
  return ["unshare", "-r", "-n", "-m", "sh", "-c", script, "sh", resolvConf, ...command];
}

/** Runs a Deno program, with all permissions, in a fresh namespace to its end. */
export async function runInNamespace(
  namespace: Namespace,
  program: string,
  args: readonly string[],
): Promise<NamespaceRun> {
  const resolvConf = await Deno.makeTempFile({ prefix: "resolv_" });
  try {
    // Whoever waits for a resolver that never answers waits for long: that cannot look like a busy machine.
    await Deno.writeTextFile(resolvConf, "nameserver 127.0.0.1\noptions timeout:30 attempts:2\n");
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const deno = [Deno.execPath(), "run", "-q", "-A", "--no-check", "--config", config];
    const [unshare = "", ...rest] = inNamespace(namespace, {
      resolvConf,
      command: [...deno, program, ...args],
    });
    const { code, stdout, stderr } = await new Deno.Command(unshare, {
      args: rest,
      stdin: "null",
      signal: AbortSignal.timeout(namespace.timeoutMs),
    }).output();
    const text = new TextDecoder();
    return { code, output: text.decode(stdout) + text.decode(stderr) };
  } finally {
    await Deno.remove(resolvConf);
  }
}

async function canUnshare(): Promise<boolean> {
  try {
    const probe = ["-r", "-n", "-m", "sh", "-c", "ip link set lo up"];
    return (await new Deno.Command("unshare", { args: probe, stdin: "null" }).output()).success;
  } catch {
    return false;
  }
}
