/** The bridge started without the agent, as a test that speaks to its sockets wants it. */

import { nodePath } from "./install.ts";

/** A bridge that listens. */
export interface HandBridge {
  /** The paths of its sockets, in the order of the services. */
  readonly sockets: readonly string[];
  /** Closes its standard input; gives all that it wrote to its output, both streams. */
  end(): Promise<string>;
}

/** Starts the bridge that is installed in the folder, for the services (`t` unless told). */
export async function bridgeOfHand(
  folder: string,
  services: readonly string[] = ["t"],
): Promise<HandBridge> {
  const names = services.map((_, index) => `${String.fromCharCode(97 + index)}.sock`);
  await Deno.mkdir(`${folder}/.run`, { recursive: true, mode: 0o700 });
  const child = new Deno.Command(await nodePath(), {
    args: [`${folder}/bridge/bridge.cjs`],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stdin = child.stdin.getWriter();
  const settings = {
    identity: `${folder}/identity.json`,
    folder: `${folder}/.run`,
    sockets: services.map((service, index) => ({ name: names[index], service })),
    loginTimeoutMs: 20_000,
    dialTimeoutMs: 20_000,
  };
  await stdin.write(new TextEncoder().encode(`${JSON.stringify(settings)}\n`));
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let output = "";
  while (!output.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the bridge ended before it was ready");
    output += decoder.decode(value, { stream: true });
  }
  return {
    sockets: names.map((name) => `${folder}/.run/${name}`),
    async end(): Promise<string> {
      await stdin.close();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        output += decoder.decode(value, { stream: true });
      }
      const stderr = await new Response(child.stderr).text();
      await child.status;
      return output + stderr;
    },
  };
}
