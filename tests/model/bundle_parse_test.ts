import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { bundleListing } from "../../src/model/bundle_listing.ts";
import { exchange, outcome, parsed, sha256 } from "./bundle_reply.ts";

Deno.test("parseBundle() gives the files sorted by path bytes, decoded, with their modes", async () => {
  const bundle = await parsed({
    "conf/b.bin": { content: "AP/+", encoding: "base64" },
    "conf/a.sh": { content: "#!/bin/sh\n", encoding: "utf8", mode: "0755" },
    "a-b": { content: "é", mode: "0644" },
  });
  assert(typeof bundle !== "string", String(bundle));
  assertEquals(
    bundle.files.map(({ path, content, mode }) => [path, [...content].length, mode]),
    [["a-b", 2, 0o644], ["conf/a.sh", 10, 0o755], ["conf/b.bin", 3, 0o644], [
      "docker-compose.yml",
      26,
      0o644,
    ]],
  );
  assertEquals([...bundle.files[2]?.content ?? []], [0, 255, 254]);
  assertEquals(bundle.compose, "services: {a: {image: x}}\n");
  assertEquals([bundle.template, bundle.serial, bundle.signature], [null, null, null]);
  assertEquals(bundle.manifest, { entries: [], registries: [] });
  assertEquals([bundle.meta.envId, bundle.meta.allowRollback, bundle.meta.images], [
    null,
    false,
    [],
  ]);
});

Deno.test("parseBundle() reads the files that have a meaning", async () => {
  const bundle = await parsed({
    ".env.template": "\ufeffA=${A}\r\n",
    "manifest.json": '{"entries":[{"var":"A","path":"db/a"}]}',
    "meta.json": '{"serial":7,"agent":{"allow_rollback":true}}',
  });
  assert(typeof bundle !== "string", String(bundle));
  assertEquals(bundle.template, "A=${A}\r\n");
  assertEquals(bundle.manifest.entries, [{ var: "A", path: "db/a", key: "value", version: null }]);
  assertEquals([bundle.serial, bundle.meta.allowRollback], [7, true]);
});

Deno.test("bundleListing() is what sha256sum prints, so that an operator can recompute the sha", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const files = ["b", "a/é.txt", "a/x y", "a-b", "😀", "\ufffd", "$(id)"].map((path, index) => ({
      path,
      content: new TextEncoder().encode(`content ${index}\n`),
    }));
    for (const { path, content } of files) {
      await Deno.mkdir(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeFile(`${dir}/${path}`, content);
    }
    const script = "find . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 sha256sum";
    const { stdout } = await new Deno.Command("sh", { args: ["-c", script], cwd: dir }).output();
    assertEquals(await bundleListing(files, sha256), new TextDecoder().decode(stdout));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("parseBundle() refuses missing and mistyped fields, and ignores unknown ones", async () => {
  const { reply, expected } = await exchange({});
  const rows: readonly (readonly [unknown, string])[] = [
    [null, "must be an object"],
    [[], "must be an object"],
    ["x", "must be an object"],
    [{}, "sha: is missing"],
    [{ ...reply, sha: 1 }, "sha: must be a string"],
    [{ ...reply, files: undefined }, "files: must be an object"],
    [{ ...reply, files: [] }, "files: must be an object"],
    [{ ...reply, serial: "7" }, "serial: must be a"],
    [{ ...reply, serial: 1.5 }, "serial: must be a"],
    [{ ...reply, serial: -1 }, "serial: must be a whole number from 0"],
    [{ ...reply, signature: {} }, "signature: must be a string"],
    [{ ...reply, files: { a: null } }, '"a": must be an object'],
    [{ ...reply, files: { a: {} } }, '"a": content: is missing'],
    [{ ...reply, files: { a: { content: 1 } } }, '"a": content: must be a string'],
    [{ ...reply, files: { a: { content: "", mode: 644 } } }, '"a": mode: must be a string'],
  ];
  for (const [value, message] of rows) {
    const got = String(await outcome(value, expected));
    assertStringIncludes(got, "TENANCY_PROTOCOL: the bundle reply");
    assertStringIncludes(got, message);
  }
  const more = { ...reply, extra: 1, serial: null, signature: null };
  assert(typeof await outcome(more, expected) !== "string");
});

Deno.test("parseBundle() refuses files that break a rule, all at once, by name", async () => {
  const got = await parsed({
    "../x": "",
    "a": "",
    "a/b": "",
    "sub/.env": "",
    "m": { content: "", mode: "0777" },
    "e": { content: "", encoding: "gzip" },
    "caf\u00e9": "",
    "cafe\u0301": "",
  });
  assertEquals(
    got,
    `BUNDLE_INVALID: the bundle's files: "../x" holds ".."; "a" is a file and a folder at once; ` +
      `"sub/.env" is called .env, which only the agent writes; ` +
      `"cafe\u0301" is there twice after normalisation; ` +
      `"e" has an encoding other than utf8 and base64; "m" has a mode other than 0644 and 0755`,
  );
});

Deno.test("parseBundle() takes base64 in its one strict spelling only", async () => {
  for (const content of ["A", "AA", "AA=", "AB==", "A A=", "AAA=\n", "AA-_", "*", "=", "AAAA="]) {
    const got = await parsed({ f: { content, encoding: "base64" } });
    assertEquals(got, `BUNDLE_INVALID: the bundle's files: "f" is not base64`, content);
  }
  for (const content of ["", "AA==", "AAA=", "AAAA"]) {
    assert(typeof await parsed({ f: { content, encoding: "base64" } }) !== "string", content);
  }
});

Deno.test("parseBundle() refuses text that is not valid Unicode instead of changing it", async () => {
  assertEquals(
    await parsed({ f: "\ud800" }),
    `BUNDLE_INVALID: the bundle's files: "f" is not valid Unicode`,
  );
});

Deno.test("parseBundle() takes 16 MiB and not a byte more, naming the file that passes it", async () => {
  const room = 16 * 1024 * 1024 - 26;
  assert(typeof await parsed({ a: "x".repeat(room) }) !== "string");
  const rest = Uint8Array.from({ length: 10 }).toBase64();
  for (
    const last of [{ content: "0123456789" }, { content: "ééééé" }, {
      content: rest,
      encoding: "base64",
    }]
  ) {
    const got = await parsed({ a: "x".repeat(room - 9), z: last });
    assertEquals(got, 'BUNDLE_TOO_LARGE: the bundle passes 16 MiB at "z"');
  }
});

Deno.test("case 71: a bundle of 100,000 files is refused before any is looked at", async () => {
  const { reply, expected } = await exchange({});
  const files = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, 1]));
  assertEquals(
    await outcome({ ...reply, files }, expected),
    'BUNDLE_TOO_LARGE: the bundle has 100000 files; "f1000" is the first past 1000',
  );
});

Deno.test("parseBundle() refuses files that do not add up to the sha that was asked for", async () => {
  const { reply, expected } = await exchange({ a: "1" });
  const other = await exchange({ a: "2" });
  for (const sha of [expected.sha, other.expected.sha]) {
    const got = await outcome({ ...other.reply, sha }, expected);
    assertEquals(
      got,
      `BUNDLE_CORRUPT: the files of bundle ${expected.sha} add up to ${other.expected.sha}`,
    );
  }
  assertEquals(
    await outcome({ ...reply, sha: other.expected.sha }, expected),
    "TENANCY_PROTOCOL: the bundle reply names another sha than its files",
  );
});

Deno.test("parseBundle() refuses serials that contradict each other", async () => {
  const meta = { "meta.json": '{"serial":7}' };
  const rows: readonly (readonly [number | null, number | null, string | number])[] = [
    [null, null, 7],
    [7, null, 7],
    [null, 7, 7],
    [7, 7, 7],
    [8, null, "BUNDLE_INVALID: tenancy says serial 8 and meta.json 7"],
    [null, 6, "BUNDLE_INVALID: tenancy says serial 6 and meta.json 7"],
    [7, 8, "TENANCY_PROTOCOL: the check-in says serial 8 and the bundle reply 7"],
  ];
  for (const [told, desired, expected] of rows) {
    const { reply, expected: caller } = await exchange(meta, desired);
    const got = await outcome({ ...reply, serial: told }, caller);
    assertEquals(typeof got === "string" ? got : got.serial, expected);
  }
  const { reply, expected } = await exchange({}, 3);
  const bare = await outcome(reply, expected);
  assertEquals(typeof bare === "string" ? bare : bare.serial, 3);
});

Deno.test("parseBundle() refuses a bundle whose own files are missing or unreadable", async () => {
  const { reply, expected } = await exchange({ x: "y" });
  const files: Record<string, unknown> = { x: { content: "y" } };
  const listing = await bundleListing(
    [{ path: "x", content: new TextEncoder().encode("y") }],
    sha256,
  );
  const sha = await sha256(new TextEncoder().encode(listing));
  assertEquals(
    await outcome({ ...reply, sha, files }, { ...expected, sha }),
    "BUNDLE_INVALID: the bundle has no docker-compose.yml",
  );
  const latin = { content: "/w==", encoding: "base64" };
  const rows = [
    ["docker-compose.yml", "COMPOSE_FILE_INVALID: docker-compose.yml is not UTF-8"],
    [".env.template", "TEMPLATE_INVALID: .env.template is not UTF-8"],
    ["manifest.json", "MANIFEST_INVALID: manifest.json is not UTF-8"],
    ["meta.json", "META_INVALID: meta.json is not UTF-8"],
  ] as const;
  for (const [path, message] of rows) assertEquals(await parsed({ [path]: latin }), message);
});

Deno.test("parseBundle() gives a bundle or one of its codes for any reply", async () => {
  const { expected } = await exchange({});
  const name = fc.oneof(
    fc.constantFrom("docker-compose.yml", "manifest.json", "__proto__", "a/b", "a", "../x"),
    fc.string(),
  );
  const file = fc.oneof(
    fc.record({
      content: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
      encoding: fc.constantFrom("utf8", "base64", "x", null, 1),
      mode: fc.constantFrom("0644", "0755", "0777", null, 1),
    }, { requiredKeys: [] }),
    fc.jsonValue(),
  );
  const reply = fc.oneof(
    fc.record({
      sha: fc.oneof(fc.constant(expected.sha), fc.jsonValue()),
      files: fc.oneof(fc.dictionary(name, file), fc.jsonValue()),
      serial: fc.oneof(fc.nat(), fc.jsonValue()),
    }, { requiredKeys: [] }),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(reply, async (value) => {
      const got = await outcome(value, expected);
      assert(typeof got === "string");
      assert(/^(TENANCY_PROTOCOL|BUNDLE_INVALID|BUNDLE_CORRUPT): /.test(got), got);
    }),
    { numRuns: 1_000 },
  );
});
