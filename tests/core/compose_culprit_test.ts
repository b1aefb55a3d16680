import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { culpritOf } from "../../src/core/compose_culprit.ts";
import { imageOfCulprit, registryOf } from "../../src/core/compose_images.ts";

const DAEMON = "Error response from daemon: ";
const DOWN = `Get "https://h/v2/": dial tcp: lookup h: no such host`;

Deno.test("who failed is named only where compose's lines leave no doubt", () => {
  const table: readonly [string, readonly string[], string | null][] = [
    [
      "the first that says what the last line says; the others are cancelled in borrowed words",
      [" web Pulling ", " ok Pulling ", ` ok Error ${DOWN}`, ` web Error ${DOWN}`, DAEMON + DOWN],
      "ok",
    ],
    [
      "not one whose words are others",
      [" a Error Head: no basic auth credentials", ` b Error ${DOWN}`, DAEMON + DOWN],
      "b",
    ],
    ["newer composes say Image", [` Image h/a:1 Error ${DOWN}`, DAEMON + DOWN], "h/a:1"],
    [
      "the only container under way",
      [
        " Container p-db-1  Creating",
        " Container p-db-1  Created",
        " Container p-web-1  Starting",
        `${DAEMON}no such program`,
      ],
      "p-web-1",
    ],
    [
      "of two under way, neither",
      [" Container p-a-1  Starting", " Container p-b-1  Starting", `${DAEMON}no such program`],
      null,
    ],
    ["nothing but the last line", [`${DAEMON}no such program`], null],
    ["nothing at all", [], null],
  ];
  for (const [what, lines, expected] of table) assertEquals(culpritOf(lines), expected, what);
});

Deno.test("any lines give a name without white space, or none", () => {
  const line = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(" a Error x", "Container b  Starting", "Container b  Started", "x"),
  );
  fc.assert(fc.property(fc.array(line), (lines) => {
    const name = culpritOf(lines);
    assertEquals(name === null || /^\S+$/.test(name), true);
  }));
});

Deno.test("the image at fault is that of the service, container or image which compose named", () => {
  const images = new Map([["web", "h:5/a:1"], ["my-web", "h:5/b:2"], ["db", "c"]]);
  const one = new Map([["web", "h:5/a:1"]]);
  const table: readonly [string | null, "pull" | "up", typeof images, string | null][] = [
    ["web", "pull", images, "h:5/a:1"],
    ["h:5/b:2", "pull", images, "h:5/b:2"],
    ["p-web-1", "up", images, "h:5/a:1"],
    ["p-my-web-1", "up", images, "h:5/b:2"],
    ["p-other-1", "up", images, null],
    [null, "pull", images, null],
    [null, "pull", one, "h:5/a:1"],
    [null, "up", one, null],
    ["web", "pull", new Map(), null],
  ];
  for (const [name, step, known, expected] of table) {
    assertEquals(imageOfCulprit(name, { step, images: known }), expected, `${name} in ${step}`);
  }
});

Deno.test("a reference's registry is its first part when that is a host", () => {
  const table = [
    ["registry.example.org/a/b:1", "registry.example.org"],
    ["h:5000/a", "h:5000"],
    ["localhost/a", "localhost"],
    ["library/redis:7", "docker.io"],
    ["redis:7", "docker.io"],
  ] as const;
  for (const [reference, host] of table) assertEquals(registryOf(reference), host, reference);
});
