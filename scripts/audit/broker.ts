/**
 * A permission broker (facts: deno §4): answers every question with yes and writes down which
 * programs were to be run, since the runtime's audit leaves those out.
 */

/** A broker that listens. */
export interface Broker {
  /** Programs that were asked for, once each. */
  readonly programs: readonly string[];
  /** Stops listening. */
  close(): Promise<void>;
}

/** Listens at the path, for one process at a time. */
export function startBroker(path: string): Broker {
  const programs = new Set<string>();
  const listener = Deno.listen({ transport: "unix", path });
  const serving = (async (): Promise<void> => {
    for await (const connection of listener) await answerAll(connection, programs);
  })();
  return {
    get programs(): readonly string[] {
      return [...programs];
    },
    async close(): Promise<void> {
      listener.close();
      await serving;
    },
  };
}

async function answerAll(connection: Deno.UnixConn, programs: Set<string>): Promise<void> {
  const writer = connection.writable.getWriter();
  let pending = "";
  for await (const part of connection.readable.pipeThrough(new TextDecoderStream())) {
    const lines = `${pending}${part}`.split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) {
      const { id, permission, value } = JSON.parse(line) as Readonly<Record<string, unknown>>;
      // "May it run anything?" is asked first: only a no makes it ask for the one program.
      const isGeneral = permission === "run" && value === null;
      if (permission === "run" && typeof value === "string") programs.add(value);
      const answer = isGeneral ? { id, result: "deny", reason: "which one?" } : {
        id,
        result: "allow",
      };
      await writer.write(new TextEncoder().encode(`${JSON.stringify(answer)}\n`));
    }
  }
  await writer.close().catch(() => {
    // The process went first.
  });
}
