/** The identity file: every way in which it is of no use is named, and no value of it is quoted. */

import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import * as fc from "fast-check";
import { keyBelongs, readCertificate } from "../../src/model/certificate.ts";
import { derElements } from "../../src/model/der.ts";
import { identityAge, identityModeProblem, readIdentity } from "../../src/model/identity.ts";
import { pemBlocks } from "../../src/model/pem.ts";
import { testCerts } from "../io/tls_setup.ts";

const CONTROLLER = "https://controller.invalid:1280/edge/client/v1";

async function fileOf(changes: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { cert, key } = (await testCerts()).pair("good");
  const id = { cert: `pem:${cert}`, key: `pem:${key}`, ca: "pem:" };
  return JSON.stringify({ ztAPI: CONTROLLER, ztAPIs: null, id, enableHa: false, ...changes });
}

async function openssl(args: string, folder: string): Promise<void> {
  const command = new Deno.Command("openssl", {
    args: args.split(" "),
    cwd: folder,
    stderr: "null",
  });
  assert((await command.output()).success, args);
}

Deno.test("an enrolled file is read with its dates, as an old and as a highly available one", async () => {
  const validity = { notBefore: Date.UTC(2020, 0, 1), notAfter: Date.UTC(2045, 0, 1) };
  assertEquals(readIdentity(await fileOf()), { identity: { controllers: 1, validity } });
  const several = { ztAPI: undefined, ztAPIs: [CONTROLLER, "https://other.invalid"] };
  assertEquals(readIdentity(await fileOf(several)), { identity: { controllers: 2, validity } });
});

Deno.test("what is missing or broken in the file is named", async () => {
  const { cert, key } = (await testCerts()).pair("good");
  const foreign = (await testCerts()).pair("other").key;
  const id = (changes: Readonly<Record<string, unknown>>): Promise<string> =>
    fileOf({ id: { cert: `pem:${cert}`, key: `pem:${key}`, ...changes } });
  const whole = await fileOf();
  const table: readonly (readonly [string, string])[] = [
    ["", "is not JSON"],
    [whole.slice(0, 500), "is not JSON"],
    ["[]", "is not JSON"],
    ["null", "is not JSON"],
    [await fileOf({ ztAPI: "" }), "names no controller (ztAPI, ztAPIs)"],
    [await fileOf({ ztAPI: null, ztAPIs: [7] }), "names no controller (ztAPI, ztAPIs)"],
    [await fileOf({ id: null }), "has no id"],
    [await id({ cert: undefined }), "has no certificate"],
    [await id({ key: "" }), "has no key"],
    [await id({ cert: "pem:" }), "has a broken certificate"],
    [await id({ cert: `pem:${cert.replace("A", "!")}` }), "has a broken certificate"],
    [await id({ cert: `pem:${key}` }), "has a broken certificate"],
    [await id({ key: `pem:${cert}` }), "has a broken key"],
    [await id({ key: `pem:${foreign}` }), "has a key that belongs to another certificate"],
  ];
  for (const [text, wrong] of table) assertEquals(readIdentity(text), { wrong });
});

Deno.test("what the file only refers to cannot be judged and is left to the mesh", async () => {
  const id = { cert: "file:///etc/ziti/cert.pem", key: "pkcs11://lib?slot=0" };
  const reading = readIdentity(await fileOf({ id }));
  assertEquals(reading, { identity: { controllers: 1, validity: null } });
  assert("identity" in reading);
  assertEquals(identityAge(reading.identity, 0), { daysLeft: null });
});

Deno.test("the clock decides: days left, expired, not begun", () => {
  const validity = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2026, 11, 31) };
  const at = (ms: number): unknown => identityAge({ controllers: 1, validity }, ms);
  assertEquals(at(Date.UTC(2026, 11, 1)), { daysLeft: 30 });
  assertEquals(at(Date.UTC(2026, 11, 30, 23)), { daysLeft: 0 });
  const wrong = (what: string, now: string): unknown => ({
    wrong: `has a certificate that ${what}, seen from this box's clock: ${now}`,
  });
  assertEquals(
    at(Date.UTC(2026, 11, 31)),
    wrong("expired at 2026-12-31T00:00:00.000Z", "2026-12-31T00:00:00.000Z"),
  );
  assertEquals(
    at(Date.UTC(2025, 11, 31)),
    wrong("begins at 2026-01-01T00:00:00.000Z", "2025-12-31T00:00:00.000Z"),
  );
});

Deno.test("a file that others may read is a problem, one of a group is not", () => {
  assertEquals(
    [0o600, 0o660, 0o640, 0o644, 0o666].map((mode) => identityModeProblem(mode) === null),
    [
      true,
      true,
      true,
      false,
      false,
    ],
  );
});

Deno.test("keys of every spelling are held against the certificate", async () => {
  const folder = await Deno.makeTempDir({ prefix: "keys_" });
  try {
    await openssl(
      "req -x509 -newkey rsa:2048 -nodes -keyout r8.pem -out r.pem -subj /CN=r",
      folder,
    );
    await openssl("rsa -in r8.pem -traditional -out r1.pem", folder);
    await openssl("ecparam -name secp384r1 -genkey -noout -out e1.pem", folder);
    await openssl("req -x509 -new -key e1.pem -out e.pem -subj /CN=e", folder);
    await openssl("pkcs8 -topk8 -nocrypt -in e1.pem -out e8.pem", folder);
    await openssl("genpkey -algorithm ed25519 -out d8.pem", folder);
    await openssl("req -x509 -new -key d8.pem -out d.pem -subj /CN=d", folder);
    const der = async (name: string): Promise<Uint8Array> =>
      pemBlocks(await Deno.readTextFile(`${folder}/${name}.pem`)).at(-1)?.bytes ?? new Uint8Array();
    const table: readonly (readonly [string, string, boolean | null])[] = [
      ["r", "r8", true],
      ["r", "r1", true],
      ["e", "e1", true],
      ["e", "e8", true],
      ["e", "r8", false],
      ["r", "e8", false],
      ["d", "d8", null],
    ];
    for (const [certificate, key, belongs] of table) {
      const read = readCertificate(await der(certificate));
      assert(read !== null, certificate);
      assertEquals(keyBelongs(read, await der(key)), belongs, `${certificate} ${key}`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("no bytes make the readers throw, and a damaged certificate is none or has dates", async () => {
  const good = pemBlocks((await testCerts()).pair("good").cert)[0]?.bytes;
  assertInstanceOf(good, Uint8Array);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
    derElements(bytes);
    readCertificate(bytes);
  }));
  fc.assert(fc.property(fc.nat(good.length - 1), fc.nat(255), (at, byte) => {
    const damaged = good.slice();
    damaged[at] = byte;
    const read = readCertificate(damaged);
    if (read !== null) keyBelongs(read, damaged);
  }));
  fc.assert(fc.property(fc.string(), (text) => void readIdentity(text)));
});
