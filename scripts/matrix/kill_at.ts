/** A tick that is killed with -9 at a chosen moment. */

import type { Box } from "../box/box.ts";
import { pause } from "../lab/wait.ts";

/** When the agent is killed. */
export type Moment =
  /** At the first log line that holds this text, and so many milliseconds later. */
  | { readonly line: string; readonly afterMs?: number }
  /** So many milliseconds after its start. */
  | { readonly afterMs: number }
  /** When this promise is fulfilled. */
  | { readonly when: Promise<unknown> }
  /** When a path that matches appears in the state or deploy folder. */
  | { readonly file: RegExp }
  /** At the so-manieth change of a file or folder there. */
  | { readonly change: number };

/** Starts a tick, kills it at the moment, and gives its log and whether it died of that. */
export async function killAt(
  box: Box,
  moment: Moment,
): Promise<{ readonly killed: boolean; readonly log: string }> {
  const due = Promise.withResolvers<void>();
  if (!("line" in moment || "file" in moment || "change" in moment)) due.resolve();
  const watcher = "file" in moment || "change" in moment
    ? watchFiles(box, moment, due.resolve)
    : null;
  const agent = await box.start(["tick", "--log-level", "debug"], {
    onLine: (text) => {
      if ("line" in moment && text.includes(moment.line)) due.resolve();
    },
  });
  const ended = new AbortController();
  const killing = (async (): Promise<void> => {
    await due.promise;
    if ("when" in moment) await moment.when;
    if ("afterMs" in moment) await pause(moment.afterMs ?? 0, ended.signal);
    agent.kill("SIGKILL");
  })();
  const run = await agent.ended;
  ended.abort();
  due.resolve();
  watcher?.close();
  await killing;
  return { killed: run.code === 137, log: run.stderr };
}

function watchFiles(
  box: Box,
  moment: { readonly file: RegExp } | { readonly change: number },
  reached: () => void,
): Deno.FsWatcher {
  const watcher = Deno.watchFs([box.stateDir, box.deployDir], { recursive: true });
  void (async (): Promise<void> => {
    let seen = 0;
    for await (const { kind, paths } of watcher) {
      if (kind === "access") continue;
      seen += 1;
      const isReached = "file" in moment
        ? kind !== "remove" && paths.some((path) => moment.file.test(path))
        : seen >= moment.change;
      if (isReached) reached();
    }
  })();
  return watcher;
}
