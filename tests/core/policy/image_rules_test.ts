import { assertEquals } from "@std/assert";
import { readImage } from "../../../src/core/policy/image_rules.ts";
import { judged, web } from "./resolved.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

const NAMES: readonly (readonly [string, string, boolean])[] = [
  ["nginx", "docker.io/library/nginx", false],
  ["nginx:1.27", "docker.io/library/nginx", false],
  ["bitnami/redis:7", "docker.io/bitnami/redis", false],
  ["docker.io/nginx", "docker.io/library/nginx", false],
  ["index.docker.io/library/nginx", "docker.io/library/nginx", false],
  ["localhost/x", "localhost/x", false],
  ["localhost:5000/x/y:1", "localhost:5000/x/y", false],
  ["REGISTRY.example.com/x", "registry.example.com/x", false],
  [`nginx@${DIGEST}`, "docker.io/library/nginx", true],
  [`r.example.com:443/a/b:1@${DIGEST}`, "r.example.com:443/a/b", true],
  ["nginx@sha256:abc", "docker.io/library/nginx", false],
  [`nginx@md5:${"a".repeat(32)}`, "docker.io/library/nginx", false],
];

for (const [reference, repository, hasDigest] of NAMES) {
  Deno.test(`the image ${reference.slice(0, 40)} is ${repository}`, () => {
    assertEquals(readImage(reference), { repository, hasDigest });
  });
}

const ROWS: readonly (readonly [string, readonly string[], boolean, ...string[]])[] = [
  ["nginx", [], false],
  ["nginx", ["registry.example.com"], false, "image:docker.io/library/nginx"],
  ["nginx", ["docker.io"], false],
  ["nginx", ["index.docker.io"], false],
  ["nginx", ["docker.io/library"], false],
  ["bitnami/redis", ["docker.io/library"], false, "image:docker.io/bitnami/redis"],
  ["registry.example.com/monky/api:1", ["registry.example.com/monky"], false],
  ["registry.example.com/monky", ["registry.example.com/monky"], false],
  [
    "registry.example.com/monkey/api",
    ["registry.example.com/monk"],
    false,
    "image:registry.example.com/monkey/api",
  ],
  [
    "registry.example.com.evil.org/monky/api",
    ["registry.example.com"],
    false,
    "image:registry.example.com.evil.org/monky/api",
  ],
  [
    "registry.example.com:5000/monky/api",
    ["registry.example.com"],
    false,
    "image:registry.example.com:5000/monky/api",
  ],
  ["nginx:1", [], true, "digest:docker.io/library/nginx"],
  [`nginx:1@${DIGEST}`, [], true],
  ["nginx", ["r.io"], true, "image:docker.io/library/nginx", "digest:docker.io/library/nginx"],
];

for (const [image, registries, requireDigest, ...findings] of ROWS) {
  const set = `registries [${registries}]${requireDigest ? ", digests" : ""}`;
  Deno.test(`${image.slice(0, 50)} with ${set}: ${findings.join(", ") || "allowed"}`, () => {
    const policy = { bindAllow: [], registries, requireDigest, allow: [] };
    assertEquals(judged(web({ image }), { policy }), findings);
  });
}
