// Talks to the tenancy that runs in a folder.

import { readAdminInfo } from "../admin_file.ts";

/** A command that cannot be done, with what to do about it; printed without a stack. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}

/** How to start a tenancy, for messages. */
export const HOW_TO_START = "start one in another terminal: deno task tenancy serve";

/**
 * Calls the running tenancy and gives its reply. Throws `CommandFailed` when none runs in the
 * folder, or with the tenancy's own words when it refuses.
 */
export async function callAdmin(
  folder: string,
  operation: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const info = await readAdminInfo(folder);
  if (info === null) throw new CommandFailed(`no tenancy runs in ${folder}; ${HOW_TO_START}`);
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  try {
    const response = await fetch(`http://127.0.0.1:${info.adminPort}/${operation}`, {
      client,
      method: "POST",
      redirect: "manual",
      headers: { "Authorization": `Bearer ${info.adminToken}` },
      body: JSON.stringify(body),
    });
    const reply = await response.json();
    if (response.ok) return reply;
    if (response.status === 401) throw new CommandFailed(`${stopped(folder)}; ${HOW_TO_START}`);
    throw new CommandFailed(String(reply.message));
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(`${stopped(folder)}; ${HOW_TO_START}`);
  } finally {
    client.close();
  }
}

function stopped(folder: string): string {
  return `the tenancy of ${folder} runs no longer`;
}

/** Whether a tenancy runs in the folder. */
export async function isRunning(folder: string): Promise<boolean> {
  try {
    await callAdmin(folder, "status");
    return true;
  } catch {
    return false;
  }
}
