/**
 * The release as a box has it: sizes of what is downloaded and installed, and what a converged tick
 * costs through the launcher. Made anew, so that the figures are those of the sources.
 */

import { makeBox } from "../box/box.ts";
import { PROJECT } from "../check/paths.ts";
import type { LabInfo } from "../lab/info.ts";
import { type Figures, measure } from "./interleaved.ts";
import { packagedCommand, packagedFlags } from "./packaged.ts";

/** What was measured of a release. */
export interface BuiltFigures {
  /** File → bytes. */
  readonly sizes: Readonly<Record<string, number>>;
  readonly starts: Readonly<Record<string, Figures>>;
}

/** Builds a release, unpacks it, and runs its agent on a box of the lab. Throws Error when a part fails. */
export async function measureBuilt(lab: LabInfo, rounds: number): Promise<BuiltFigures> {
  const work = await Deno.makeTempDir({ prefix: "monky-bench-" });
  try {
    await run(Deno.execPath(), [
      "run",
      "-A",
      `${PROJECT}/scripts/build.ts`,
      "--out",
      `${work}/dist`,
    ]);
    const sizes: Record<string, number> = {};
    for await (const { name } of Deno.readDir(`${work}/dist`)) {
      sizes[name] = (await Deno.stat(`${work}/dist/${name}`)).size;
    }
    const archive = Object.keys(sizes).find((name) => name.endsWith(".tar.gz"));
    await run("tar", ["-xzf", `${work}/dist/${archive}`, "-C", work]);
    const lib = `${work}/usr/lib/monky-deployd`;
    sizes["installed: deno"] = (await Deno.stat(`${lib}/deno`)).size;
    sizes["installed: main.js"] = (await Deno.stat(`${lib}/main.js`)).size;
    return { sizes, starts: await measureStarts(lab, `${work}/usr`, rounds) };
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function measureStarts(
  lab: LabInfo,
  usr: string,
  rounds: number,
): Promise<BuiltFigures["starts"]> {
  await using box = await makeBox(lab);
  await box.reveal();
  await box.tenancy.publish(box.env, {
    "docker-compose.yml": "services:\n  web:\n    image: lab/bb:1\n    init: true\n" +
      '    command: ["sleep", "3600"]\n',
  });
  const first = await box.tick();
  if (first.code !== 0) throw new Error(`the first deploy failed:\n${first.stderr}`);
  const launcher = `${usr}/bin/monky-deployd`;
  const env = { HOME: usr };
  const tick = ["tick", "--config", box.configPath];
  return await measure({
    "version": { argv: [launcher, "version"], env },
    // Another config than the box's own: its flags are asked for each time, by a start of its own.
    "tick, flags asked for": { argv: [launcher, ...tick], env },
    // What the launcher starts on a box, where the flags are kept.
    "tick, flags kept": packagedCommand(
      `${usr}/lib/monky-deployd/main.js`,
      tick,
      { flags: packagedFlags(box.configPath), cacheDir: `${usr}/.cache/kept` },
    ),
  }, { rounds, warmup: 3 });
}

/** Takes the figures; gives them as two tables. */
export function showBuilt({ sizes, starts }: BuiltFigures): string {
  const bytes = Object.entries(sizes).map(([name, size]) =>
    `${(size / 2 ** 20).toFixed(2).padStart(9)}  ${name}`
  );
  const times = Object.entries(starts).map(([name, { medianMs, leastMs, peakMib }]) =>
    `${name.padEnd(23)}${
      [medianMs, leastMs, peakMib].map((n) => n.toFixed(1).padStart(11)).join("")
    }`
  );
  return [
    "the release, MiB",
    ...bytes,
    "",
    "as it is installed       median ms   least ms   peak MiB",
    ...times,
  ].join("\n");
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr)}`);
}
