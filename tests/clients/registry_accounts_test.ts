import { assertEquals } from "@std/assert";
import { createRegistryAccounts } from "../../src/clients/registry_accounts.ts";
import { Secret } from "../../src/model/secret.ts";
import { memoryFiles } from "../fakes/memory_files.ts";

/** Host as a manifest names it → key under which compose 2.26 and 2.40 look for the account. */
const KEYS: readonly (readonly [host: string, key: string])[] = [
  ["docker.io", "https://index.docker.io/v1/"],
  ["index.docker.io", "https://index.docker.io/v1/"],
  ["registry-1.docker.io", "https://index.docker.io/v1/"],
  ["https://index.docker.io/v1/", "https://index.docker.io/v1/"],
  ["hub.docker.com", "https://index.docker.io/v1/"],
  ["ghcr.io", "ghcr.io"],
  ["127.0.0.1:5001", "127.0.0.1:5001"],
  ["docker.io.example.com", "docker.io.example.com"],
  ["my-docker.io", "my-docker.io"],
];

for (const [host, key] of KEYS) {
  Deno.test(`field: the account of ${host} stands where compose looks for it`, async () => {
    const files = memoryFiles();
    const accounts = createRegistryAccounts({ files }, { dir: "/d", mask: () => {} });
    const password = new Secret("pä:ss$");
    await accounts.write([{ host, username: new Secret("robot"), password }]);
    const { auths } = JSON.parse(files.text("/d/config.json") ?? "{}");
    assertEquals(Object.keys(auths), [key]);
    const bytes = Uint8Array.fromBase64(auths[key].auth);
    assertEquals(new TextDecoder().decode(bytes), "robot:pä:ss$");
  });
}
