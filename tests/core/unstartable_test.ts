import { assertEquals } from "@std/assert";
import { needsApiVersion, refuseUnstartable } from "../../src/core/unstartable.ts";
import type { ComposeModel } from "../../src/model/compose_model.ts";
import { parseComposeModel } from "../../src/model/compose_model_parse.ts";

function model(
  services: Readonly<Record<string, unknown>>,
  rest: Readonly<Record<string, unknown>> = {},
): ComposeModel {
  const parsed = parseComposeModel({ name: "p", services, ...rest });
  if (parsed === null) throw new Error("no model");
  return parsed;
}

function says(files: ComposeModel, apiVersion: string | null = null): string | null {
  const refusal = refuseUnstartable(files, { apiVersion, checkedImages: new Set(["checked"]) });
  return refusal === null ? null : `${refusal.code}: ${refusal.message}`;
}

const waits = (more: Readonly<Record<string, unknown>> = {}): unknown => ({
  image: "x",
  depends_on: { db: { condition: "service_healthy", required: true, ...more } },
});

Deno.test("before up: waiting for the health of a service without a healthcheck is refused by name", () => {
  const refused = "COMPOSE_INVALID: web waits for db to be healthy, which has no healthcheck";
  const test = ["CMD", "true"];
  const table: readonly [string, Readonly<Record<string, unknown>>, string | null][] = [
    ["none at all", { web: waits(), db: { image: "x" } }, refused],
    ["disabled", { web: waits(), db: { image: "x", healthcheck: { disable: true } } }, refused],
    [
      "disabled over the image's",
      { web: waits(), db: { image: "checked", healthcheck: { disable: true } } },
      refused,
    ],
    ["times alone", { web: waits(), db: { image: "x", healthcheck: { interval: "1s" } } }, refused],
    [
      "times of the image's",
      { web: waits(), db: { image: "checked", healthcheck: { interval: "1s" } } },
      null,
    ],
    ["the file's", { web: waits(), db: { image: "x", healthcheck: { test } } }, null],
    ["the image's", { web: waits(), db: { image: "checked" } }, null],
    ["not required", { web: waits({ required: false }), db: { image: "x" } }, null],
    ["only started", { web: waits({ condition: "service_started" }), db: { image: "x" } }, null],
    ["not there", { web: waits() }, null],
    ["none of the waiting", { web: { ...Object(waits()), scale: 0 }, db: { image: "x" } }, null],
  ];
  for (const [name, services, expected] of table) {
    assertEquals(says(model(services)), expected, name);
  }
});

Deno.test("before up: a config or secret that only a swarm has is refused by name", () => {
  const rest = { secrets: { s: { external: true, name: "s" } }, configs: { c: { content: "x" } } };
  const granted = { web: { image: "x", secrets: [{ source: "s" }], configs: [{ source: "c" }] } };
  assertEquals(
    says(model(granted, rest)),
    "COMPOSE_INVALID: secrets.s, which web is given, is external, as only a swarm's can be",
  );
  assertEquals(says(model({ web: { image: "x" } }, rest)), null);
});

Deno.test("before up: start_interval is refused on an Engine before 25, and the API asked for it alone", () => {
  const check = { test: ["CMD", "true"], start_interval: "1s" };
  const files = model({ web: { image: "x", healthcheck: check } });
  const unchecked = model({ web: { image: "x", healthcheck: { ...check, disable: true } } });
  const plain = model({ web: { image: "x", healthcheck: { test: check.test } } });
  assertEquals([files, unchecked, plain].map(needsApiVersion), [true, false, false]);
  assertEquals(
    says(files, "1.41"),
    "DOCKER_TOO_OLD: web: healthcheck.start_interval needs Docker Engine 25 (API 1.44), " +
      "this one speaks API 1.41",
  );
  assertEquals([says(files, "1.44"), says(files, "1.51"), says(plain, "1.41")], [null, null, null]);
});
