import { assertEquals } from "@std/assert";
import type { ModelFacts, PathFact } from "../../../src/core/policy/model_facts.ts";
import { pathsToLookAt } from "../../../src/core/policy/paths.ts";
import { bind, factsOf, judged, ROOT, web } from "./resolved.ts";

const policy = (bindAllow: readonly string[]): Pick<ModelFacts, "policy"> => ({
  policy: { bindAllow, registries: [], requireDigest: false, allow: [] },
});

interface Row {
  readonly name: string;
  readonly source: string;
  readonly allow?: readonly string[];
  /** What the engine saw; by default a file that is no link. */
  readonly seen?: PathFact;
  readonly reads?: readonly string[];
  readonly readOnly?: boolean;
  readonly createHostPath?: boolean;
  readonly findings: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: "a folder of the box", source: "/etc", findings: ["bind:/etc"] },
  {
    name: "the whole box",
    source: "/",
    findings: ["docker_socket", "docker_data_root", "bind:/"],
  },
  {
    name: "the whole box, spelt oddly",
    source: "/etc/..//.",
    findings: ["docker_socket", "docker_data_root", "bind:/"],
  },
  { name: "a relative path", source: "etc", findings: ["bind:etc"] },
  { name: "the socket", source: "/var/run/docker.sock", findings: ["docker_socket"] },
  { name: "the socket by its other name", source: "/run/docker.sock", findings: ["docker_socket"] },
  { name: "the socket's folder", source: "/run", findings: ["docker_socket", "bind:/run"] },
  {
    name: "the socket's folder, though binds below /run are allowed",
    source: "/run",
    allow: ["/run"],
    findings: ["docker_socket"],
  },
  {
    name: "a link to the socket below an allowed folder",
    source: "/srv/s",
    allow: ["/srv"],
    seen: { real: "/run/docker.sock", kind: "hidden" },
    findings: ["bind:/srv/s"],
  },
  {
    name: "a link to the socket's folder between two allowed folders",
    source: "/srv/s",
    allow: ["/srv", "/run"],
    seen: { real: "/run", kind: "directory" },
    findings: ["docker_socket"],
  },
  {
    name: "the Engine's own folder below an allowed one",
    source: "/var/lib/docker/volumes",
    allow: ["/var/lib"],
    findings: ["docker_data_root"],
  },
  { name: "deploy_dir itself", source: "/d", findings: ["bind:/d"] },
  { name: "all releases", source: "/d/releases", findings: ["bind:/d/releases"] },
  {
    name: "another release's .env",
    source: "/d/releases/old/.env",
    findings: ["bind:/d/releases/old/.env"],
  },
  { name: "the mark of the current release", source: "/d/current", findings: ["bind:/d/current"] },
  { name: "the release's .env", source: `${ROOT}/.env`, findings: [`bind_missing:${ROOT}/.env`] },
  {
    name: "the agent's folder in the release",
    source: `${ROOT}/.monky/override.yml`,
    findings: [`bind_missing:${ROOT}/.monky/override.yml`],
  },
  { name: "case 37: a folder above the bundle", source: "/d/x", findings: ["bind_missing:/d/x"] },
  { name: "a neighbour by its beginning", source: "/data", findings: ["bind:/data"] },
  { name: "a file of the bundle", source: `${ROOT}/conf/a`, findings: [] },
  { name: "the same by the stable folder's name", source: "/d/project/conf/a", findings: [] },
  { name: "the bundle as a whole", source: ROOT, findings: [] },
  {
    name: "a file that the bundle does not bring",
    source: `${ROOT}/absent`,
    findings: ["bind_missing:absent"],
  },
  {
    name: "a link that a container planted in the bundle's folder",
    source: `${ROOT}/conf`,
    seen: { real: "/etc", kind: "hidden" },
    findings: [`bind:${ROOT}/conf`],
  },
  {
    name: "a link to the agent's own files",
    source: `${ROOT}/conf`,
    seen: { real: "/d/releases/old", kind: "directory" },
    findings: [`bind:${ROOT}/conf`],
  },
  { name: "an allowed folder", source: "/srv/monky", allow: ["/srv/monky"], findings: [] },
  {
    name: "below an allowed folder",
    source: "/srv/monky/a/b",
    allow: ["/srv/monky"],
    findings: [],
  },
  {
    name: "beside an allowed folder",
    source: "/srv/monky2",
    allow: ["/srv/monky"],
    findings: ["bind:/srv/monky2"],
  },
  {
    name: "above an allowed folder",
    source: "/srv",
    allow: ["/srv/monky"],
    findings: ["bind:/srv"],
  },
  {
    name: "an allowed folder that docker will make",
    source: "/srv/absent",
    allow: ["/srv"],
    findings: [],
  },
  {
    name: "an allowed path that is not there and that docker will not make",
    source: "/srv/absent",
    allow: ["/srv"],
    createHostPath: false,
    findings: ["bind_missing:/srv/absent"],
  },
  {
    name: "a link from an allowed folder out of it",
    source: "/srv/a",
    allow: ["/srv"],
    seen: { real: "/etc/passwd", kind: "hidden" },
    findings: ["bind:/srv/a"],
  },
  {
    name: "a link from one allowed folder to another",
    source: "/srv/a",
    allow: ["/srv", "/data"],
    seen: { real: "/data/a", kind: "directory" },
    findings: [],
  },
  {
    name: "a folder that compose reads from, writable",
    source: `${ROOT}/sub`,
    reads: ["sub/a.yml"],
    findings: ["writable:sub"],
  },
  {
    name: "the whole bundle, writable, when compose reads something of it",
    source: ROOT,
    reads: ["a.env"],
    findings: ["writable:."],
  },
  {
    name: "the same, read-only",
    source: ROOT,
    reads: ["a.env"],
    readOnly: true,
    findings: [],
  },
  {
    name: "a neighbour of what compose reads",
    source: `${ROOT}/su`,
    reads: ["sub/a"],
    findings: [],
  },
];

for (const row of ROWS) {
  const { name, source, findings } = row;
  Deno.test(`bind of ${name}: ${findings.join(", ") || "allowed"}`, () => {
    const options = { create_host_path: row.createHostPath ?? true };
    const model = web({
      volumes: [bind(source, { bind: options, read_only: row.readOnly ?? false })],
    });
    const change = { ...policy(row.allow ?? []), reads: row.reads ?? [] };
    const looked = pathsToLookAt(model, factsOf(model, change));
    const paths = row.seen === undefined ? {} : {
      paths: new Map(looked.map((path) => [path, row.seen as PathFact])),
    };
    assertEquals(judged(model, { ...change, ...paths }), findings);
  });
}

Deno.test("a path that was not looked at is denied", () => {
  const model = web({ volumes: [bind("/srv/a"), bind(`${ROOT}/a`)] });
  assertEquals(
    judged(model, { ...policy(["/srv"]), paths: new Map() }),
    ["bind:/srv/a", `bind:${ROOT}/a`],
  );
});

Deno.test("only paths that may be bound are looked at, the bundle's where they are before up", () => {
  const model = web(
    { volumes: [bind("/etc"), bind("/srv/x"), bind("/d/project/a"), bind("/d/releases")] },
    {
      volumes: { v: { driver_opts: { o: "bind", device: "/srv/v" } } },
      secrets: { s: { file: `${ROOT}/s` } },
    },
  );
  assertEquals(pathsToLookAt(model, factsOf(model, policy(["/srv"]))), [
    `${ROOT}/a`,
    `${ROOT}/s`,
    "/srv/v",
    "/srv/x",
  ]);
});
