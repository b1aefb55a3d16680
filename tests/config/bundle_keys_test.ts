import { assertEquals, assertThrows } from "@std/assert";
import { bundleKeyFiles, withBundleKeys } from "../../src/config/bundle_keys.ts";
import { parseConfig, readConfig } from "../../src/config/parse.ts";
import { problemLine } from "../../src/config/problem.ts";
import { AgentError } from "../../src/errors.ts";

const BASE = "env_id: env-qa-02\nsite: cbs\n";

async function publicKey(namedCurve: string): Promise<string> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve }, true, [
    "sign",
    "verify",
  ]);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  return `-----BEGIN PUBLIC KEY-----\n${
    spki.toBase64().replaceAll(/.{64}/g, "$&\n")
  }\n-----END PUBLIC KEY-----\n`;
}

function withInline(pem: string): string {
  return `${BASE}tenancy:\n  bundle_keys:\n    - ${JSON.stringify(pem)}\n`;
}

const ALLOWED = "allowed: a list of at most 16 items, each";
const EACH = "allowed: a PEM public key (P-256), or the absolute path of a file that holds some";

Deno.test("an inline key is kept as PEM, whatever its line ends", async () => {
  const pem = await publicKey("P-256");
  const { config, effective } = parseConfig(withInline(pem.replaceAll("\n", "\r\n")));
  assertEquals(config.tenancy.bundleKeys, [pem]);
  assertEquals(effective.get("tenancy.bundle_keys"), "[(inline key)]");
  assertEquals(bundleKeyFiles(config), []);
});

const WRONG: readonly (readonly [string, () => Promise<string> | string, string])[] = [
  ["a key of another curve", () => publicKey("P-384"), "holds a key that is no P-256 public key"],
  [
    "a private key",
    () => "-----BEGIN PRIVATE KEY-----\nAAAA\n",
    "holds a private key, which must not be on this box",
  ],
  [
    "a certificate",
    () => "-----BEGIN CERTIFICATE-----\nAAAA\n",
    "holds a certificate, not a public key",
  ],
  ["text", () => "hunter2", "is neither of the two"],
  [
    "a damaged key",
    () => "-----BEGIN PUBLIC KEY-----\nA\n-----END PUBLIC KEY-----",
    "holds a key that is no P-256 public key",
  ],
  ["a cut key", () => "-----BEGIN PUBLIC KEY-----\nAAAA", "holds no PEM public key"],
  [
    "two keys",
    async () => await publicKey("P-256") + await publicKey("P-256"),
    "holds more than one key",
  ],
];

for (const [what, make, wrong] of WRONG) {
  Deno.test(`${what} is refused as an inline key, and not quoted`, async () => {
    const reading = readConfig(withInline(await make()));
    const lines = "problems" in reading ? reading.problems.map(problemLine) : [];
    assertEquals(lines, [`tenancy.bundle_keys[0]: ${wrong}; ${EACH}`]);
  });
}

Deno.test("a single key is a list of one, not a text", () => {
  const reading = readConfig(`${BASE}tenancy: {bundle_keys: /k.pem}\n`);
  const [line = ""] = "problems" in reading ? reading.problems.map(problemLine) : [];
  assertEquals(line.startsWith(`tenancy.bundle_keys: found text; ${ALLOWED}`), true);
});

Deno.test("a key file's path is replaced by all keys of the file", async () => {
  const [one, two, inline] = [
    await publicKey("P-256"),
    await publicKey("P-256"),
    await publicKey("P-256"),
  ];
  const text = `${BASE}tenancy: {bundle_keys: [/etc/keys.pem, ${JSON.stringify(inline)}]}\n`;
  const { config } = parseConfig(text);
  assertEquals(bundleKeyFiles(config), ["/etc/keys.pem"]);
  const settled = withBundleKeys(config, new Map([["/etc/keys.pem", `# of 2026\n${one}\n${two}`]]));
  assertEquals(settled.tenancy.bundleKeys, [one, two, inline]);
  assertEquals(bundleKeyFiles(settled), []);
});

Deno.test("key files that are missing or hold no key keep the agent from starting", () => {
  const { config } = parseConfig(`${BASE}tenancy: {bundle_keys: [/a.pem, /b.pem, /c.pem]}\n`);
  const texts = new Map([["/a.pem", null], ["/b.pem", "hello"]]);
  const error = assertThrows(() => withBundleKeys(config, texts), AgentError);
  assertEquals(error.code, "CONFIG_INVALID");
  assertEquals(
    error.message,
    "the config has 3 problems:\n" +
      "  tenancy.bundle_keys[0]: the file /a.pem does not exist\n" +
      "  tenancy.bundle_keys[1]: the file /b.pem holds no PEM public key\n" +
      "  tenancy.bundle_keys[2]: the file /c.pem does not exist",
  );
});
