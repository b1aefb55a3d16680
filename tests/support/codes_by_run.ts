/**
 * What a scenario of one error code is: something wrong with a box, and the run from the command
 * line that must end with that code. The scenarios themselves stand in codes_of_*.ts.
 */

import type { Box } from "../../scripts/box/box.ts";
import type { AgentRun, RunOptions } from "../../scripts/box/run.ts";
import { adminRequest } from "../../scripts/lab/mod.ts";
import type { Code } from "../../src/errors.ts";
import { testCerts } from "../io/tls_setup.ts";
import type { BrokenBox, Later } from "./broken_boxes.ts";
import { BROKEN_FRESH } from "./broken_fresh.ts";
import { BROKEN_SDK } from "./broken_sdk.ts";
import { BROKEN_WAY } from "./broken_way.ts";
import { writeExecutable } from "./executable.ts";

/** One way to come by a code. */
export interface CodeScenario {
  readonly code: Code;
  /** What is wrong. */
  readonly when: string;
  /** Makes it so and runs the agent; gives that run. */
  readonly run: (box: Box, later: Later) => Promise<AgentRun>;
}

/** Gives the scenario of a tick after something was spoiled. */
export function tickAfter(
  code: Code,
  when: string,
  spoil: (box: Box, later: Later) => Promise<unknown>,
): CodeScenario {
  const run = async (box: Box, later: Later): Promise<AgentRun> => {
    await spoil(box, later);
    return await box.tick(["--now"]);
  };
  return { code, when, run };
}

/** Gives the scenario of a tick on one of the doctor's broken boxes, by the name it has there. */
export function tickOnBroken(code: Code, broken: string): CodeScenario {
  const rows: readonly BrokenBox[] = [...BROKEN_FRESH, ...BROKEN_WAY, ...BROKEN_SDK];
  const row = rows.find((each) => each.broken === broken);
  if (row === undefined) throw new Error(`the doctor knows no box that is broken by "${broken}"`);
  return tickAfter(code, broken, row.spoil);
}

/** Gives a spoiler that changes the config. */
export function configuredTo(
  change: Readonly<Record<string, unknown>>,
): (box: Box) => Promise<void> {
  return (box) => box.configure(change);
}

/**
 * Gives run options under which a module is loaded before the agent, as nothing but a broken
 * installation would: the way to what no input brings about.
 */
export async function preloaded(box: Box, source: string): Promise<RunOptions> {
  const path = `${box.dir}/preloaded.js`;
  await Deno.writeTextFile(path, source);
  return { flags: (flags) => [`--preload=${path}`, ...flags] };
}

/** Makes a role of OpenBao's as the box's, with changes; gives its name. */
export async function otherRole(box: Box, change: object, later: Later): Promise<string> {
  const name = `role-${box.env}`;
  const own = await adminRequest(box.bao, "GET", "auth/jwt-tenancy/role/see-env");
  const { data } = own.body as unknown as { readonly data: object };
  await adminRequest(box.bao, "POST", `auth/jwt-tenancy/role/${name}`, { ...data, ...change });
  later(() => adminRequest(box.bao, "DELETE", `auth/jwt-tenancy/role/${name}`));
  return name;
}

/**
 * Puts a server between the box and OpenBao that answers reads of secrets by itself, and passes on
 * everything else.
 */
export async function lieAboutSecrets(
  box: Box,
  later: Later,
  lie: () => Response,
): Promise<void> {
  const certs = await testCerts();
  const ca = `${box.dir}/lying-ca.pem`;
  await Deno.writeTextFile(ca, certs.caPem);
  const client = Deno.createHttpClient({
    caCerts: [await Deno.readTextFile(box.bao.bao.caFile)],
  });
  later(() => Promise.resolve(client.close()));
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...certs.pair("good") },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname.startsWith("/v1/monky/data/")) return lie();
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.arrayBuffer();
      const url = `${box.bao.bao.address}${pathname}${search}`;
      const answer = await fetch(url, { method, headers, body, client });
      return new Response(await answer.arrayBuffer(), {
        status: answer.status,
        headers: { "content-type": answer.headers.get("content-type") ?? "" },
      });
    },
  );
  later(() => server.shutdown());
  const proxyAddr = `127.0.0.1:${server.addr.port}`;
  await box.configure({ bao: { addr: "https://vault.internal:8200", proxy_addr: proxyAddr, ca } });
}

/** Puts a program in the compose plugin's place that runs lines of sh before it becomes compose. */
export async function composeThat(box: Box, lines: string): Promise<void> {
  const path = `${box.dir}/docker-compose-that`;
  const script = `#!/bin/sh\n${lines}\nexec '${box.lab.compose.plugin}' "$@"\n`;
  await writeExecutable(path, script);
  await box.configure({ docker: { compose: path } });
}
