/** The lab's Engine and compose plugin under the agent's own clients, a project to each test. */

import { composeEnvironment, downArgs } from "../../src/core/compose_argv.ts";
import { createExec } from "../../src/io/exec.ts";
import { createHttp } from "../../src/io/http.ts";
import type { Http } from "../../src/ports.ts";
import { dockerCall, type LabInfo, readLab } from "../../scripts/lab/mod.ts";
import { type Bench, benchOf } from "../contract/docker_setup.ts";

/** A bench on the lab. */
export interface RealBench extends Bench {
  readonly lab: LabInfo;
}

/** Gives the lab; throws when it is not up, since these tests are nothing without it. */
export async function needLab(): Promise<LabInfo> {
  const lab = await readLab();
  if (lab === null) throw new Error("the lab is not up: run deno task lab up");
  return lab;
}

/** Gives the agent's HTTP with the lab's Engine behind the peer `docker`. */
export function labHttp(lab: LabInfo): Http {
  const nowhere = { scheme: "http", host: "tenancy.test", port: 443, service: "x" } as const;
  return createHttp({
    endpoints: { tenancy: nowhere, bao: nowhere, docker: { socket: lab.docker.socket } },
    dialer: {
      dropped: "is not there",
      dial: ({ host }) => Promise.reject(new Error(`these tests do not dial ${host}`)),
    },
    caPem: null,
  });
}

/** Runs a check on a project of its own; the project and its folder are gone afterwards. */
export async function withBench(use: (bench: RealBench) => Promise<void>): Promise<void> {
  const lab = await needLab();
  const dir = await Deno.makeTempDir({ prefix: "monky-docker-" });
  const call = async (method: string, path: string): Promise<void> => {
    await dockerCall(lab.docker.socket, method, path);
  };
  const bench: RealBench = {
    ...benchOf({
      http: labHttp(lab),
      exec: createExec(),
      plugin: lab.compose.plugin,
      env: composeEnvironment({
        home: dir,
        dockerConfigDir: lab.registry.dockerConfigDir,
        dockerHost: lab.docker.host,
        lifeline: `${dir}/lifeline`,
      }),
      lifeline: `${dir}/lifeline`,
      dir,
      project: `monky-test-${crypto.randomUUID().slice(0, 8)}`,
      registry: lab.registry.address,
      async write(name, text): Promise<string> {
        await Deno.writeTextFile(`${dir}/${name}`, text);
        return `${dir}/${name}`;
      },
      stop: (id) => call("POST", `/containers/${id}/stop?t=1`),
      pause: (id) => call("POST", `/containers/${id}/pause`),
      remove: (id) => call("DELETE", `/containers/${id}?force=1`),
    }),
    lab,
  };
  try {
    await use(bench);
  } finally {
    await bench.run(downArgs(bench.project, { stopTimeoutS: 0, volumes: true }));
    await Deno.remove(dir, { recursive: true });
  }
}
