// The commands that talk to a running tenancy.

import { readBundleDir } from "../bundle.ts";
import type { Desired, IssuedGrant, Published } from "../types.ts";
import { callAdmin, CommandFailed } from "./admin_client.ts";
import { config } from "./config_command.ts";
import type { Options } from "./options.ts";
import { recordLines, type RecordReply } from "./record_lines.ts";

/** A command line that cannot be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Runs one command and gives the lines it prints. Throws `UsageError` or `CommandFailed`. */
export type Command = (options: Options) => Promise<string[]>;

/** Every command but `serve`. */
export const RUNNERS: Readonly<Record<string, Command>> = {
  config,
  publish,
  desired,
  absent,
  grant,
  retire,
  fault,
  record,
};

async function publish(options: Options): Promise<string[]> {
  const env = needed(options, "env");
  const [dir, ...more] = options.args;
  if (dir === undefined || more.length > 0) throw new UsageError("publish takes one FOLDER");
  const serial = options.values["serial"];
  const files: Record<string, unknown> = Object.create(null);
  for (const [path, { content, mode }] of Object.entries(await readDir(dir))) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    files[path] = { base64: bytes.toBase64(), mode };
  }
  const reply = await callAdmin(options.folder, "publish", {
    env,
    files,
    sign: options.switches.has("sign"),
    ...(serial === undefined
      ? {}
      : { serial: serial === "none" ? serial : whole("serial", serial) }),
  }) as Published;
  const details = [
    reply.serial === undefined ? "no serial" : `serial ${reply.serial}`,
    count(Object.keys(files).length, "file"),
    reply.signature === undefined ? "unsigned" : "signed",
  ];
  return [`${env} should run ${reply.sha} (${details.join(", ")})`];
}

async function desired(options: Options): Promise<string[]> {
  const env = needed(options, "env");
  const { sha } = options.values;
  const body = { env, ...(sha === undefined ? {} : { sha }) };
  const reply = await callAdmin(options.folder, "desired", body) as Desired;
  if (reply.state === "unset") {
    return [`nobody has said what ${env} should run: publish a bundle, or set it absent`];
  }
  if (reply.state === "absent") return [`${env} should run nothing`];
  const serial = reply.serial === undefined ? "no serial" : `serial ${reply.serial}`;
  return [`${env} should run ${reply.sha} (${serial})`];
}

async function absent(options: Options): Promise<string[]> {
  const env = needed(options, "env");
  await callAdmin(options.folder, "absent", { env });
  return [`${env} should run nothing`];
}

async function grant(options: Options): Promise<string[]> {
  const env = needed(options, "env");
  const out = needed(options, "out");
  const issued = await callAdmin(options.folder, "grant", { env }) as IssuedGrant;
  try {
    // Made anew: an existing file would keep its mode, and perhaps its readers.
    await Deno.remove(`${out}.new`).catch(() => {});
    await Deno.writeTextFile(`${out}.new`, `${issued.grant}\n`, { mode: 0o600, createNew: true });
    await Deno.rename(`${out}.new`, out);
  } catch (error) {
    throw new CommandFailed(`${out} cannot be written: ${messageOf(error)}`);
  }
  return [
    `${out} holds a bootstrap grant for ${env}, good until ${issued.expiresAt}`,
    `earlier grants of ${env} are superseded`,
  ];
}

async function retire(options: Options): Promise<string[]> {
  const env = needed(options, "env");
  await callAdmin(options.folder, "retire", { env });
  return [`${env} is retired: its tokens are refused until the next grant`];
}

async function fault(options: Options): Promise<string[]> {
  const { folder, switches, values } = options;
  if (switches.has("clear")) {
    const { cleared } = await callAdmin(folder, "fault-clear") as { cleared: number };
    return [`${count(cleared, "fault")} cleared`];
  }
  if (switches.has("list")) {
    const armed = await callAdmin(folder, "fault-list") as { spec: unknown; met: number }[];
    if (armed.length === 0) return ["no fault is armed"];
    return armed.map(({ spec, met }) => `${JSON.stringify(spec)} met ${count(met, "request")}`);
  }
  const spec: Record<string, unknown> = { kind: needed(options, "kind") };
  for (const name of ["env", "call", "code", "field", "location"]) {
    if (values[name] !== undefined) spec[name] = values[name];
  }
  for (const name of ["times", "status", "ms", "bytes"]) {
    const value = values[name];
    if (value !== undefined) spec[name] = whole(name, value);
  }
  await callAdmin(folder, "fault", spec);
  const times = values["times"];
  const until = times === undefined
    ? 'every request until "fault --clear"'
    : count(Number(times), "request");
  return [`armed: ${spec["kind"]}, for ${until}`];
}

async function record(options: Options): Promise<string[]> {
  const { env } = options.values;
  const reply = await callAdmin(options.folder, "record", env === undefined ? {} : { env });
  if (options.switches.has("json")) return [JSON.stringify(reply, null, 2)];
  return recordLines(reply as RecordReply);
}

async function readDir(dir: string): ReturnType<typeof readBundleDir> {
  try {
    return await readBundleDir(dir);
  } catch (error) {
    throw new CommandFailed(`${dir} cannot be published: ${messageOf(error)}`);
  }
}

function needed(options: Options, name: string): string {
  const value = options.values[name];
  if (value === undefined || value === "") throw new UsageError(`--${name} is missing`);
  return value;
}

/** The whole number an option gives. Throws `UsageError` for anything else. */
export function whole(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} takes a whole number: ${text}`);
  return Number(text);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
