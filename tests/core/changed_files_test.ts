import { assertEquals, assertNotEquals } from "@std/assert";
import {
  listMountedContent,
  type MountFacts,
  renderLabelOverride,
} from "../../src/core/changed_files.ts";
import type { Mount } from "../../src/model/compose_model.ts";
import { model, service } from "../fakes/docker_values.ts";

function bind(source: string): Mount {
  return { type: "bind", source, target: "/t", readOnly: true, createHostPath: true };
}

const FACTS: MountFacts = {
  model: model([
    service({ name: "dir", mounts: [bind("/d/conf")] }),
    service({ name: "file", mounts: [bind("/d/conf/a.conf")] }),
    service({ name: "host", mounts: [bind("/etc/ssl"), bind("/d2/conf"), bind("/d/con")] }),
    service({ name: "inline", configs: ["inline"] }),
    service({ name: "none" }),
    service({ name: "s-env", secrets: ["pw"] }),
    service({ name: "s-file", secrets: ["key"] }),
    service({
      name: "volume",
      mounts: [{ ...bind("conf"), type: "volume" }],
    }),
    service({ name: "whole", mounts: [bind("/d/")] }),
  ], {
    configs: [{ key: "inline", source: { kind: "content", text: "pw=resolved-secret" } }],
    secrets: [
      { key: "key", source: { kind: "file", path: "/d/tls/key.pem" } },
      { key: "out", source: { kind: "external", name: "out" } },
      { key: "pw", source: { kind: "environment", variable: "DSN" } },
    ],
  }),
  projectDir: "/d",
  files: new Map([
    ["conf/a.conf", "sha-a"],
    ["conf/sub/b.conf", "sha-b"],
    ["docker-compose.yml", "sha-c"],
    ["tls/key.pem", "sha-k"],
  ]),
  variables: new Map([
    ["DSN", { text: "postgres://u:${PW}@db", secrets: [{ var: "PW", version: 3 }] }],
    ["LEV", { text: "not mentioned", secrets: [] }],
    ["LEVEL", { text: "debug", secrets: [] }],
    ["PW", { text: "", secrets: [{ var: "PW", version: 3 }] }],
  ]),
  contents: new Map([["inline", "pw=${PW:-none} $LEVEL $$ $LEVELS"]]),
};

Deno.test("each service lists exactly the files and versions that reach it", () => {
  assertEquals(Object.fromEntries(listMountedContent(FACTS)), {
    dir: 'file "conf/a.conf" sha-a\nfile "conf/sub/b.conf" sha-b\n',
    file: 'file "conf/a.conf" sha-a\n',
    inline: [
      'content "inline" "pw=${PW:-none} $LEVEL $$ $LEVELS"',
      "secret PW 3",
      'variable LEVEL "debug"',
      'variable PW ""',
      "",
    ].join("\n"),
    "s-env": 'secret PW 3\nvariable DSN "postgres://u:${PW}@db"\n',
    "s-file": 'file "tls/key.pem" sha-k\n',
    whole: [
      'file "conf/a.conf" sha-a',
      'file "conf/sub/b.conf" sha-b',
      'file "docker-compose.yml" sha-c',
      'file "tls/key.pem" sha-k',
      "",
    ].join("\n"),
  });
});

Deno.test("no listing is made from a resolved value", () => {
  for (const text of listMountedContent(FACTS).values()) {
    assertEquals(text.includes("resolved-secret"), false);
  }
});

/** The services whose listing differs between the facts and the changed ones. */
function changed(change: Partial<MountFacts>): readonly string[] {
  const before = listMountedContent(FACTS);
  const after = listMountedContent({ ...FACTS, ...change });
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name)).sort();
}

Deno.test("case 35: a changed file recreates those that mount it, and nothing else", () => {
  const withFile = (path: string): Partial<MountFacts> => ({
    files: new Map([...FACTS.files, [path, "new"]]),
  });
  assertEquals(changed(withFile("conf/a.conf")), ["dir", "file", "whole"]);
  assertEquals(changed(withFile("conf/sub/new.conf")), ["dir", "whole"]);
  assertEquals(changed(withFile("tls/key.pem")), ["s-file", "whole"]);
  assertEquals(changed(withFile("docker-compose.yml")), ["whole"]);
  assertEquals(changed({}), []);
});

Deno.test("case 35: changed inline content recreates its service", () => {
  assertEquals(changed({ contents: new Map([["inline", "v2"]]) }), ["inline"]);
});

Deno.test("a new version of a secret recreates those that compose would leave with the old one", () => {
  const secrets = [{ var: "PW", version: 4 }];
  const variables = new Map(
    [
      ...FACTS.variables,
      ["DSN", { text: "postgres://u:${PW}@db", secrets }],
      ["PW", { text: "", secrets }],
    ] as const,
  );
  assertEquals(changed({ variables }), ["inline", "s-env"]);
  const level = new Map([...FACTS.variables, ["LEVEL", { text: "info", secrets: [] }]] as const);
  assertEquals(changed({ variables: level }), ["inline"]);
});

Deno.test("inline content of unknown origin depends on everything", () => {
  const facts = { ...FACTS, contents: new Map() };
  const listing = listMountedContent(facts).get("inline") ?? "";
  for (const part of ["sha-c", "secret PW 3", "variable LEVEL"]) {
    assertEquals(listing.includes(part), true, part);
  }
});

Deno.test("a file cannot be named so that two listings look alike", () => {
  const one = { ...FACTS, files: new Map([["conf/a x", "b"]]) };
  const two = { ...FACTS, files: new Map([["conf/a", "x b"]]) };
  assertNotEquals(listMountedContent(one).get("dir"), listMountedContent(two).get("dir"));
});

Deno.test("the override labels the services in order, and is absent when there is none to label", () => {
  assertEquals(renderLabelOverride(new Map()), null);
  const text = renderLabelOverride(new Map([["web", "h2"], ["db", "h1"]])) ?? "";
  assertEquals(JSON.parse(text), {
    services: {
      db: { labels: { "dev.monky.files": "h1" } },
      web: { labels: { "dev.monky.files": "h2" } },
    },
  });
  assertEquals(renderLabelOverride(new Map([["db", "h1"], ["web", "h2"]])), text);
});
