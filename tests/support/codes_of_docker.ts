/** Codes of the Docker Engine, compose and the registry, on a box where a release runs. */

import { BASE_IMAGE, dockerCall, pushImage, removeImage } from "../../scripts/lab/mod.ts";
import type { Box } from "../../scripts/box/box.ts";
import { configured, writePrinter } from "./broken_boxes.ts";
import { bundle } from "./broken_releases.ts";
import { webBundle } from "./bundles.ts";
import { type CodeScenario, composeThat, configuredTo, tickAfter } from "./codes_by_run.ts";

async function publish(box: Box): Promise<void> {
  await box.tenancy.publish(box.env, webBundle({ revision: crypto.randomUUID() }));
}

/** Each on a box that runs a release of `webBundle`. */
export const CODES_OF_DOCKER: readonly CodeScenario[] = [
  tickAfter("DOCKER_TOO_OLD", "an Engine that compose finds too old", async (box) => {
    const said = "client version 1.44 is too new. Maximum supported API version is 1.40";
    await composeThat(box, `case " $* " in *" pull "*) echo "${said}" >&2; exit 1 ;; esac`);
    await box.tenancy.publish(box.env, bundle("image: lab/none:1"));
  }),
  tickAfter("DOCKER_BAD_ANSWER", "an Engine that answers in prose", async (box, later) => {
    const path = `${box.dir}/prose.sock`;
    const server = Deno.serve({ path, onListen: () => {} }, () => new Response("busy"));
    later(() => server.shutdown());
    await box.configure({ docker: { host: `unix://${path}` } });
    await publish(box);
  }),
  {
    code: "DOCKER_PERMISSION",
    when: "a socket of a group that the agent is not in",
    run: async (box) => {
      const path = `${box.dir}/closed.sock`;
      using _listener = Deno.listen({ transport: "unix", path });
      await Deno.chmod(path, 0);
      await box.configure({ docker: { host: `unix://${path}` } });
      await publish(box);
      if (Deno.uid() !== 0) return await box.tick();
      await Deno.chown(path, 65534, 65534);
      const enter = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"];
      return await box.tick([], { enter });
    },
  },
  tickAfter("COMPOSE_MISSING", "no compose plugin", async (box) => {
    await box.configure({ docker: { compose: `${box.dir}/no-compose` } });
    await publish(box);
  }),
  tickAfter("COMPOSE_TOO_OLD", "an old compose plugin", async (box, later) => {
    const path = `${box.dir}/old-compose`;
    await writePrinter(path, "2.10.2");
    await configured(() => ({ docker: { compose: path } }))(box, later);
    await publish(box);
  }),
  tickAfter("SPAWN_FAILED", "a plugin that an upgrade is writing", async (box, later) => {
    const file = await Deno.open(`${box.dir}/docker-compose`, { append: true });
    later(() => Promise.resolve(file.close()));
    await publish(box);
  }),
  tickAfter("STEP_TIMEOUT", "a compose that hangs", async (box) => {
    await composeThat(box, `case " $* " in *" config "*) exec /bin/sleep 60 ;; esac`);
    const compose = `${box.dir}/docker-compose-that`;
    await box.configure({ docker: { compose }, timeouts: { validate_s: 1 } });
    await publish(box);
  }),
  tickAfter("PULL_FAILED", "a pull that ends in words nobody knows", async (box) => {
    await composeThat(box, `case " $* " in *" pull "*) echo "moon is full" >&2; exit 9 ;; esac`);
    await box.tenancy.publish(box.env, bundle("image: lab/none:1"));
  }),
  tickAfter("IMAGE_PLATFORM", "an image of another processor", async (box) => {
    const user = await box.secret("registry", {
      user: box.lab.registry.username,
      password: box.lab.registry.password,
    });
    const { address: host } = box.lab.registry;
    const entry = (name: string, key: string): object => ({
      var: name,
      path: "registry",
      key,
      version: user,
    });
    const manifest = JSON.stringify({
      entries: [entry("REG_USER", "user"), entry("REG_PASSWORD", "password")],
      registries: [{ host, username_var: "REG_USER", password_var: "REG_PASSWORD" }],
    });
    const image = await pushImage(box.lab, BASE_IMAGE, `lab/one-platform-${box.env}:1`);
    await removeImage(box.lab, image);
    const web = `image: ${image}\n    platform: linux/s390x`;
    await box.tenancy.publish(box.env, bundle(web, "", { "manifest.json": manifest }));
  }),
  tickAfter("NAME_CONFLICT", "a name that another container has", async (box, later) => {
    const name = `${box.env}-taken`;
    const { socket } = box.lab.docker;
    await dockerCall(socket, "POST", `/containers/create?name=${name}`, {
      body: JSON.stringify({ Image: "lab/bb:1" }),
      headers: { "content-type": "application/json" },
    });
    later(() => dockerCall(socket, "DELETE", `/containers/${name}?force=1`));
    const compose = `services: {other: {image: "lab/bb:1", container_name: ${name}}}\n`;
    await box.tenancy.publish(box.env, { "docker-compose.yml": compose });
  }),
  tickAfter(
    "DOCKER_UNAVAILABLE",
    "no socket where docker.host points",
    configuredTo({ docker: { host: "unix:///nonexistent/docker.sock" } }),
  ),
];

/** Takes the twenty seconds that the Engine is given, so it runs beside the others. */
export const SLOW_CODE_OF_DOCKER: CodeScenario = tickAfter(
  "DOCKER_TIMEOUT",
  "an Engine that takes requests and answers none",
  async (box) => {
    await publish(box);
    box.paths.docker.faults.silent = true;
  },
);
