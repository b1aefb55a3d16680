/**
 * SPEC §13: a canary is found in no log, report, state, argument or environment of any run, only in
 * `.env` (0600) and in the container. A whole life of a box is lived with marked values, its failures
 * included, and after each scene everything that anybody could look at is searched.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AgentRun } from "../../scripts/box/run.ts";
import type { Box } from "../../scripts/box/box.ts";
import { dockerCall, importImage, pushImage, removeImage } from "../../scripts/lab/mod.ts";
import type { BundleFiles, Published } from "../../scripts/tenancy/mod.ts";
import { onBox } from "../support/boxes.ts";
import { LONG_RUNNING } from "../support/bundles.ts";
import { type Canary, canary, givenCanary, needles } from "../support/canary.ts";
import {
  boxFiles,
  enginePlaces,
  type Place,
  runPlaces,
  tenancyPlaces,
  watchProcesses,
} from "../support/places.ts";
import { untilStep } from "../support/until_step.ts";

/** Tokens are as secret as values, and known by their shape. */
const TOKEN = /(?<![A-Za-z0-9])s\.[A-Za-z0-9]{24,}(?![A-Za-z0-9])/;
const GRANT = /eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{40,}/;

const SECRETS = {
  QUOTED: canary(`@$@"@'@\\@ @#@`),
  LINES: canary("-----BEGIN KEY-----\n@\n@\n-----END KEY-----\n"),
  JSON_TEXT: canary(`{"user":"@","url":"https://u:@@db/x?a=@&b=<@>"}`),
  WORLD: canary("ßä@漢字@😀\r\n@\t@"),
} as const;

const ENTRIES = [
  ...Object.keys(SECRETS).map((name) => ({ var: name, path: "all", key: name })),
  { var: "REGISTRY_USER", path: "registry", key: "username" },
  { var: "REGISTRY_PASSWORD", path: "registry", key: "password" },
];

/** Prints what it has in every way that authors of images have thought of. */
const TALKATIVE = 'echo "$$QUOTED"; echo "$$LINES" >&2; set -x; : "$$QUOTED" "$$JSON_TEXT"; ' +
  'set +x; env; env | base64; printf %s "$$WORLD" | base64 -w 0; exit 3';

interface Release {
  readonly web?: string;
  /** More services, and keys of them. */
  readonly more?: string;
  readonly template?: string;
}

function bundle(image: string, host: string, release: Release): BundleFiles {
  const names = Object.keys(SECRETS).map((name) => `\n      - ${name}`).join("");
  return {
    "docker-compose.yml": `services:
  web:
    image: ${image}
    ${LONG_RUNNING}
    environment:
      - REVISION=${release.web ?? "1"}${names}
${release.more ?? ""}`,
    ".env.template": release.template ?? "JOINED=user:${QUOTED}@host\n",
    "manifest.json": JSON.stringify({
      entries: ENTRIES,
      registries: [{
        host,
        username_var: "REGISTRY_USER",
        password_var: "REGISTRY_PASSWORD",
      }],
    }),
  };
}

/** One box, what it must not show, and where that is looked for. */
class Watch {
  readonly #box: Box;
  readonly #canaries: Canary[];
  searched = 0;

  constructor(box: Box, canaries: readonly Canary[]) {
    this.#box = box;
    this.#canaries = [...canaries];
  }

  /** Runs a tick and watches every process of it; `meanwhile` may end it early. */
  async tick(
    scene: string,
    code: number,
    { args = [], meanwhile }: {
      readonly args?: readonly string[];
      readonly meanwhile?: (agent: { kill(signal: Deno.Signal): void }) => Promise<void>;
    } = {},
  ): Promise<AgentRun> {
    const agent = await this.#box.start(["tick", "--now", "--log-level", "debug", ...args]);
    const [{ run, places }] = await Promise.all([watchProcesses(scene, agent), meanwhile?.(agent)]);
    assertEquals(run.code, code, `${scene}: ${this.hide(run.stderr)}`);
    await this.search([...runPlaces(scene, run), ...places]);
    return run;
  }

  /** Searches the given places and everything that lies about. */
  async search(given: readonly Place[]): Promise<void> {
    const box = this.#box;
    const files = await boxFiles(box.dir);
    const holders = files.filter(({ where }) => where.endsWith("/.env"));
    for (const { where, mode } of holders) assertEquals(mode, 0o600, where);
    const tokenHolders = /\/(session\.json|bootstrap\.jwt)$/;
    const places = [
      ...given,
      ...files.filter((file) => !holders.includes(file)),
      ...tenancyPlaces(box),
      ...await enginePlaces(box),
    ];
    const forms = needles(this.#canaries);
    const found = places.filter(({ where, text }) => {
      const oneLine = joined(text);
      return forms.some((form) => text.includes(form) || oneLine.includes(form)) ||
        !tokenHolders.test(where) && (TOKEN.test(text) || GRANT.test(text));
    });
    this.searched += places.length;
    assertEquals(found.map(({ where }) => where), [], "a secret was found there");
  }

  /** A failing test must not be the leak. */
  hide(text: string): string {
    return this.#canaries.flatMap(({ markers }) => markers)
      .reduce((shown, marker) => shown.replaceAll(marker, "[canary]"), text);
  }
}

/** Gives a text without its line ends, also as JSON writes them: `base64` wraps what it prints. */
function joined(text: string): string {
  return text.replaceAll(/\\r|\\n|[\r\n]/g, "");
}

/** Pushes an image that only the registry's account may pull; gives its reference. */
async function privateImage(box: Box): Promise<string> {
  const name = `lab/canary-${crypto.randomUUID().slice(0, 8)}:1`;
  await importImage(box.lab, name, {});
  const reference = await pushImage(box.lab, name);
  await removeImage(box.lab, reference);
  await removeImage(box.lab, name);
  return reference;
}

Deno.test("a whole life leaves its secrets in .env and in the containers, and nowhere else", async (t) => {
  await onBox(async (box) => {
    const { address, username, password } = box.lab.registry;
    const values = Object.fromEntries(
      Object.entries(SECRETS).map(([name, { value }]) => [name, value]),
    );
    await box.secret("all", values);
    await box.secret("registry", { username, password });
    await box.reveal();
    const watch = new Watch(box, [...Object.values(SECRETS), givenCanary(password)]);
    const image = await privateImage(box);
    const publish = (release: Release): Promise<Published> =>
      box.tenancy.publish(box.env, bundle(image, address, release));
    const last = (): string => JSON.stringify(box.tenancy.record.reports.at(-1) ?? {});

    await t.step("first deploy, with a private image", async () => {
      await publish({});
      await watch.tick("first deploy", 0);
    });
    await t.step("the container has every value, byte for byte", async () => {
      const [web] = await box.containers();
      assert(web !== undefined);
      const text = new TextDecoder().decode(
        await Deno.readFile(`/proc/${await pidOf(box, web.Id)}/environ`),
      );
      for (const [name, value] of Object.entries(values)) {
        assert(text.split("\0").includes(`${name}=${value}`), `${name} differs in the container`);
      }
    });
    await t.step("a new version of the secrets and a new release", async () => {
      await box.secret("all", values);
      await publish({ web: "2" });
      await watch.tick("new release", 0, { args: ["--log-format", "json"] });
    });
    await t.step("an unhealthy service that prints its secrets", async () => {
      const more = `  talks:
    image: ${image}
    command: ["sh", "-c", ${JSON.stringify(TALKATIVE)}]
    environment:\n${Object.keys(SECRETS).map((name) => `      - ${name}`).join("\n")}\n`;
      await publish({ web: "2", more });
      await watch.tick("unhealthy", 1);
      assertStringIncludes(last(), "UNHEALTHY");
      assertStringIncludes(last(), "[redacted]");
    });
    const broken: Readonly<Record<string, Release>> = {
      "a port": { more: `  bad:\n    image: ${image}\n    ports: ["\${QUOTED}:80"]\n` },
      "a memory limit": { more: `  bad:\n    image: ${image}\n    mem_limit: "\${LINES}"\n` },
      "an image": { more: '  bad:\n    image: "${JSON_TEXT}"\n' },
      "a name": { more: `  bad:\n    image: ${image}\n    container_name: "\${WORLD}"\n` },
      "a template that no shell can read": { template: 'A="x${QUOTED}\nB=${LINES\n' },
    };
    for (const [what, release] of Object.entries(broken)) {
      await t.step(`compose stumbles over a secret used as ${what}`, async () => {
        await publish(release);
        await watch.tick(what, 1);
      });
    }
    await t.step("OpenBao cut off in the middle of the secrets", async () => {
      await publish({ web: "3" });
      box.paths.bao.faults.cutDownAfter = 3_000;
      await watch.tick("outage", 75);
      await box.paths.bao.heal();
    });
    await t.step("SIGTERM, then kill -9, in the middle of compose", async () => {
      for (const [signal, code] of [["SIGTERM", 75], ["SIGKILL", 137]] as const) {
        const { sha } = await publish({ web: `killed by ${signal}` });
        await watch.tick(signal, code, {
          meanwhile: async (agent) => {
            await untilStep(box, sha, "up");
            agent.kill(signal);
          },
        });
      }
      await watch.tick("after the kill", 0);
    });
    await t.step("absent", async () => {
      await box.tenancy.setAbsent(box.env);
      await watch.tick("absent", 0);
      assertEquals(await box.containers(), []);
      const left = (await boxFiles(box.dir)).filter(({ where }) => where.endsWith("/.env"));
      assertEquals(left.map(({ where }) => where), [], "a retired box keeps its secrets");
    });
    await t.step("the environments that programs were started with were looked at", async () => {
      const text = await Deno.readTextFile(box.environmentLog);
      assertStringIncludes(text, "DOCKER_");
      assertEquals(box.tenancy.record.violations, []);
      console.log(
        `    ${watch.searched} places searched for ${
          needles([...Object.values(SECRETS)]).length
        } forms`,
      );
    });
  }, { logEnvironment: true });
});

async function pidOf(box: Box, id: string): Promise<number> {
  const text = await dockerCall(box.lab.docker.socket, "GET", `/containers/${id}/json`);
  return (JSON.parse(text) as { State: { Pid: number } }).State.Pid;
}
