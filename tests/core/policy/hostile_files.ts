/**
 * Bundles whose own files are refused before compose sees them (first pass), and the names of all
 * their findings. Every line of it is something that `docker compose config` would read, run or
 * reach by itself (facts: docker §4).
 */

/** A bundle's files by path, and the findings. */
export interface HostileFiles {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly findings: readonly string[];
}

const web = (line: string): string => `services:\n  web:\n    image: lab/bb:1\n    ${line}\n`;
const main = (text: string): HostileFiles["files"] => ({ "docker-compose.yml": text });
const service = (line: string): HostileFiles["files"] => main(web(line));

/** The table. */
export const HOSTILE_FILES: readonly HostileFiles[] = [
  {
    name: "case 37: env_file that climbs to /etc/shadow",
    files: service(`env_file: ["../../../../etc/shadow"]`),
    findings: ["env_file:../../../../etc/shadow"],
  },
  {
    name: "case 37: an include from an OCI registry",
    files: main(`include: ["oci://registry.example/x:1"]\n${web("init: true")}`),
    findings: ["include:remote"],
  },
  {
    name: "case 37: a secret that is /etc/shadow",
    files: main(`${web("secrets: [s]")}secrets: {s: {file: /etc/shadow}}\n`),
    findings: ["secrets.file:/etc/shadow"],
  },
  {
    name: "case 37: extends of another project's file",
    files: service("extends: {file: ../../other/docker-compose.yml, service: x}"),
    findings: ["extends.file:../../other/docker-compose.yml"],
  },
  {
    name: "an absolute env_file",
    files: service("env_file: /etc/passwd"),
    findings: ["env_file:/etc/passwd"],
  },
  {
    name: "an env_file in the long form, optional or not",
    files: service("env_file: [{path: /etc/passwd, required: false}, {path: ../x}]"),
    findings: ["env_file:/etc/passwd", "env_file:../x"],
  },
  {
    name: "an env_file that a variable names",
    files: service('env_file: "${FILE:-a.env}"'),
    findings: ["env_file:${FILE:-a.env}"],
  },
  {
    name: "an env_file that the bundle does not bring",
    files: service("env_file: a.env"),
    findings: ["env_file:a.env"],
  },
  {
    name: "the rendered .env as an env_file that may be missing",
    files: service("env_file: [{path: ./.env, required: false}]"),
    findings: ["env_file:.env"],
  },
  {
    name: "the rendered .env as an env_file",
    files: service("env_file: .env"),
    findings: ["env_file:.env"],
  },
  {
    name: "an env_file of a home folder, which the bundle seems to bring",
    files: { ...service("env_file: ~/x.env"), "~/x.env": "A=1\n" },
    findings: ["env_file:~/x.env"],
  },
  {
    name: "an env_file of no known shape",
    files: service("env_file: [5, {format: raw}]"),
    findings: ["env_file:?"],
  },
  {
    name: "a label_file of the host",
    files: service("label_file: [/etc/passwd, ../labels]"),
    findings: ["label_file:/etc/passwd", "label_file:../labels"],
  },
  {
    name: "a config that is a file of the host",
    files: main(`${web("configs: [c]")}configs: {c: {file: ../../session.json}}\n`),
    findings: ["configs.file:../../session.json"],
  },
  {
    name: "a config file that a variable names",
    files: main(`${web("configs: [c]")}configs: {c: {file: "./\${FILE:-x}"}}\n`),
    findings: ["configs.file:./${FILE:-x}"],
  },
  {
    name: "a config file that the bundle does not bring",
    files: main(`${web("configs: [c]")}configs: {c: {file: ./nginx.conf}}\n`),
    findings: ["bind_missing:nginx.conf"],
  },
  {
    name: "an unused secret of the host",
    files: main(`${web("init: true")}secrets: {s: {file: /root/.ssh/id_ed25519}}\n`),
    findings: ["secrets.file:/root/.ssh/id_ed25519"],
  },
  {
    name: "a remote include over https, with a password that is not repeated",
    files: main(`include: ["https://u:pw@example.com/x.git"]\n${web("init: true")}`),
    findings: ["include:remote"],
  },
  {
    name: "a remote include over ssh",
    files: main(`include: ["git@127.0.0.1:a/b.git"]\n${web("init: true")}`),
    findings: ["include:remote"],
  },
  {
    name: "a remote include in the shortest form, which the bundle seems to bring",
    files: {
      ...main(`include: [github.com/a/b.git]\n${web("init: true")}`),
      "github.com/a/b.git": "services: {}\n",
    },
    findings: ["include:remote"],
  },
  {
    name: "the same without its ending",
    files: {
      ...main(`include: [github.com/a/b]\n${web("init: true")}`),
      "github.com/a/b": "services: {}\n",
    },
    findings: ["include:remote"],
  },
  {
    name: "an include in the long form with everything outside",
    files: main(
      `include: [{path: [/etc/a.yml, ../b.yml], project_directory: /srv, env_file: /etc/e}]\n` +
        web("init: true"),
    ),
    findings: [
      "include.env_file",
      "include.project_directory:/srv",
      "include:/etc/a.yml",
      "include:../b.yml",
    ],
  },
  {
    name: "an include that the bundle does not bring",
    files: main(`include: [more.yml]\n${web("init: true")}`),
    findings: ["include:more.yml"],
  },
  {
    name: "an include without a path",
    files: main(`include: [{project_directory: .}]\n${web("init: true")}`),
    findings: ["include:?"],
  },
  {
    name: "an included file that reads the host",
    files: {
      ...main("include: [sub/a.yml]\n"),
      "sub/a.yml": web("env_file: ../../x"),
    },
    findings: ["env_file:../../x"],
  },
  {
    name: "an included file of an included file that reads the host",
    files: {
      ...main("include: [a.yml]\n"),
      "a.yml": "include: [b.yml]\n",
      "b.yml": web("extends: {file: /x.yml, service: y}"),
    },
    findings: ["extends.file:/x.yml"],
  },
  {
    name: "an included file that is meant from another folder",
    files: {
      ...main("include: [{path: sub/a.yml, project_directory: .}]\n"),
      "sub/a.yml": web("env_file: ../one.env"),
      "one.env": "A=1\n",
    },
    findings: ["env_file:../one.env"],
  },
  {
    name: "an extended file that reads the host, in a service that nobody extends",
    files: {
      ...service("extends: {file: base.yml, service: a}"),
      "base.yml": "services: {a: {image: x}, b: {image: x, env_file: /etc/passwd}}\n",
    },
    findings: ["env_file:/etc/passwd"],
  },
  {
    name: "an extended file that is remote",
    files: service('extends: {file: "https://example.com/a.yml", service: a}'),
    findings: ["extends.file:remote"],
  },
  {
    name: "a service behind a profile",
    files: service("profiles: [off]\n    env_file: /etc/passwd"),
    findings: ["env_file:/etc/passwd"],
  },
  {
    name: "env_file by a merge key",
    files: main(`x-a: &a {env_file: /etc/passwd}\nservices: {web: {<<: *a, image: x}}\n`),
    findings: ["env_file:/etc/passwd"],
  },
  {
    name: "env_file by a list of merge keys, whichever wins",
    files: {
      ...main(
        `x-a: &a {env_file: ok.env}\nx-b: &b {env_file: /etc/passwd}\n` +
          `services: {web: {<<: [*a, *b], image: x}}\n`,
      ),
      "ok.env": "",
    },
    findings: ["env_file:/etc/passwd"],
  },
  {
    name: "a whole service by a merge key, and an include by another one",
    files: main(
      `x-s: &s {web: {image: x, env_file: /etc/passwd}}\nx-t: &t {include: [/y.yml]}\n` +
        `<<: *t\nservices: {<<: *s}\n`,
    ),
    findings: ["include:/y.yml", "env_file:/etc/passwd"],
  },
  {
    name: "keys and values with escapes",
    files: service(String.raw`"env\x5ffile": "\x2fetc/passwd"`),
    findings: ["env_file:/etc/passwd"],
  },
  {
    name: "keys of the long form of YAML",
    files: main("services:\n  web:\n    image: x\n    ? env_file\n    : - /etc/passwd\n"),
    findings: ["env_file:/etc/passwd"],
  },
  { name: "a build", files: service("build: ."), findings: ["build"] },
  {
    name: "a build from the network",
    files: service("build: {context: https://example.com/x.git}"),
    findings: ["build"],
  },
  {
    name: "a provider, which is a program of the host",
    files: service("provider: {type: /bin/sh}"),
    findings: ["provider"],
  },
  {
    name: "the Engine's socket as a service's own key",
    files: service("use_api_socket: true"),
    findings: ["use_api_socket"],
  },
  {
    name: "models",
    files: main(`${web("models: [m]")}models: {m: {model: ai/x}}\n`),
    findings: ["models", "models"],
  },
  {
    name: "develop",
    files: service("develop: {watch: [{action: sync, path: /, target: /x}]}"),
    findings: ["develop"],
  },
  {
    name: "a credential_spec",
    files: service("credential_spec: {file: /etc/passwd}"),
    findings: ["credential_spec"],
  },
  {
    name: "everything at once, with every finding",
    files: main(
      `include: ["oci://x/y"]\nservices:\n  a: {image: x, env_file: /a, build: .}\n` +
        `  b: {image: x, extends: {file: /b, service: x}}\n` +
        `configs: {c: {file: /c}}\nsecrets: {d: {file: /d}}\n`,
    ),
    findings: [
      "include:remote",
      "build",
      "env_file:/a",
      "extends.file:/b",
      "configs.file:/c",
      "secrets.file:/d",
    ],
  },
];
