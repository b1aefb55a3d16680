/**
 * A thread between the agent and a child: a socket that the child connects to, and that the kernel
 * closes with the agent, however it dies. A docker plugin ends its work in order when the socket of
 * DOCKER_CLI_PLUGIN_SOCKET closes; without one, a killed agent would leave compose deploying on
 * (cases 32, 33; facts: docker §6).
 */

/** A socket that is being listened on. */
export interface Lifeline {
  /** Cuts what is connected and stops listening. */
  close(): Promise<void>;
}

/**
 * Listens on the path, replacing what lies there. Gives null when that cannot be: the child then runs
 * without, as it would under an older docker, and only a killed agent makes a difference.
 */
export function openLifeline(path: string): Lifeline | null {
  const listener = listen(path);
  if (listener === null) return null;
  const held: Deno.Conn[] = [];
  const accepting = (async (): Promise<void> => {
    for await (const connection of listener) held.push(connection);
  })();
  return {
    async close(): Promise<void> {
      listener.close();
      await accepting;
      for (const connection of held) connection.close();
      await Deno.remove(path).catch(() => {
        // Somebody else was tidier; the next listener replaces it anyway.
      });
    },
  };
}

function listen(path: string): Deno.UnixListener | null {
  try {
    Deno.removeSync(path);
  } catch {
    // Nothing lay there, or listening will tell.
  }
  try {
    return Deno.listen({ transport: "unix", path });
  } catch {
    return null;
  }
}
