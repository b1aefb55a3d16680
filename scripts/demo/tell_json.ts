/** The demo for machines: exactly one line a scene on stdout; what went wrong, on stderr. */

import type { Teller } from "./play.ts";
import type { SceneResult } from "./scene.ts";

/** Gives the teller. */
export function jsonTeller(): Teller {
  return {
    begin(): void {},
    set(): void {},
    end(result): void {
      console.log(jsonLine(result));
      for (const { claim, problem } of result.checks) {
        if (problem !== null) console.error(`${result.scene}: ${claim}: ${problem}`);
      }
      if (!result.ok && result.seen !== null) console.error(result.seen.run.stderr);
    },
  };
}

/** Takes a result; gives its line. `result` is what tenancy was told last, null for nothing. */
export function jsonLine({ scene, ok, seen }: SceneResult): string {
  return JSON.stringify({
    scene,
    ok,
    ms: seen?.run.ms ?? null,
    exit: seen?.run.code ?? null,
    result: seen?.reports.at(-1)?.result ?? null,
    requests: seen?.run.requests ?? null,
    children: seen?.run.children.length ?? null,
    writes: seen?.run.writes.length ?? null,
  });
}
