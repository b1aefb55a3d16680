/** The claims that scenes make, each one line where it is used. */

import { ANSWER_PATH } from "./bundle.ts";
import { type Check, check, checkFailed, checkHolds } from "./check.ts";
import { lookAt, type Service } from "./look.ts";
import type { Seen } from "./scene.ts";
import type { Story } from "./story.ts";

/** The agent ended with this exit code. */
export function exits(seen: Seen, code: number): Check {
  const exit = check(`the agent exits with ${code}`, { expected: code, seen: seen.run.code });
  return { ...exit, isEvident: true };
}

/** Tenancy got exactly one report: this result, and this code if any. */
export function reports(seen: Seen, result: string, code: string | null = null): Check {
  const claim = `tenancy was told "${result}"${code === null ? "" : `, ${code}`}, once`;
  const told = seen.reports.map((report) => [report.result, report.code ?? null]);
  return { ...check(claim, { expected: [[result, code]], seen: told }), isEvident: true };
}

/** The one report's detail holds a text. */
export function reportHolds(seen: Seen, part: string): Check {
  const text = seen.reports.map(({ detail }) => detail ?? "").join("\n");
  return checkHolds(`the report says: ${part}`, { part, text });
}

/** Tenancy granted so many leases. */
export function leases(seen: Seen, expected: number): Check {
  const claims = ["no lease was taken", "one lease was taken"];
  return check(claims[expected] ?? `${expected} leases`, { expected, seen: seen.leases });
}

/** No program was started and OpenBao was not asked. */
export function startsNothing(seen: Seen): Check {
  return check("no program was started, OpenBao was not asked", {
    expected: { children: 0, bao: 0 },
    seen: { children: seen.run.children.length, bao: seen.run.requests.bao },
  });
}

/** The service answers over HTTP with this version, and with the secret that OpenBao holds. */
export async function answers(
  story: Story,
  { web, apiKeyVersion }: { readonly web: string; readonly apiKeyVersion: number },
): Promise<Check> {
  const digest = await story.secretDigest(apiKeyVersion);
  const port = (await lookAt(story.box)).services["web"]?.port ?? null;
  const url = port === null ? "web" : `http://127.0.0.1:${port}${ANSWER_PATH}`;
  const claim = `GET ${url}: web ${web}, and the SHA-256 of its API_KEY, ` +
    `${short(digest)}…, matches OpenBao, version ${apiKeyVersion}`;
  try {
    if (port === null) throw new Error("web publishes no port");
    const expected = { web, api_key_sha256: digest };
    return check(claim, { expected, seen: await fetchJson(url) });
  } catch (thrown) {
    return checkFailed(claim, thrown);
  }
}

/** The container of web is the one from before the tick and was not restarted. */
export function webUntouched({ before, after }: Seen): Check {
  const [old, now] = [before.services["web"], after.services["web"]];
  const which = old === undefined
    ? ""
    : `: container ${short(old.id)}, up since ${old.startedAt.slice(11, 19)} UTC`;
  return check(`web was not touched${which}`, {
    expected: old === undefined ? "web" : runOf(old),
    seen: now === undefined ? "no web" : runOf(now),
  });
}

/** The volume of before the tick is still there, not a new one of its name. */
export function volumeKept(story: Story, { before, after }: Seen): Check {
  const name = `${story.box.project}_data`;
  return check(`the volume ${name} is the one from before`, {
    expected: before.volumes[name] ?? "a volume",
    seen: after.volumes[name],
  });
}

function runOf({ id, startedAt, running }: Service): unknown {
  return { id: short(id), startedAt, running };
}

function short(hex: string): string {
  return hex.slice(0, 12);
}

async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status}`);
  return JSON.parse(text);
}
