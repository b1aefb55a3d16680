/** Compose files that are not read at all, since no two parsers read them alike or they are bombs. */

type Files = Readonly<Record<string, string>>;

const web = (line: string): string => `services:\n  web:\n    image: lab/bb:1\n    ${line}\n`;
const main = (text: string): Files => ({ "docker-compose.yml": text });
const service = (line: string): Files => main(web(line));

/** Name, files, and what COMPOSE_FILE_INVALID says of them. */
export const UNREADABLE: readonly (readonly [string, Files, RegExp])[] = [
  ["a key twice (case 28)", service("init: true\n    init: false"), /twice|valid YAML/],
  [
    "a comment that ends for compose alone (U+2028)",
    service("x-a: b # c\u2028    env_file: /etc/passwd"),
    /U\+2028/,
  ],
  ["the same with U+2029", service("x-a: b # c\u2029    env_file: /etc/passwd"), /U\+2029/],
  ["the same with NEL", service("x-a: b # c\u0085    env_file: /etc/passwd"), /U\+0085/],
  ["a byte order mark before a key", service("x-a: b\n\ufeff    env_file: /x"), /U\+FEFF/],
  ["base64", service("env_file: !!binary L2V0Yy9wYXNzd2Q="), /tag/],
  [
    "base64 under another tag",
    main(`%TAG !y! tag:yaml.org,2002:\n---\n${web("env_file: !y!binary L2V0Yy9wYXNzd2Q=")}`),
    /tag/,
  ],
  [
    "a merge key by its tag",
    main("x-a: &a {env_file: /x}\nservices: {w: {!!merge <<: *a}}\n"),
    /tag/,
  ],
  ["two merge keys", main("x-a: &a {init: true}\nservices: {w: {<<: *a, <<: *a}}\n"), /twice|YAML/],
  ["compose's own tags", service("env_file: !reset []"), /tag/],
  ["a value that overrides", service("env_file: !override [/etc/passwd]"), /tag/],
  ["two documents", main(`${web("init: true")}---\n${web("env_file: /x")}`), /more than one/],
  ["no document (case 28)", main(""), /not a map/],
  ["a page of HTML (case 28)", main("<html><body>502 Bad Gateway</body></html>"), /not a map/],
  ["a list", main("- a\n"), /not a map/],
  ["broken YAML", main("services: [\n"), /valid YAML/],
  [
    "an alias bomb",
    main(
      `a: &a [x,x,x,x,x,x,x,x,x]\n` +
        ["b", "c", "d", "e", "f", "g", "h"].map((key, index) => {
          const before = "abcdefg"[index];
          return `${key}: &${key} [${Array(9).fill(`*${before}`).join(",")}]\n`;
        }).join("") + web("init: true"),
    ),
    /beyond reason/,
  ],
  ["a list of 1,000 levels", main(`x: ${"[".repeat(1000)}${"]".repeat(1000)}\n`), /YAML|beyond/],
  ["a list of 100,000 levels", main(`x: ${"[".repeat(1e5)}${"]".repeat(1e5)}\n`), /YAML|beyond/],
  ["an anchor that holds itself", main(`x: &x [*x]\n${web("init: true")}`), /YAML|beyond/],
  [
    "an included file that is no YAML",
    { ...main("include: [a.yml]\n"), "a.yml": "x: [\n" },
    /^a\.yml is not valid YAML/,
  ],
  [
    "more includes than anybody follows",
    {
      ...main("include: [0.yml]\n"),
      ...Object.fromEntries(
        Array.from({ length: 200 }, (_, n) => [`${n}.yml`, `include: [${n + 1}.yml]\n`]),
      ),
    },
    /more than 100/,
  ],
];
