/**
 * The search that follows every scene: no secret value, no token and no grant in any log, report,
 * state file or process argument. `.env`, session.json and bootstrap.jwt are there to hold them, and
 * must be private.
 */

import { type Check, check } from "./check.ts";
import type { SceneResult, Seen } from "./scene.ts";
import type { Story } from "./story.ts";

/** Files that are there to hold a secret, and must be 0600. */
const HOLDERS: readonly string[] = [".env", "session.json", "bootstrap.jwt"];

/** Tokens and grants (JWTs) that were never seen on the box, since a tick used them up. */
const TOKEN_SHAPE = /(?<![A-Za-z0-9])s\.[A-Za-z0-9]{24,}(?![A-Za-z0-9])/;
const GRANT_SHAPE = /eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{40,}/;

/** A text to search, and where it stands. */
export interface Place {
  readonly where: string;
  readonly text: string;
  /** Not all of it is this box's: only what this box knows is searched for there. */
  readonly isShared?: boolean;
}

/** Takes a scene that ran; gives the claims about what must not be found. */
export async function checkLeaks(story: Story, seen: Seen): Promise<readonly Check[]> {
  const { box } = story;
  await learnTokens(story);
  const files = await readFiles(box.dir);
  const places = [
    { where: "the agent's log", text: seen.run.stderr },
    { where: "the agent's output", text: seen.run.stdout },
    ...seen.run.children.map((text) => ({ where: "a program's arguments", text })),
    ...await processArguments(),
    ...Object.entries(seen.after.services)
      .map(([name, { described }]) => ({ where: `the container of ${name}`, text: described })),
    ...tenancyPlaces(story),
    ...files.filter(({ name }) => !HOLDERS.includes(name)),
  ];
  const holders = files.filter(({ name }) => HOLDERS.includes(name));
  return [
    check(
      "no secret value, token or grant in a log, report, state file or process argument",
      { expected: [], seen: findLeaks(places, [...story.values, ...story.tokens]) },
    ),
    check(`private (0600), since they may hold one: ${holderNames(holders)}`, {
      expected: [],
      seen: holders.filter(({ mode }) => mode !== 0o600).map(({ where }) => where),
    }),
    {
      ...check("tenancy saw no breach of the protocol", {
        expected: [],
        seen: box.tenancy.record.violations.map(({ message }) => message),
      }),
      isEvident: true,
    },
  ];
}

/** Takes places and what must not stand in them; gives where it does, without quoting it. */
export function findLeaks(places: readonly Place[], values: readonly string[]): readonly string[] {
  const needles = values.flatMap(spellings);
  const isFound = ({ text, isShared }: Place): boolean =>
    needles.some((needle) => text.includes(needle)) ||
    (isShared !== true && (TOKEN_SHAPE.test(text) || GRANT_SHAPE.test(text)));
  return places.filter(isFound).map(({ where }) => where);
}

/**
 * Takes a result; gives it fit to be printed: what leaked is in none of its texts. The demo shows
 * where a secret got to, not what it is.
 */
export function hideLeaks(result: SceneResult, story: Story): SceneResult {
  const needles = [...story.values, ...story.tokens].flatMap(spellings);
  const hide = (text: string): string =>
    needles.reduce((shown, needle) => shown.replaceAll(needle, "[LEAKED]"), text)
      .replaceAll(new RegExp(TOKEN_SHAPE, "g"), "[LEAKED]")
      .replaceAll(new RegExp(GRANT_SHAPE, "g"), "[LEAKED]");
  const { seen, checks } = result;
  return {
    ...result,
    checks: checks.map((each) =>
      each.problem === null ? each : { ...each, problem: hide(each.problem) }
    ),
    seen: seen === null ? null : {
      ...seen,
      run: { ...seen.run, stderr: hide(seen.run.stderr) },
      reports: seen.reports.map((report) =>
        report.detail === undefined ? report : { ...report, detail: hide(report.detail) }
      ),
    },
  };
}

/** A value as it is, and as JSON, YAML for compose, a URL or base64 would carry it. */
function spellings(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = new TextEncoder().encode(value).toBase64().replace(/=+$/, "");
  const doubled = [value, json].map((text) => text.replaceAll("$", "$$$$"));
  return [...new Set([value, json, ...doubled, encodeURIComponent(value), base64])];
}

/** A token is known from the moment it lies on the box. */
async function learnTokens({ box, tokens }: Story): Promise<void> {
  const text = await Deno.readTextFile(`${box.stateDir}/session.json`).catch(() => "");
  for (const [token] of text.matchAll(new RegExp(TOKEN_SHAPE, "g"))) tokens.add(token);
}

/** The record names a bearer by its hash, and puts that name wherever else the token stood. */
function tenancyPlaces({ box }: Story): readonly Place[] {
  const { requests, reports } = box.tenancy.record;
  const named = requests.map((request) => {
    const { authorization = "none", ...headers } = request.headers;
    const text = JSON.stringify([request.target, headers, request.body]);
    const hidden = text.includes(authorization) ? "s.hiddenhiddenhiddenhiddenhidden" : "";
    return { where: `the request ${request.method} ${request.target}`, text: `${text}${hidden}` };
  });
  return [...named, { where: "the reports", text: JSON.stringify(reports) }];
}

async function processArguments(): Promise<readonly Place[]> {
  const places: Place[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const text = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (text === "") continue;
    places.push({ where: `the arguments of process ${name}`, text, isShared: true });
  }
  return places;
}

interface FoundFile extends Place {
  readonly name: string;
  readonly mode: number;
}

async function readFiles(folder: string): Promise<readonly FoundFile[]> {
  const files: FoundFile[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const where = `${folder}/${name}`;
    if (isDirectory) files.push(...await readFiles(where));
    if (!isFile) continue;
    const { mode } = await Deno.lstat(where);
    files.push({ where, name, mode: (mode ?? 0) & 0o777, text: await Deno.readTextFile(where) });
  }
  return files;
}

function holderNames(holders: readonly FoundFile[]): string {
  return [...new Set(holders.map(({ name }) => name))].sort().join(", ");
}
