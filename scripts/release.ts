/**
 * `deno task release`: publishes what `deno task build` left in dist/, on GitLab and its Gitea mirror.
 * Can be run again after it failed: it goes on where it stopped, and never overwrites a version.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { VERSION } from "../src/version.ts";
import { PROJECT } from "./check/paths.ts";
import { readBuilt } from "./release/assets.ts";
import { releaseToGitea } from "./release/gitea.ts";
import { releaseToGitlab } from "./release/gitlab.ts";
import { notesOf } from "./release/notes.ts";

const USAGE =
  `usage: deno task release gitlab|gitea [--api URL] [--project ID|OWNER/NAME] [--dist FOLDER]
  gitlab  JOB-TOKEN from CI_JOB_TOKEN, else PRIVATE-TOKEN from GITLAB_TOKEN;
          --api and --project default to CI_API_V4_URL and CI_PROJECT_ID
  gitea   token from GITEA_TOKEN; --api and --project default to GITEA_API_URL and GITEA_PROJECT
Tokens are read from the environment only, where no process list shows them.`;

const say = (line: string): void => console.error(`release: ${line}`);

/** A wrong command line. */
class Usage extends Error {}

function need(value: string | undefined, what: string): string {
  if (value === undefined || value === "") throw new Usage(`${what} is missing`);
  return value;
}

function authOfGitlab(): Readonly<Record<string, string>> {
  const job = Deno.env.get("CI_JOB_TOKEN");
  if (job !== undefined && job !== "") return { "JOB-TOKEN": job };
  return { "PRIVATE-TOKEN": need(Deno.env.get("GITLAB_TOKEN"), "CI_JOB_TOKEN or GITLAB_TOKEN") };
}

function apiOf(text: string): string {
  if (!/^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(text)) {
    throw new Usage("--api must be https://, or a token would cross the network in the clear");
  }
  return text.replace(/\/+$/, "");
}

async function main(): Promise<number> {
  const unknown: string[] = [];
  const args = parseArgs(Deno.args, {
    string: ["_", "api", "project", "dist"],
    unknown: (arg, key) => key === undefined || (unknown.push(arg), false),
  });
  try {
    const where = String(args._[0] ?? "");
    if (unknown.length > 0) throw new Usage(`unknown option ${unknown.join(", ")}`);
    if (args._.length !== 1 || !["gitlab", "gitea"].includes(where)) throw new Usage("where to?");
    const tag = Deno.env.get("CI_COMMIT_TAG") ?? "";
    if (tag !== "" && tag !== `v${VERSION}`) {
      throw new Error(`the tag is ${tag} and the version v${VERSION}: they must be the same`);
    }
    const notes = notesOf(await Deno.readTextFile(`${PROJECT}/CHANGELOG.md`), VERSION);
    const built = await readBuilt(args.dist ?? `${PROJECT}/dist`, VERSION);
    if (where === "gitlab") {
      await releaseToGitlab(built, notes, {
        api: apiOf(need(args.api ?? Deno.env.get("CI_API_V4_URL"), "--api")),
        project: need(args.project ?? Deno.env.get("CI_PROJECT_ID"), "--project"),
        auth: authOfGitlab(),
        say,
      });
    } else {
      await releaseToGitea(built, notes, {
        api: apiOf(need(args.api ?? Deno.env.get("GITEA_API_URL"), "--api")),
        repository: need(args.project ?? Deno.env.get("GITEA_PROJECT"), "--project"),
        auth: { authorization: `token ${need(Deno.env.get("GITEA_TOKEN"), "GITEA_TOKEN")}` },
        say,
      });
    }
    return 0;
  } catch (error) {
    console.error(`release: ${error instanceof Error ? error.message : error}`);
    if (!(error instanceof Usage)) return 1;
    console.error(USAGE);
    return 64;
  }
}

Deno.exitCode = await main();
