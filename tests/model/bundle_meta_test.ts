import { assertEquals, assertThrows } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { EMPTY_META, parseMeta } from "../../src/model/bundle_meta.ts";

function parse(value: unknown): ReturnType<typeof parseMeta> {
  return parseMeta(new TextEncoder().encode(JSON.stringify(value)));
}

function refusal(value: unknown): string {
  const error = assertThrows(() => parse(value), AgentError, "", JSON.stringify(value));
  assertEquals(error.code, "META_INVALID");
  return error.message.replace("meta.json: ", "");
}

Deno.test("parseMeta() gives what is there, and the defaults for what is not", () => {
  assertEquals(parse({}), EMPTY_META);
  assertEquals(parse({ env_id: null, images: null, agent: null, more: 1 }), EMPTY_META);
  assertEquals(
    parse({
      env_id: "env-qa-02",
      serial: 7,
      created_at: "2026-03-01T10:00:00+02:00",
      images: [{ ref: "reg:5000/a:1", size_bytes: 12 }],
      agent: { allow_rollback: true, min_version: "0.2.0-rc.1" },
    }),
    {
      envId: "env-qa-02",
      serial: 7,
      createdAt: "2026-03-01T10:00:00+02:00",
      images: [{ ref: "reg:5000/a:1", sizeBytes: 12 }],
      allowRollback: true,
      minVersion: "0.2.0-rc.1",
    },
  );
});

Deno.test("parseMeta() names every problem with its key path, at once", () => {
  assertEquals(
    refusal({
      env_id: "",
      serial: -1,
      created_at: "yesterday",
      images: [{ ref: "a" }, { ref: 1, size_bytes: 1.5 }],
      agent: { allow_rollback: "yes", min_version: "new" },
    }).split("; "),
    [
      "env_id: is empty",
      "serial: must be a whole number from 0",
      "created_at: must be an RFC 3339 time",
      "images[0].size_bytes: is missing",
      "images[1].ref: must be a string",
      "images[1].size_bytes: must be a whole number",
      "agent.allow_rollback: must be true or false",
      "agent.min_version: must be a version like 0.2.0",
    ],
  );
  assertEquals(refusal([]), "must be an object");
});
