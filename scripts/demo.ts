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

const INTRODUCTION =
  `The life of one box that monky-deployd looks after, in ${SCENES.length} scenes.

Nobody connects to the box. The agent on it asks tenancy, the control plane, what should run; fetches
that as a bundle; reads the bundle's secrets from OpenBao; lets docker compose make it so; reports.

Each scene tells what happened meanwhile, what tenancy wanted, what the agent logged, what tenancy was
told, what proves it, and what it cost.
`;

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
  say(INTRODUCTION);
  const teller = options.json ? jsonTeller() : personTeller(terminalPage());
  const isOk = await withDemoLab(
    { keep: options.keep, say },
    (lab) => play(lab, { teller, stop, say }),
  );
  if (stop.exitCode !== null) return stop.exitCode;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const verdict = isOk ? "Every scene went as it should" : "NOT every scene went as it should";
  say(`\n${verdict}. ${seconds} s in all.`);
  return isOk ? 0 : 1;
}

interface Stage {
  readonly teller: Teller;
  readonly stop: Stop;
  readonly say: (line: string) => void;
}

async function play(lab: LabInfo, { teller, stop, say }: Stage): Promise<boolean> {
  if (stop.signal.aborted) return false;
  const env = `env-demo-${crypto.getRandomValues(new Uint8Array(3)).toHex()}`;
  // A worker that crashes at once need not be watched for long.
  const config = { tenancy: { bundle_keys: [lab.keys.bundlePublicKey] }, health_timeout_s: 5 };
  await using box = await makeBox(lab, { env, config });
  say(`\nThe box is ${env}, its files are in ${box.dir}.`);
  return await playScenes(new Story(box), SCENES, { teller, stop: stop.signal });
}

function terminalPage(): Parameters<typeof personTeller>[0] {
  const isTerminal = Deno.stdout.isTerminal();
  // A terminal that does not know its size says 0.
  const columns = (isTerminal ? Deno.consoleSize().columns : 0) || MAX_WIDTH;
  return {
    print: console.log,
    paint: makePaint(isTerminal && !Deno.noColor),
    width: Math.max(60, Math.min(columns, MAX_WIDTH)),
  };
}

if (import.meta.main) {
  let code = 1;
  try {
    code = await main(Deno.args);
  } catch (cause) {
    console.error(`demo: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  // A clean-up that failed half way may have left something open, which would keep this waiting.
  Deno.exit(code);
}
