// The demo, from its command line and scene by scene: what it prints, that a false claim fails it,
// and that it cleans up.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { makeBox } from "../../scripts/box/box.ts";
import { type Check, check, checkHolds } from "../../scripts/demo/check.ts";
import { findLeaks } from "../../scripts/demo/leaks.ts";
import { parseDemoOptions } from "../../scripts/demo/options.ts";
import { playScenes, type Teller } from "../../scripts/demo/play.ts";
import type { Scene, SceneResult, Setting } from "../../scripts/demo/scene.ts";
import { SCENES } from "../../scripts/demo/scenes.ts";
import { Story } from "../../scripts/demo/story.ts";
import { jsonLine } from "../../scripts/demo/tell_json.ts";
import { dockerCall, type LabInfo, readLab } from "../../scripts/lab/mod.ts";
import { waitFor } from "../../scripts/lab/wait.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const lab = await readLab();

function labTest(name: string, run: (lab: LabInfo) => Promise<void>): void {
  Deno.test({
    name: `demo: ${name}${lab === null ? " (needs the lab)" : ""}`,
    ignore: lab === null,
    fn: async () => {
      assert(lab !== null);
      await run(lab);
    },
  });
}

function startDemo(at: LabInfo, ...args: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "--config", `${ROOT}deno.json`, `${ROOT}scripts/demo.ts`]
      .concat(args),
    env: { MONKY_LAB_DIR: at.dir, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

labTest("eight scenes are ok, one line of JSON each, and the lab stays up", async (at) => {
  const { code, stdout, stderr } = await startDemo(at, "--json").output();
  const text = new TextDecoder();
  const lines = text.decode(stdout).trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(code, 0, text.decode(stderr));
  assertEquals(lines.map(({ scene, ok }) => [scene, ok]), SCENES.map(({ name }) => [name, true]));
  for (const line of lines) {
    assertEquals(
      Object.keys(line),
      ["scene", "ok", "ms", "exit", "result", "requests", "children", "writes"],
    );
  }
  const { requests, children, writes, result } = lines[1];
  assertEquals(
    { requests, children, writes, result },
    { requests: { tenancy: 1, docker: 1, bao: 0 }, children: 0, writes: 0, result: null },
  );
  const results = ["applied", null, "applied", "repaired", "failed", "failed", "failed", "removed"];
  assertEquals(lines.map((line) => line.result), results);
  assertEquals(lines.map((line) => line.exit), [0, 0, 0, 0, 1, 1, 1, 0]);
  assertEquals((await readLab(at.dir))?.startedAt, at.startedAt);
});

labTest("a signal in the middle of a deploy leaves nothing of the box behind", async (at) => {
  const demo = startDemo(at);
  const printed = collect(demo.stdout);
  const stderr = collect(demo.stderr);
  const [, env = "", folder = ""] = await waitFor("the box's name", 120_000, () => {
    const said = /The box is (env-demo-[0-9a-f]+), its files are in (\S+)\.\n/;
    return Promise.resolve(said.exec(printed.text));
  });
  const filters = encodeURIComponent(
    JSON.stringify({ label: [`com.docker.compose.project=monky-${env}`] }),
  );
  const list = async (what: string): Promise<readonly unknown[]> =>
    JSON.parse(await dockerCall(at.docker.socket, "GET", `/${what}filters=${filters}`));
  await waitFor("its container", 120_000, async () => {
    return (await list("containers/json?all=1&")).length > 0 || null;
  });
  assert((await Deno.stat(folder)).isDirectory);
  demo.kill("SIGTERM");
  const deadline = setTimeout(() => demo.kill("SIGKILL"), 120_000);
  const { code } = await demo.status;
  clearTimeout(deadline);
  await Promise.all([printed.ended, stderr.ended]);
  assertEquals(code, 143);
  assertStringIncludes(stderr.text, "Stopping");
  for (const what of ["containers/json?all=1&", "networks?"]) {
    assertEquals(await list(what), [], what);
  }
  assertEquals(await Deno.stat(folder).then(() => true, () => false), false, folder);
});

/** Reads a stream to its end; `text` is what has come so far. */
function collect(
  stream: ReadableStream<Uint8Array>,
): { readonly text: string; readonly ended: Promise<void> } {
  const collected = { text: "", ended: Promise.resolve() };
  collected.ended = (async () => {
    const decoder = new TextDecoder();
    for await (const part of stream) collected.text += decoder.decode(part, { stream: true });
  })();
  return collected;
}

/** Plays scenes on a fresh box and gives what came of them. */
async function play(at: LabInfo, scenes: readonly Scene[]): Promise<readonly SceneResult[]> {
  await using box = await makeBox(at);
  await box.reveal();
  await box.tenancy.setAbsent(box.env);
  const results: SceneResult[] = [];
  const teller: Teller = {
    begin(): void {},
    set(): void {},
    end: (result) => results.push(result),
  };
  const stop = new AbortController().signal;
  const isOk = await playScenes(new Story(box), scenes, { teller, stop });
  assertEquals(isOk, results.every(({ ok }) => ok));
  return results;
}

const QUIET: Scene = {
  name: "quiet",
  why: "It is the ground that the others stand on.",
  prepare: () => Promise.resolve({ wanted: "nothing" }),
  examine: () => Promise.resolve([]),
};

/** What the failing checks of a result say, on one line each. */
function problemsOf(result: SceneResult | undefined): string {
  return (result?.checks ?? []).filter(({ problem }) => problem !== null)
    .map(({ claim, problem }) => `${claim}: ${problem}`).join("\n");
}

labTest(
  "a false claim fails its scene, with both sides, and the next scene still plays",
  async (at) => {
    const wrong: Scene = {
      ...QUIET,
      name: "wrong",
      examine: (_story, { run }) =>
        Promise.resolve([check("it exits 7", { expected: 7, seen: run.code })]),
    };
    const [first, second] = await play(at, [wrong, QUIET]);
    assertEquals([first?.ok, second?.ok], [false, true]);
    assertEquals(problemsOf(first), "it exits 7: expected 7, saw 0");
    assert(first !== undefined);
    assertStringIncludes(jsonLine(first), '"scene":"wrong","ok":false,');
  },
);

labTest("a scene that cannot be prepared fails, and says why", async (at) => {
  const [result] = await play(at, [
    { ...QUIET, prepare: () => Promise.reject(new Error("no such release")) },
  ]);
  assertEquals([result?.ok, result?.seen], [false, null]);
  assertStringIncludes(problemsOf(result), "no such release");
});

labTest(
  "a secret in a state file, a token in a log, and an open session.json fail a scene",
  async (at) => {
    let quoted = "";
    const planted: Scene = {
      ...QUIET,
      async prepare(story): Promise<Setting> {
        await story.rotateSecret();
        return { wanted: "nothing" };
      },
      async examine({ box, values }): Promise<readonly Check[]> {
        quoted = JSON.stringify(values[0]);
        await Deno.writeTextFile(`${box.stateDir}/dump.json`, JSON.stringify({ v: values[0] }));
        const session = await Deno.readTextFile(`${box.stateDir}/session.json`);
        await Deno.writeTextFile(`${box.dir}/agent.log`, session);
        await Deno.chmod(`${box.stateDir}/session.json`, 0o644);
        return [checkHolds("it is quoted", { part: "nothing", text: `${quoted} ${session}` })];
      },
    };
    const [result] = await play(at, [planted]);
    assertEquals(result?.ok, false);
    for (const file of ["state/dump.json", "agent.log", "state/session.json"]) {
      assertStringIncludes(problemsOf(result), file);
    }
    // Where it leaked is told; what leaked is not.
    const told = { where: "what is told", text: problemsOf(result) };
    assertStringIncludes(told.text, "[LEAKED]");
    assertEquals(findLeaks([told], [JSON.parse(quoted)]), []);
  },
);

Deno.test("demo: the search finds a value in every spelling, and tokens and grants by their shape", () => {
  const value = 'a "b" $c é';
  const found = (text: string, isShared = false): boolean =>
    findLeaks([{ where: "there", text, isShared }], [value]).length === 1;
  const base64 = new TextEncoder().encode(value).toBase64();
  const spellings = [
    value,
    JSON.stringify(value),
    'a "b" $$c é',
    encodeURIComponent(value),
    base64,
  ];
  for (const text of spellings) assert(found(`x ${text} y`), text);
  assert(!found("a b $c é"));
  const token = `s.${"aB3".repeat(8)}`;
  const grant = `eyJhbGciOiJFUzI1NiJ9.eyJ${"a1".repeat(30)}.${"b_".repeat(40)}`;
  assert(found(token) && found(grant));
  assert(!found(`services.${"aB3".repeat(8)}`));
  // Other people's programs run beside the box: only what this box knows is looked for there.
  assert(!found(token, true) && found(value, true));
});

Deno.test("demo: its options, also behind two dashes; anything else is refused", () => {
  assertEquals(parseDemoOptions([]), { json: false, keep: false, help: false });
  assertEquals(parseDemoOptions(["--", "--json", "--keep"]), {
    json: true,
    keep: true,
    help: false,
  });
  for (const args of [["--jsn"], ["all"], ["--json", "x"]]) {
    let message = "";
    try {
      parseDemoOptions(args);
    } catch (error) {
      message = String(error);
    }
    assertStringIncludes(message, "unknown: ");
  }
});
