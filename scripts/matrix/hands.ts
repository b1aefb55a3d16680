/** What people do to a box by hand, behind the agent's back. */

import type { Box } from "../box/box.ts";
import { dockerCall } from "../lab/docker_api.ts";
import { waitFor } from "../lab/wait.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Sends one call to the Engine: `("POST", "/containers/web-1/stop?t=1")`. */
export async function engine(
  box: Box,
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  const options = body === undefined ? {} : { body: JSON.stringify(body), headers: JSON_TYPE };
  return await dockerCall(box.lab.docker.socket, method, path, options);
}

/** Runs a program in a container, and waits until it has ended. */
export async function runInside(box: Box, id: string, command: readonly string[]): Promise<void> {
  const made = await engine(box, "POST", `/containers/${id}/exec`, { Cmd: command });
  const { Id } = JSON.parse(made) as { readonly Id: string };
  await engine(box, "POST", `/exec/${Id}/start`, { Detach: true });
  await waitFor("the program's end", 60_000, async () => {
    const text = await engine(box, "GET", `/exec/${Id}/json`);
    return (JSON.parse(text) as { readonly Running: boolean }).Running ? null : true;
  });
}

/** Starts a container that compose did not make; gives its id. Whoever starts it removes it. */
export async function startStranger(
  box: Box,
  labels: Readonly<Record<string, string>>,
): Promise<string> {
  const HostConfig = { Init: true };
  const spec = { Image: "lab/bb:1", Cmd: ["sleep", "3600"], Labels: labels, HostConfig };
  const made = await engine(box, "POST", "/containers/create", spec);
  const { Id } = JSON.parse(made) as { readonly Id: string };
  await engine(box, "POST", `/containers/${Id}/start`);
  return Id;
}

/** Runs compose on the box's project as a person would, with the files of the current release. */
export async function compose(box: Box, args: readonly string[]): Promise<void> {
  const current = (await Deno.readTextFile(`${box.deployDir}/current`)).trim();
  const release = `${box.deployDir}/${current}`;
  const { success, stderr } = await new Deno.Command(box.lab.compose.plugin, {
    args: [
      ...["-p", box.project, "--project-directory", `${box.deployDir}/project`],
      ...["-f", `${release}/docker-compose.yml`, "-f", `${release}/.monky/override.yml`],
      ...["--env-file", `${release}/.env`, ...args],
    ],
    env: { DOCKER_HOST: box.lab.docker.host, HOME: box.dir, PATH: "/nonexistent" },
    clearEnv: true,
    stdin: "null",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
