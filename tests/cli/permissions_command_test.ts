/** `permissions` through the real entrypoint, as a launcher asks it: from any folder, in each format. */

import { assert, assertEquals } from "@std/assert";
import { launchFlags } from "../../scripts/agent/launch.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { permissionsOf, toFlags, toSystemd } from "../../src/core/permissions.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const TEXT = `env_id: env-qa-02
site: cbs
transport: system
state_dir: "/data/50% full"
bootstrap_file: /kit/b.jwt
metrics_textfile: /metrics/monky.prom
`;

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "permissions_" }));
  try {
    await Deno.mkdir(`${folder}/etc`);
    await Deno.writeTextFile(`${folder}/etc/config.yaml`, TEXT);
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function permissions(cwd: string, ...args: readonly string[]): Promise<string> {
  const argv = ["permissions", ...args];
  const read = (path: string): string | null => {
    try {
      return Deno.readTextFileSync(path);
    } catch {
      return null;
    }
  };
  const flags = launchFlags(argv, { folder: cwd, read });
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--config", `${ROOT}deno.json`, ...flags, `${ROOT}main.ts`, ...argv],
    cwd,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test("a relative --config stands absolute in what is printed, whatever the folder", async () => {
  await inFolder(async (folder) => {
    const configPath = `${folder}/etc/config.yaml`;
    const flags = toFlags(permissionsOf(parseConfig(TEXT).config, { configPath }), "package");
    const rows: readonly (readonly [string, string])[] = [
      [folder, "etc/config.yaml"],
      [folder, "./etc/../etc//config.yaml"],
      [`${folder}/etc`, "config.yaml"],
      [`${folder}/etc`, "../etc/config.yaml"],
      ["/", configPath],
    ];
    for (const [cwd, config] of rows) {
      const printed = await permissions(cwd, "--config", config);
      assertEquals(printed, `${flags.join("\n")}\n`, `${config} from ${cwd}`);
    }
  });
});

Deno.test("JSON and the systemd drop-in are of the same config", async () => {
  await inFolder(async (folder) => {
    const configPath = `${folder}/etc/config.yaml`;
    const { config } = parseConfig(TEXT);
    const json = await permissions(folder, "--config", "etc/config.yaml", "--format", "json");
    assertEquals(JSON.parse(json), permissionsOf(config, { configPath }));
    const unit = await permissions(folder, "--config", "etc/config.yaml", "--format=systemd");
    assertEquals(unit, toSystemd(config));
    assertEquals(unit.split("\n"), [
      "[Service]",
      'ReadWritePaths=-"/data/50%% full"',
      "ReadWritePaths=-/kit",
      "ReadWritePaths=-/metrics",
      "",
    ]);
  });
});

Deno.test("every path that is granted for writing is opened by the systemd drop-in, sockets aside", () => {
  const { config } = parseConfig(TEXT);
  const opened = toSystemd(config).split("\n").filter((line) => line.startsWith("ReadWrite"))
    .map((line) => line.replace(/^ReadWritePaths=-"?|"$/g, "").replaceAll("%%", "%"));
  const { write } = permissionsOf(config, { configPath: "/c" });
  for (const path of write.filter((each) => each !== config.docker.socket)) {
    assert(opened.some((folder) => path === folder || path.startsWith(`${folder}/`)), path);
  }
});
