import { assertEquals } from "@std/assert";
import { stringify } from "@std/yaml";
import fc from "fast-check";
import { parseConfig } from "../../src/config/parse.ts";
import { KEY_PATHS } from "../../src/config/schema.ts";
import { permissionsOf, toFlags, toSystemd } from "../../src/core/permissions.ts";
import { hasCode } from "../../src/errors.ts";

/** Runs the parser; a config must be whole, an error must be CONFIG_INVALID. */
function settles(text: string): void {
  try {
    const { config, sources, effective } = parseConfig(text);
    assertEquals([...sources.keys()].sort(), [...KEY_PATHS].sort());
    assertEquals([...effective.keys()], KEY_PATHS);
    for (const flag of toFlags(permissionsOf(config, { configPath: "/c" }), "source")) {
      assertEquals(/[\p{Cc}]|,,|=,|,$/u.test(flag), false, flag);
    }
    toSystemd(config);
  } catch (thrown) {
    if (!hasCode(thrown, "CONFIG_INVALID")) throw thrown;
    assertEquals(/[^\n\P{Cc}]/u.test(thrown.message), false, "a control character in the message");
  }
}

Deno.test("any text gives a config or CONFIG_INVALID", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.string({
      unit: fc.constantFrom(..."[]{}:,-#&*!|>'\"%@`?\n\t \\ab1~".split("")),
      maxLength: 80,
    }),
    fc.string({ maxLength: 60 }).map((tail) => `env_id: e\nsite: s\n${tail}`),
  );
  fc.assert(fc.property(text, settles), { numRuns: 3000 });
});

Deno.test("any tree of YAML values under known and unknown keys gives a config or CONFIG_INVALID", () => {
  const leaf = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(
      "/a/b",
      "unix:///s",
      "https://h:1",
      "http://h",
      "127.0.0.1:5",
      "10.0.0.0/8",
      "proxy",
    ),
    fc.array(fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.constant("/x")), {
      maxLength: 4,
    }),
  );
  const names = fc.oneof(
    fc.constantFrom(...KEY_PATHS.flatMap((path) => [path, ...path.split(".")])),
    fc.string({ maxLength: 12 }),
  );
  const tree = fc.dictionary(names, fc.oneof(leaf, fc.dictionary(names, leaf, { maxKeys: 6 })), {
    maxKeys: 12,
  });
  fc.assert(
    fc.property(
      tree,
      (value) => settles(stringify({ env_id: "e", site: "s", ...value }, { skipInvalid: true })),
    ),
    { numRuns: 3000 },
  );
});

Deno.test("a config with any valid mixture of values is read back as it was written", () => {
  const folder = fc.array(fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 3,
  }).map((parts) =>
    parts.map((part) => part.replaceAll(/[/,]/g, "_")).filter((p) => !/^\.*$/.test(p))
  )
    .filter((parts) => parts.length > 0).map((parts) => `/${parts.join("/")}`);
  const value = fc.record({
    transport: fc.constantFrom("sdk", "proxy", "system"),
    interval_s: fc.integer({ min: 1, max: 10800 }),
    laptop_mode: fc.boolean(),
    "docker.data_root": folder,
    "bao.timeout_s": fc.integer({ min: 1, max: 600 }),
    state_dir: folder,
  });
  fc.assert(
    fc.property(value, (given) => {
      const { effective, sources } = parseConfig(stringify({
        env_id: "e",
        site: "s",
        transport: given.transport,
        interval_s: given.interval_s,
        laptop_mode: given.laptop_mode,
        docker: { data_root: given["docker.data_root"] },
        bao: { timeout_s: given["bao.timeout_s"] },
        state_dir: given.state_dir,
      }));
      for (const [path, one] of Object.entries(given)) {
        const key = KEY_PATHS.find((known) => known === path);
        if (key === undefined) throw new Error(path);
        assertEquals(effective.get(key), String(one));
        assertEquals(sources.get(key), "file");
      }
    }),
    { numRuns: 500 },
  );
});
