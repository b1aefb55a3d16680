// `serve`: runs a tenancy in the foreground until it is told to stop.

import { type LabInfo, readLab } from "../../lab/info.ts";
import { readAdminInfo } from "../admin_file.ts";
import { startAdmin } from "../admin_server.ts";
import { DEFAULT_HOST, DEFAULT_ISSUER, startTenancy } from "../mod.ts";
import { sleep, untilAborted } from "../sleep.ts";
import { baoTokenLookup } from "../token_lookup.ts";
import type { TenancyHandle, TenancyOptions } from "../types.ts";
import { CommandFailed, isRunning } from "./admin_client.ts";
import { UsageError, whole } from "./commands.ts";
import type { Options } from "./options.ts";

/** How often it is looked whether the lab is still the one that the tenancy stands on. */
const LOOK_EVERY_MS = 2_000;

interface Sources {
  /** Null: not the lab's OpenBao. */
  readonly lab: LabInfo | null;
  readonly baoAddr: string;
  readonly caFile: string | null;
  readonly readToken: () => string;
  readonly keyFile: string;
  readonly bundleKeyFile: string;
  readonly issuer: string;
}

/**
 * Serves until `stop` fires, or until the lab that it stands on is gone: a new one has other keys, and
 * would verify none of its grants. `say` prints a line. Throws `UsageError`, and `CommandFailed` when
 * there is neither a lab nor the options that name another OpenBao, or when one runs already.
 */
export async function serve(
  options: Options,
  say: (line: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const { folder, values } = options;
  if (await isRunning(folder)) throw new CommandFailed(`a tenancy runs in ${folder} already`);
  const sources = await findSources(options);
  const caPem = sources.caFile === null ? {} : { caPem: await readFile(sources.caFile) };
  const interval = values["interval"];
  const tenancy = await startOnKnownPort(options, async () => ({
    keyPem: await readFile(sources.keyFile),
    bundleKeyPem: await readFile(sources.bundleKeyFile),
    lookup: baoTokenLookup({ addr: sources.baoAddr, ...caPem, token: sources.readToken }),
    issuer: sources.issuer,
    expectedHost: values["host"] ?? DEFAULT_HOST,
    folder,
    ...(interval === undefined ? {} : { intervalS: whole("interval", interval) }),
    onRequest: say,
  }));
  try {
    const admin = await startAdmin(tenancy, folder);
    for (const line of welcome(tenancy, sources, folder)) say(line);
    const { lab } = sources;
    if (lab === null) await untilAborted(stop);
    else if (await isLabGone(lab, { stop })) say(`the lab in ${lab.dir} is gone: start it first`);
    await admin.close();
  } finally {
    await tenancy.close();
  }
  say("tenancy stopped; its state is kept");
}

/** Waits until `stop` fires (gives false), or until there is no lab or another one in its place (true). */
export async function isLabGone(
  lab: Pick<LabInfo, "dir" | "startedAt">,
  { stop, everyMs = LOOK_EVERY_MS }: { readonly stop: AbortSignal; readonly everyMs?: number },
): Promise<boolean> {
  while (!stop.aborted) {
    try {
      if ((await readLab(lab.dir))?.startedAt !== lab.startedAt) return true;
    } catch {
      // A file that cannot be read just now says nothing.
    }
    await sleep(everyMs, stop);
  }
  return false;
}

/** On the port that was used last, so that an agent's config stays right; else on a free one. */
async function startOnKnownPort(
  options: Options,
  make: () => Promise<TenancyOptions>,
): Promise<TenancyHandle> {
  const asked = options.values["port"];
  if (asked !== undefined) {
    return await startTenancy({ ...await make(), port: whole("port", asked) });
  }
  const last = (await readAdminInfo(options.folder))?.port ?? 0;
  try {
    return await startTenancy({ ...await make(), port: last });
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (!isTaken) throw error;
    return await startTenancy(await make());
  }
}

async function findSources({ values }: Options): Promise<Sources> {
  const baoAddr = values["bao-addr"];
  if (baoAddr !== undefined) {
    const tokenFile = values["bao-token-file"];
    const keyFile = values["key"];
    if (tokenFile === undefined || keyFile === undefined) {
      throw new UsageError("--bao-addr needs --bao-token-file and --key as well");
    }
    return {
      lab: null,
      baoAddr,
      caFile: values["bao-ca"] ?? null,
      readToken: () => Deno.readTextFileSync(tokenFile).trim(),
      keyFile,
      bundleKeyFile: values["bundle-key"] ?? keyFile,
      issuer: values["issuer"] ?? DEFAULT_ISSUER,
    };
  }
  const lab = await readLab();
  if (lab === null) {
    throw new CommandFailed(
      "no lab runs; start one with: deno task lab up\n" +
        "or name another OpenBao: --bao-addr --bao-ca --bao-token-file --key",
    );
  }
  return {
    lab,
    baoAddr: lab.bao.address,
    caFile: lab.bao.caFile,
    readToken: () => lab.bao.tenancyToken,
    keyFile: values["key"] ?? lab.keys.grantKey,
    bundleKeyFile: values["bundle-key"] ?? lab.keys.bundleKey,
    issuer: values["issuer"] ?? lab.keys.issuer,
  };
}

async function readFile(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    throw new CommandFailed(error instanceof Error ? error.message : String(error));
  }
}

function welcome(tenancy: TenancyHandle, sources: Sources, folder: string): string[] {
  return [
    `tenancy listens on ${tenancy.hostname}:${tenancy.port}`,
    `  state in ${folder}`,
    `  OpenBao at ${sources.baoAddr}`,
    "next: deno task tenancy config --env ENV --out config.yaml; Ctrl-C stops the tenancy",
  ];
}
