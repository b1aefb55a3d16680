/** Judges files as the agent does: read by itself first, then resolved by the lab's compose. */

import { readLab } from "../../scripts/lab/mod.ts";
import { composeEnvironment, configArgs } from "../../src/core/compose_argv.ts";
import { engineSockets } from "../../src/core/policy/engine_sockets.ts";
import { findingName } from "../../src/core/policy/finding.ts";
import { judgeModel } from "../../src/core/policy/judge_model.ts";
import type { PathFact } from "../../src/core/policy/model_facts.ts";
import { pathsToLookAt } from "../../src/core/policy/paths.ts";
import { reachFiles } from "../../src/core/policy/reach.ts";
import { realPath } from "../../src/engine/real_path.ts";
import { createFiles } from "../../src/io/files.ts";
import { createCompose } from "../../src/clients/compose.ts";
import { createExec } from "../../src/io/exec.ts";

/** What both looks found. */
export interface Judged {
  /** Names of what the files' own text asks for. */
  readonly first: readonly string[];
  /** Names of what compose made of them. */
  readonly second: readonly string[];
  /** R: the release's folder, D: deploy_dir, P: the folder above, H: HOME. */
  readonly places: {
    readonly R: string;
    readonly D: string;
    readonly P: string;
    readonly H: string;
  };
}

/** Writes a bundle's files into a folder of their own and judges them; the folder is removed. */
export async function judgeFiles(files: Readonly<Record<string, string>>): Promise<Judged> {
  const lab = await readLab();
  if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  const P = await Deno.realPath(await Deno.makeTempDir({ prefix: "policy" }));
  const places = { P, D: `${P}/deploy`, R: `${P}/deploy/releases/abc`, H: `${P}/home` };
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(`${places.R}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${places.R}/${path}`, text);
    }
    const reached = reachFiles({
      has: (path) => Object.hasOwn(files, path),
      text: (path) => files[path] ?? "",
    });
    const resolved = await resolve(lab.compose.plugin, places);
    const facts = {
      policy: { bindAllow: [], registries: [], requireDigest: false, allow: [] },
      deployDir: places.D,
      bundleDirs: [places.R, `${places.D}/project`] as const,
      reads: reached.reads,
      sockets: engineSockets("/var/run/docker.sock", null),
      dataRoot: "/var/lib/docker",
      meshRange: "100.64.0.0/10",
      agentPorts: [18443],
    };
    const paths = new Map<string, PathFact>();
    for (const path of pathsToLookAt(resolved, facts)) {
      paths.set(path, await realPath(createFiles(), path, [places.D]));
    }
    const second = judgeModel(resolved, { ...facts, paths });
    return { first: namesOf(reached.findings), second: namesOf(second), places };
  } finally {
    await Deno.remove(P, { recursive: true });
  }
}

function namesOf(findings: readonly Parameters<typeof findingName>[0][]): readonly string[] {
  return [...new Set(findings.map(findingName))];
}

async function resolve(plugin: string, { R, H }: Judged["places"]): Promise<unknown> {
  const outcome = await createCompose(createExec(), { plugin }).config({
    args: configArgs({
      project: "p",
      projectDir: R,
      file: `${R}/docker-compose.yml`,
      overrideFile: null,
      envFile: "/dev/null",
      profiles: [],
    }),
    env: composeEnvironment({
      home: H,
      dockerConfigDir: H,
      dockerHost: "unix:///nonexistent",
      lifeline: "",
    }),
    cwd: R,
    timeoutMs: 20_000,
  });
  if (!outcome.ok) throw new Error(outcome.outcome.stderrTail.join("\n"));
  return outcome.resolved;
}
