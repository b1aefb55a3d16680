/** What the contract list needs of a Docker Engine and compose, real or not, and shorthands for it. */

import { type Compose, type ComposeCall, createCompose } from "../../src/clients/compose.ts";
import { createDocker, type Docker } from "../../src/clients/docker.ts";
import type { ComposeTarget } from "../../src/core/compose_argv.ts";
import type { Container } from "../../src/model/containers.ts";
import type { Exec, Http } from "../../src/ports.ts";

/** An Engine, a compose plugin, and an operator's hands. */
export interface DockerSetup {
  /** Answers requests whose peer is `docker`. */
  readonly http: Http;
  readonly exec: Exec;
  /** The plugin's path. */
  readonly plugin: string;
  /** The environment in which compose runs, and the lifeline that it names, if any. */
  readonly env: Readonly<Record<string, string>>;
  readonly lifeline?: string;
  /** A folder of this check's own, absolute, which exists. */
  readonly dir: string;
  /** A project of this check's own. */
  readonly project: string;
  /** The host part of image references whose registry answers, with an account, but has no image `none:1`. */
  readonly registry: string;
  /** Writes a file into `dir`; gives its path. */
  write(name: string, text: string): Promise<string>;
  stop(containerId: string): Promise<void>;
  pause(containerId: string): Promise<void>;
  remove(containerId: string): Promise<void>;
}

/** A setup with the agent's own clients on it. */
export interface Bench extends DockerSetup {
  readonly docker: Docker;
  readonly compose: Compose;
  /** Writes the compose file and `.env`; gives the target of both. */
  release(compose: string, env?: string): Promise<ComposeTarget>;
  /** Gives the call of a command line. */
  call(args: readonly string[]): ComposeCall;
  /** Runs compose; gives the exit code and its last line. */
  run(args: readonly string[]): Promise<{ readonly code: number; readonly last: string }>;
  /** Runs compose, which must succeed. */
  succeed(args: readonly string[]): Promise<void>;
  /** Gives the project's containers by service; the first one of each. */
  byService(): Promise<Readonly<Record<string, Container>>>;
}

const TIMEOUT_MS = 60_000;

/** Puts the clients on a setup. */
export function benchOf(setup: DockerSetup): Bench {
  const docker = createDocker(setup.http, { timeoutMs: TIMEOUT_MS });
  const compose = createCompose(setup.exec, { plugin: setup.plugin });
  const call = (args: readonly string[]): ComposeCall => ({
    args,
    env: setup.env,
    cwd: setup.dir,
    timeoutMs: TIMEOUT_MS,
    ...(setup.lifeline === undefined ? {} : { lifeline: setup.lifeline }),
  });
  const run: Bench["run"] = async (args) => {
    const { code, stderrTail } = await compose.run(call(args));
    return { code, last: stderrTail.findLast((line) => line.trim() !== "") ?? "" };
  };
  return {
    ...setup,
    docker,
    compose,
    call,
    run,
    async release(text, env = ""): Promise<ComposeTarget> {
      return {
        project: setup.project,
        projectDir: setup.dir,
        file: await setup.write("docker-compose.yml", text),
        overrideFile: null,
        envFile: await setup.write(".env.rendered", env),
        profiles: [],
      };
    },
    async succeed(args): Promise<void> {
      const { code, last } = await run(args);
      if (code !== 0) throw new Error(`compose ended with ${code}: ${last}`);
    },
    async byService(): Promise<Readonly<Record<string, Container>>> {
      const containers = await docker.list(setup.project);
      return Object.fromEntries(containers.toReversed().map((each) => [each.service, each]));
    },
  };
}
