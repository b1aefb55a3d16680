/** `deno task demo`: the life of one box in scenes, on a real Docker Engine and a real OpenBao. */

import { makeBox } from "./box/box.ts";
import { withDemoLab } from "./demo/lab.ts";
import { type DemoOptions, parseDemoOptions, USAGE } from "./demo/options.ts";
import { makePaint } from "./demo/paint.ts";
import { playScenes, type Teller } from "./demo/play.ts";
import { SCENES } from "./demo/scenes.ts";
import { listenForStop, type Stop } from "./demo/stop.ts";
import { Story } from "./demo/story.ts";
import { jsonTeller } from "./demo/tell_json.ts";
import { personTeller } from "./demo/tell_person.ts";
import type { LabInfo } from "./lab/mod.ts";

const MAX_WIDTH = 104;

/** Takes the command line, plays the scenes, and gives the exit code. */
async function main(args: readonly string[]): Promise<number> {
  let options: DemoOptions;
  try {
    options = parseDemoOptions(args);
  } catch (error) {
    console.error(`demo: ${error instanceof Error ? error.message : error}\n${USAGE}`);
    return 64;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const say = options.json ? console.error : console.log;
  using stop = listenForStop(console.error);
  const startedAt = performance.now();
  say("monky-deployd, the life of one box in scenes. Tenancy is the control plane; OpenBao keeps");
  say("the secrets; the agent on the box asks both, and nobody connects to the box.\n");
  const teller = options.json ? jsonTeller() : personTeller(terminalPage());
  const isOk = await withDemoLab({ keep: options.keep, say }, (lab) => play(lab, teller, stop));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (stop.exitCode !== null) return stop.exitCode;
  say(isOk ? `Every scene went as it should, in ${seconds} s.` : "Not every scene is ok.");
  return isOk ? 0 : 1;
}

async function play(lab: LabInfo, teller: Teller, stop: Stop): Promise<boolean> {
  if (stop.signal.aborted) return false;
  const env = `env-demo-${crypto.getRandomValues(new Uint8Array(2)).toHex()}`;
  const config = { tenancy: { bundle_keys: [lab.keys.bundlePublicKey] }, health_timeout_s: 5 };
  await using box = await makeBox(lab, { env, config });
  return await playScenes(new Story(box), SCENES, { teller, stop: stop.signal });
}

function terminalPage(): Parameters<typeof personTeller>[0] {
  const isTerminal = Deno.stdout.isTerminal();
  const columns = isTerminal ? Deno.consoleSize().columns : MAX_WIDTH;
  return {
    print: console.log,
    paint: makePaint(isTerminal && !Deno.noColor),
    width: Math.max(60, Math.min(columns, MAX_WIDTH)),
  };
}

if (import.meta.main) {
  try {
    Deno.exitCode = await main(Deno.args);
  } catch (cause) {
    console.error(`demo: ${cause instanceof Error ? cause.message : String(cause)}`);
    Deno.exitCode = 1;
  }
}
