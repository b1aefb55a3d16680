/** Real failures of the real plugin and Engine, each classed by what compose says last. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { type ComposeTarget, configArgs, pullArgs, upArgs } from "../../src/core/compose_argv.ts";
import { classifyComposeFailure, type ComposeStep } from "../../src/core/compose_failure.ts";
import type { AgentError, Code } from "../../src/errors.ts";
import { dockerCall } from "../../scripts/lab/mod.ts";
import { ownLoopback } from "../support/loopback.ts";
import { type RealBench, withBench } from "./docker_bench.ts";

interface Failing {
  readonly name: string;
  readonly step: ComposeStep;
  readonly code: Code;
  /** Stands in the message. */
  readonly says: string;
  readonly file: (bench: RealBench) => string;
  readonly env?: string;
  /** Changes compose's environment. */
  readonly surroundings?: Readonly<Record<string, string>>;
  /** Puts something in the way; gives what takes it away again. */
  readonly obstacle?: (bench: RealBench) => Promise<() => Promise<unknown>>;
}

const LOOPBACK = ownLoopback();

const one = (rest: string): string => `services: {web: {image: "lab/bb:1", ${rest}}}`;
const named = (bench: RealBench, what: string): string => `${bench.project}-${what}`;

const FAILURES: readonly Failing[] = [
  {
    name: "a tag that is not in the registry",
    step: "pull",
    code: "IMAGE_NOT_FOUND",
    says: "lab/none:1",
    file: ({ registry }) => `services: {web: {image: "${registry}/lab/none:1"}}`,
  },
  {
    name: "no account for a private registry",
    step: "pull",
    code: "REGISTRY_AUTH",
    says: "no basic auth credentials",
    file: ({ registry }) => `services: {web: {image: "${registry}/lab/none:1"}}`,
    surroundings: { DOCKER_CONFIG: "/nonexistent" },
  },
  {
    name: "one absent image among others: the cancelled ones do not count",
    step: "pull",
    code: "IMAGE_NOT_FOUND",
    says: "lab/none:",
    file: ({ registry }) =>
      `services: {${
        [1, 2, 3].map((at) => `s${at}: {image: "${registry}/lab/none:${at}"}`).join(", ")
      }}`,
  },
  {
    name: "a registry that is not there",
    step: "pull",
    code: "REGISTRY_UNAVAILABLE",
    says: "connection refused",
    file: () => `services: {web: {image: "127.0.0.1:1/a:1"}}`,
  },
  {
    name: "case 46: a reference that is malformed",
    step: "pull",
    code: "COMPOSE_INVALID",
    says: "an image reference is malformed",
    file: () => `services: {web: {image: "Lab/BB:1"}}`,
  },
  {
    name: "an image that is not on the box when services start",
    step: "up",
    code: "IMAGE_NOT_FOUND",
    says: `"lab/none:1" is not on this box`,
    file: () => `services: {web: {image: "lab/none:1"}}`,
  },
  {
    name: "a port that a process holds",
    step: "up",
    code: "PORT_IN_USE",
    says: "published port 18097 is taken",
    file: () => one(`ports: ["${LOOPBACK}:18097:80"]`),
    obstacle: () => {
      const listener = Deno.listen({ hostname: LOOPBACK, port: 18097 });
      return Promise.resolve(() => Promise.resolve(listener.close()));
    },
  },
  {
    name: "a port that another container holds",
    step: "up",
    code: "PORT_IN_USE",
    says: "published port 18096 is taken",
    file: () =>
      `services: {a: {image: "lab/bb:1", ports: ["${LOOPBACK}:18096:80"]},
        b: {image: "lab/bb:1", depends_on: [a], ports: ["${LOOPBACK}:18096:80"]}}`,
  },
  {
    name: "case 30: an external network that is not there",
    step: "up",
    code: "NETWORK_MISSING",
    says: "-edge",
    file: (bench) =>
      `${one("networks: [edge]")}\nnetworks: {edge: {external: true, name: ${
        named(bench, "edge")
      }}}`,
  },
  {
    name: "case 30: an external volume that is not there",
    step: "up",
    code: "VOLUME_MISSING",
    says: "-data",
    file: (bench) =>
      `${one(`volumes: ["data:/d"]`)}\nvolumes: {data: {external: true, name: ${
        named(bench, "data")
      }}}`,
  },
  {
    name: "case 30: a network of the project's name that somebody else made",
    step: "up",
    code: "NAME_CONFLICT",
    says: "_default",
    file: () => one(""),
    obstacle: async (bench) => {
      const name = `${bench.project}_default`;
      const { socket } = bench.lab.docker;
      await dockerCall(socket, "POST", "/networks/create", {
        body: JSON.stringify({ Name: name }),
        headers: { "content-type": "application/json" },
      });
      return () => dockerCall(socket, "DELETE", `/networks/${name}`);
    },
  },
  {
    name: "a bind source that is not there",
    step: "up",
    code: "BIND_MISSING",
    says: `/nope" does not exist`,
    // Said outright: newer composes make the source when the entry has no `bind` at all.
    file: (bench) =>
      one(`volumes: [{type: bind, source: "${bench.dir}/nope", target: /x,
        bind: {create_host_path: false}}]`),
  },
  {
    name: "case 22: a one-shot that others wait for fails",
    step: "up",
    code: "UNHEALTHY",
    says: "exit 1",
    file: () =>
      `services:
  migrate: {image: "lab/bb:1", command: ["sh", "-c", "exit 1"]}
  web: {image: "lab/bb:1", depends_on: {migrate: {condition: service_completed_successfully}}}`,
  },
  {
    name: "a program that is not in the image",
    step: "up",
    code: "UP_FAILED",
    says: "/nope",
    file: () => one(`entrypoint: ["/nope"]`),
  },
  {
    name: "an Engine that is not there",
    step: "up",
    code: "DOCKER_UNAVAILABLE",
    says: "does not reach the Docker Engine",
    file: () => one(""),
    surroundings: { DOCKER_HOST: "unix:///nonexistent.sock" },
  },
  {
    name: "YAML that is none",
    step: "validate",
    code: "COMPOSE_INVALID",
    says: "line",
    file: () => "services:\n  web: {image: [\n  x: y: z\n",
  },
  {
    name: "a key that compose does not know",
    step: "validate",
    code: "COMPOSE_INVALID",
    says: `the key "imagee" of services.web is unknown to it`,
    file: () => `services: {web: {imagee: "lab/bb:1"}}`,
  },
  {
    name: "a required variable that is not set",
    step: "validate",
    code: "COMPOSE_INVALID",
    says: "the required variable TAG is not set",
    file: () => `services: {web: {image: "lab/bb:\${TAG:?top-secret}"}}`,
  },
  {
    name: "case 17: an .env that compose cannot read",
    step: "validate",
    code: "ENV_VALUE_INVALID",
    says: "the rendered .env: line",
    file: () => one(""),
    env: `A=1\nV="topsecretvalue\nB=2\n`,
  },
  {
    name: "case 17: a value that ends up where compose wants a port",
    step: "validate",
    code: "COMPOSE_INVALID",
    says: "docker compose refuses the files",
    file: () => one(`ports: ["\${V}:80"]`),
    env: `V="topsecretvalue"\n`,
  },
];

/** Runs the step, which must fail; gives the error. */
async function failureOf(
  bench: RealBench,
  row: Failing,
  target: ComposeTarget,
): Promise<AgentError> {
  const args = { validate: configArgs, pull: pullArgs, up: upArgs, down: upArgs }[row.step](target);
  const call = bench.call(args);
  const env = { ...call.env, ...row.surroundings };
  const outcome = await bench.compose.run({ ...call, env });
  assertEquals(outcome.code === 0, false, "compose ended with 0");
  const mask = (text: string): string => text;
  return classifyComposeFailure({ ...outcome, step: row.step, timeoutMs: 60_000, mask });
}

for (const row of FAILURES) {
  Deno.test(`compose (real) fails: ${row.name}`, async () => {
    await withBench(async (bench) => {
      const takeAway = await row.obstacle?.(bench);
      try {
        const target = await bench.release(row.file(bench), row.env);
        const error = await failureOf(bench, row, target);
        assertEquals([error.code, error.message.includes("topsecret")], [row.code, false]);
        assertStringIncludes(error.message, row.says);
      } finally {
        await takeAway?.();
      }
    });
  });
}
