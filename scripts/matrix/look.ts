/**
 * What must hold once a box has converged, looked at from outside the agent: the right containers,
 * no file that others may read a secret from, nothing left lying about, each report once.
 */

import type { Box } from "../box/box.ts";
import { dockerCall } from "../lab/docker_api.ts";

/** A container as `GET /containers/<id>/json` gives it, the part that is looked at. */
interface Inspected {
  readonly Id: string;
  readonly State: {
    readonly Status: string;
    readonly ExitCode: number;
    readonly StartedAt: string;
  };
  readonly Config: {
    readonly Env: readonly string[] | null;
    readonly Labels: Readonly<Record<string, string>>;
  };
}

/** One service's container. */
export interface Seen {
  readonly id: string;
  readonly state: string;
  readonly exitCode: number;
  readonly startedAt: string;
  /** Value of its REVISION, or null. */
  readonly revision: string | null;
  readonly env: readonly string[];
}

/** Gives the project's containers by service; two of one service make it throw. */
export async function lookAtServices(box: Box): Promise<Readonly<Record<string, Seen>>> {
  const seen: Record<string, Seen> = {};
  for (const { Id } of await box.containers()) {
    const text = await dockerCall(box.lab.docker.socket, "GET", `/containers/${Id}/json`);
    const { State, Config } = JSON.parse(text) as Inspected;
    const env = Config.Env ?? [];
    const service = Config.Labels["com.docker.compose.service"] ?? "";
    if (seen[service] !== undefined) throw new Error(`two containers of ${service}`);
    const revision = env.find((each) => each.startsWith("REVISION="))?.slice(9) ?? null;
    const { Status: state, ExitCode: exitCode, StartedAt: startedAt } = State;
    seen[service] = { id: Id, state, exitCode, startedAt, revision, env };
  }
  return seen;
}

/** Gives every entry below the box's two folders: path → mode and, of a file, its bytes. */
function walk(box: Box): ReadonlyMap<string, { readonly mode: number; readonly text: string }> {
  const found = new Map<string, { readonly mode: number; readonly text: string }>();
  const visit = (path: string): void => {
    const { mode, isDirectory, isFile } = Deno.lstatSync(path);
    const text = isFile ? new TextDecoder().decode(Deno.readFileSync(path)) : "";
    found.set(path, { mode: (mode ?? 0) & 0o7777, text });
    if (isDirectory) { for (const { name } of Deno.readDirSync(path)) visit(`${path}/${name}`); }
  };
  for (const folder of [box.stateDir, box.deployDir]) {
    try {
      visit(folder);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return found;
}

/** What is not for others: values of secrets, tokens, and the folders that hold them. */
export function exposed(box: Box, secrets: readonly string[]): readonly string[] {
  const entries = walk(box);
  const session = entries.get(`${box.stateDir}/session.json`)?.text ?? "";
  const tokens = [...session.matchAll(/"value": "([^"]{8,})"/g)].flatMap((match) => match[1] ?? []);
  const hidden = [...secrets, ...tokens];
  return [...entries].flatMap(([path, { mode, text }]) => {
    const isOpen = (mode & 0o077) !== 0;
    const holds = hidden.some((each) => text.includes(each));
    const isOuter = path === box.stateDir || path === box.deployDir;
    const isOdd = holds && !/\/(?:\.env|session\.json|\..*\.tmp)$/.test(path);
    return (isOpen && (holds || isOuter)) || isOdd ? [`${path} ${mode.toString(8)}`] : [];
  });
}

/** What an interrupted tick may leave and a later one must have taken away. */
export function leftovers(box: Box): readonly string[] {
  return [...walk(box).keys()].filter((path) =>
    /\/\.(?:staging|replaced)-|\.tmp$|\.bad-\d+$/.test(path)
  );
}

/** Gives what speaks against every report having arrived once. `since`: reports recorded before. */
export function wrongReports(
  box: Box,
  { sha, since, results }: {
    readonly sha: string | null;
    readonly since: number;
    readonly results: readonly string[];
  },
): readonly string[] {
  const reports = box.tenancy.record.reports.slice(since);
  const ids = new Set(reports.map((each) => each.report_id));
  const got = reports.filter((each) => each.sha === sha).map((each) => each.result).join(" ");
  return [
    ...(ids.size === reports.length ? [] : ["a report_id was recorded twice"]),
    ...(results.includes(got) ? [] : [`reports of the release: ${got || "none"}`]),
    ...reports.filter((each) => each.sha !== sha).map((each) => `${each.result} of ${each.sha}`),
    ...box.tenancy.record.violations.map((each) => each.message),
  ];
}
