/**
 * Plays scenes: prepare, look, tick, look, examine, search for leaks. Decides nothing about what is
 * right, and prints nothing.
 */

import type { AgentRun } from "../box/run.ts";
import { type Check, checkFailed } from "./check.ts";
import { checkLeaks, hideLeaks } from "./leaks.ts";
import { lookAt } from "./look.ts";
import type { Scene, SceneResult, Seen, Setting } from "./scene.ts";
import type { Story } from "./story.ts";

/** Who is told how it goes, in this order for each scene. */
export interface Teller {
  /** A scene begins; `number` counts from 1. */
  begin(scene: Scene, number: number): void;
  /** Its world is set up, and the agent is started next. */
  set(setting: Setting): void;
  /** It is over. */
  end(result: SceneResult): void;
}

/** Takes a story and scenes; gives true when all went as they should. A stop ends it early: false. */
export async function playScenes(
  story: Story,
  scenes: readonly Scene[],
  { teller, stop }: { readonly teller: Teller; readonly stop: AbortSignal },
): Promise<boolean> {
  let isOk = true;
  for (const [index, scene] of scenes.entries()) {
    if (stop.aborted) return false;
    teller.begin(scene, index + 1);
    const result = await playScene(story, scene, { teller, stop });
    // What a stopped tick left unfinished is no fault of the scene.
    if (stop.aborted) return false;
    teller.end(result);
    isOk &&= result.ok;
  }
  return isOk;
}

async function playScene(
  story: Story,
  scene: Scene,
  { teller, stop }: { readonly teller: Teller; readonly stop: AbortSignal },
): Promise<SceneResult> {
  const checks: Check[] = [];
  let seen: Seen | null = null;
  try {
    teller.set(await scene.prepare(story));
    seen = await watchTick(story, stop);
    checks.push(...await scene.examine(story, seen), ...await checkLeaks(story, seen));
  } catch (thrown) {
    checks.push(checkFailed("the scene comes to its end", thrown));
  }
  const ok = checks.every(({ problem }) => problem === null);
  return hideLeaks({ scene: scene.name, ok, seen, checks }, story);
}

async function watchTick(story: Story, stop: AbortSignal): Promise<Seen> {
  const { box } = story;
  const { record } = box.tenancy;
  const [reports, leases] = [record.reports.length, record.leases.length];
  const before = await lookAt(box);
  const run = await tick(story, stop);
  return {
    run,
    reports: record.reports.slice(reports),
    leases: record.leases.length - leases,
    before,
    after: await lookAt(box),
  };
}

async function tick({ box }: Story, stop: AbortSignal): Promise<AgentRun> {
  const args = ["tick", "--log-format", "terminal"];
  const agent = await box.start(args, { env: { NO_COLOR: "1" } });
  const end = (): void => agent.kill("SIGTERM");
  stop.addEventListener("abort", end);
  if (stop.aborted) end();
  try {
    return await agent.ended;
  } finally {
    stop.removeEventListener("abort", end);
  }
}
