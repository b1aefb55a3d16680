/** The part of OpenBao's contract list about secrets (facts: openbao §1.6, §1.7). */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Answered, ask, freshEnv, tokenOf } from "./openbao_ask.ts";
import type { BaoSetup, Check } from "./openbao_setup.ts";

/** An env of its own with a token, and reads below its `see/`. */
interface Reading {
  readonly env: string;
  put(path: string, data: Readonly<Record<string, unknown>>): Promise<number>;
  read(path: string, version?: number): Promise<Answered>;
}

async function reading(setup: BaoSetup): Promise<Reading> {
  const env = freshEnv();
  const token = await tokenOf(setup, env);
  return {
    env,
    put: (path, data) => setup.putSecret(env, path, data),
    read: (path, version) => {
      const query = version === undefined ? "" : `?version=${version}`;
      return ask(setup, `monky/data/${env}/see/${path}${query}`, { token });
    },
  };
}

/** Gives status, data, deleted or not, destroyed, version. */
function facts({ status, json }: Answered): readonly unknown[] {
  const { data, metadata } = json?.["data"] ?? {};
  return [status, data, metadata.deletion_time !== "", metadata.destroyed, metadata.version];
}

/** The checks. */
export const KV_CONTRACT: readonly Check[] = [
  {
    name: "the newest version, a pinned one, and version 0, which is the newest",
    async run(setup: BaoSetup): Promise<void> {
      const { put, read } = await reading(setup);
      await put("k", { value: "one" });
      await put("k", { value: "two" });
      assertEquals(facts(await read("k")), [200, { value: "two" }, false, false, 2]);
      assertEquals(facts(await read("k", 1)), [200, { value: "one" }, false, false, 1]);
      assertEquals(facts(await read("k", 0)), [200, { value: "two" }, false, false, 2]);
    },
  },
  {
    name: "a deleted version is 404 with metadata, pinned or newest, and an older one stays",
    async run(setup: BaoSetup): Promise<void> {
      const { env, put, read } = await reading(setup);
      await put("k", { value: "one" });
      await put("k", { value: "two" });
      await setup.deleteVersion(env, "k", 2);
      assertEquals(facts(await read("k")), [404, null, true, false, 2]);
      assertEquals(facts(await read("k", 2)), [404, null, true, false, 2]);
      assertEquals(facts(await read("k", 1)), [200, { value: "one" }, false, false, 1]);
    },
  },
  {
    name: "a destroyed version is 404 with metadata that says so",
    async run(setup: BaoSetup): Promise<void> {
      const { env, put, read } = await reading(setup);
      await put("k", { value: "one" });
      await setup.destroyVersion(env, "k", 1);
      assertEquals(facts(await read("k", 1)), [404, null, false, true, 1]);
    },
  },
  {
    name: "a version that will delete itself later is 200 with data",
    async run(setup: BaoSetup): Promise<void> {
      const { env, put, read } = await reading(setup);
      await setup.deleteAfter(env, "k", 3600);
      await put("k", { value: "one" });
      assertEquals(facts(await read("k")), [200, { value: "one" }, true, false, 1]);
    },
  },
  {
    name: "an unknown path, an unknown version and a pruned one are 404 without a word",
    async run(setup: BaoSetup): Promise<void> {
      const { put, read } = await reading(setup);
      for (let count = 1; count <= 12; count++) await put("k", { value: `v${count}` });
      for (const reply of [await read("none"), await read("k", 99), await read("k", 2)]) {
        assertEquals([reply.status, reply.json], [404, { errors: [] }]);
      }
      assertEquals((await read("k", 3)).status, 200);
    },
  },
  {
    name: "another env's path and a path outside `see` are 403, existing or not",
    async run(setup: BaoSetup): Promise<void> {
      const other = freshEnv();
      await setup.putSecret(other, "k", { value: "one" });
      const token = await tokenOf(setup, freshEnv());
      for (const path of [`${other}/see/k`, `${other}/see/none`, `${other}/k`]) {
        assertEquals((await ask(setup, `monky/data/${path}`, { token })).status, 403, path);
      }
    },
  },
  {
    name: "values that are no strings come as they are",
    async run(setup: BaoSetup): Promise<void> {
      const { put, read } = await reading(setup);
      await put("k", { port: 5432, on: true, none: null, obj: { a: 1 }, ok: "x" });
      const { json } = await read("k");
      assertEquals(json?.["data"].data, {
        port: 5432,
        on: true,
        none: null,
        obj: { a: 1 },
        ok: "x",
      });
    },
  },
  {
    name: "a value of 512 KiB comes whole",
    async run(setup: BaoSetup): Promise<void> {
      const { put, read } = await reading(setup);
      const value = "x".repeat(512 * 1024);
      await put("k", { value });
      assert((await read("k")).json?.["data"].data.value === value);
    },
  },
  {
    name: "path segments are decoded once: a percent sign is part of the name",
    async run(setup: BaoSetup): Promise<void> {
      const { put, read } = await reading(setup);
      await put("sub/a b%c", { value: "one" });
      assertEquals((await read("sub/a%20b%25c")).json?.["data"].data, { value: "one" });
    },
  },
  {
    name: "a list names keys and folders, and an empty one is 404",
    async run(setup: BaoSetup): Promise<void> {
      const { env, put } = await reading(setup);
      const token = await tokenOf(setup, env);
      const list = (): Promise<Answered> =>
        ask(setup, `monky/metadata/${env}/see/?list=true`, { token });
      const empty = await list();
      assertEquals([empty.status, empty.json], [404, { errors: [] }]);
      await put("a", { value: "one" });
      await put("sub/b", { value: "one" });
      assertEquals((await list()).json?.["data"].keys, ["a", "sub/"]);
    },
  },
  {
    name: "a version that is no number is a 400",
    async run(setup: BaoSetup): Promise<void> {
      const { env } = await reading(setup);
      const token = await tokenOf(setup, env);
      const { status, json } = await ask(setup, `monky/data/${env}/see/k?version=x`, { token });
      assertEquals(status, 400);
      assertStringIncludes(json?.errors?.join(" ") ?? "", "version");
    },
  },
];
