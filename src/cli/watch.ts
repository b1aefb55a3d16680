/**
 * Shows the steps of an apply on a terminal while they run: who begins and ends is told by the
 * engine, how a line looks by core/show_steps.ts, where it is drawn by the screen.
 */

import { newProgress, readProgress, sayProgress } from "../core/compose_progress.ts";
import { endedLine, type Paper, runningLine } from "../core/show_steps.ts";
import type { Clock, Screen, Watch } from "../ports.ts";

/** Often enough to look alive, seldom enough for a slow line. */
const EVERY_MS = 200;

/** Gives a watch that draws on the screen; throws nothing. */
export function createWatch(screen: Screen, clock: Clock): Watch {
  let progress = newProgress();
  let running: { readonly step: string; readonly since: number } | null = null;
  let stopped = new AbortController();

  const paper = (): Paper => ({ columns: screen.columns(), colour: screen.colour });
  const draw = (): void => {
    if (running === null) return;
    const ms = clock.monotonic() - running.since;
    screen.draw(runningLine({ step: running.step, ms, says: sayProgress(progress) }, paper()));
  };
  const redraw = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      draw();
      await clock.sleep(EVERY_MS, signal);
    }
  };

  return {
    begin(step): void {
      progress = newProgress();
      running = { step, since: clock.monotonic() };
      stopped = new AbortController();
      void redraw(stopped.signal);
    },
    progress: (text) => readProgress(progress, text),
    end(step, { ok, ms }): void {
      running = null;
      stopped.abort();
      screen.draw(null);
      screen.print(endedLine({ step, ms, ok, says: sayProgress(progress) }, paper()));
    },
  };
}
