// Secrets through the real docker compose and real containers: what OpenBao holds is what arrives.

import { assert, assertEquals } from "@std/assert";
import { encodeVariables } from "../../src/core/render/env_encode.ts";
import { environmentOf, resolve } from "../../scripts/fuzz/compose_reader.ts";
import { chance } from "../../scripts/fuzz/random.ts";
import { makeValue } from "../../scripts/fuzz/values.ts";
import { dockerCall, type LabInfo, readLab } from "../../scripts/lab/mod.ts";

const lab = await readLab();

/** Values in all, and in one file. */
const VALUES = 20_000;
const PER_FILE = 2_000;
const IN_CONTAINER = 300;

function realTest(name: string, run: (lab: LabInfo, dir: string) => Promise<void>): void {
  Deno.test({
    name: `${name}${lab === null ? " (needs the lab)" : ""}`,
    ignore: lab === null,
    fn: async () => {
      assert(lab !== null);
      const dir = await Deno.makeTempDir({ prefix: "monky-roundtrip-" });
      try {
        await run(lab, dir);
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
    },
  });
}

function makeVariables(count: number, seed: number): Map<string, string> {
  const source = chance(seed);
  return new Map(Array.from({ length: count }, (_, index) => [`V${index}`, makeValue(source)]));
}

/**
 * Writes `r.env` as the agent would, and `c.yml` with three services that take the variables in the
 * three ways there are: filled in, passed on, from the file.
 */
async function writeProject(
  dir: string,
  variables: ReadonlyMap<string, string>,
  service: Readonly<Record<string, unknown>>,
): Promise<void> {
  // The encoder's lines alone: the limit of a whole environment is not what is tested here.
  const parts = [...variables].map((variable) => encodeVariables(new Map([variable])));
  await Deno.writeTextFile(`${dir}/r.env`, parts.join(""));
  const names = [...variables.keys()];
  const filledIn = Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
  const services = {
    filled: { ...service, environment: filledIn },
    passed: { ...service, environment: names },
    file: { ...service, env_file: ["r.env"] },
  };
  await Deno.writeTextFile(`${dir}/c.yml`, JSON.stringify({ services }));
}

const WAYS = ["filled", "passed", "file"] as const;

realTest(`compose reads back ${VALUES} random secrets exactly, in three ways`, async (lab, dir) => {
  for (let at = 0; at < VALUES; at += PER_FILE) {
    const variables = makeVariables(PER_FILE, at + 1);
    await writeProject(dir, variables, { image: "x" });
    const model = await resolve(["--env-file", `${dir}/r.env`], {
      plugin: lab.compose.plugin,
      dir,
    });
    for (const way of WAYS) {
      const got = environmentOf(model, way);
      assertEquals(Object.keys(got).length, PER_FILE);
      for (const [name, value] of variables) {
        assert(got[name] === value, `${way}, seed ${at + 1}, ${name}: ${JSON.stringify(value)}`);
      }
    }
  }
});

realTest(
  `a container's environment holds ${IN_CONTAINER} random secrets exactly`,
  async (lab, dir) => {
    const project = `roundtrip-${crypto.randomUUID().slice(0, 8)}`;
    const variables = makeVariables(IN_CONTAINER, 7);
    await writeProject(dir, variables, {
      image: lab.image,
      network_mode: "none",
      restart: "no",
      // In base64, since the Engine's log cuts long lines wherever it likes.
      command: ["busybox", "base64", "/proc/self/environ"],
    });
    const compose = async (...args: readonly string[]): Promise<void> => {
      const { code, stderr } = await new Deno.Command(lab.compose.plugin, {
        args: ["-p", project, "-f", `${dir}/c.yml`, "--env-file", `${dir}/r.env`, ...args],
        clearEnv: true,
        env: { PATH: "/usr/bin:/bin", HOME: dir, DOCKER_HOST: lab.docker.host },
      }).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr).slice(-300));
    };
    try {
      await compose("up", "-d");
      for (const way of WAYS) {
        const got = await environmentInside(lab.docker.socket, `${project}-${way}-1`);
        for (const [name, value] of variables) {
          assert(got.get(name) === value, `${way}, ${name}: ${JSON.stringify(value)}`);
        }
      }
    } finally {
      await compose("down", "-t", "1", "--volumes");
    }
  },
);

/** Waits for the container's end, gives the environment that it printed. */
async function environmentInside(socket: string, container: string): Promise<Map<string, string>> {
  await dockerCall(socket, "POST", `/containers/${container}/wait`);
  const logs = await dockerCall(socket, "GET", `/containers/${container}/logs?stdout=1`);
  // Each frame has 8 bytes in front: the stream, three zeros, the length.
  const text = logs.split("\x01\0\0\0").map((frame) => frame.slice(4).trim()).join("");
  const environ = new TextDecoder().decode(Uint8Array.fromBase64(text));
  return new Map(
    environ.split("\0").map((line) => {
      const equals = line.indexOf("=");
      return [line.slice(0, equals), line.slice(equals + 1)];
    }),
  );
}

realTest(
  "case 11: only an environment that starts empty lets the rendered file win",
  async (lab, dir) => {
    const folder = new URL("../cases/11-host-env-beats-env-file/", import.meta.url);
    await Deno.copyFile(new URL("docker-compose.yml", folder), `${dir}/c.yml`);
    await Deno.copyFile(new URL("env.rendered", folder), `${dir}/r.env`);
    const read = async (env: Record<string, string>): Promise<string | undefined> => {
      const options = { plugin: lab.compose.plugin, dir, env };
      return environmentOf(await resolve(["--env-file", `${dir}/r.env`], options), "a")["V"];
    };
    assertEquals(await read({}), "from_file");
    // What the agent's own environment would do to it, were it handed on: even empty, it wins.
    assertEquals(await read({ V: "host" }), "host");
    assertEquals(await read({ V: "" }), "");
  },
);
