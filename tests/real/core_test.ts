/**
 * SPEC §13: no secret in a core. The agent has values in memory while it applies, so a core of it
 * would hold them: whoever starts it takes away the right to leave one, for its children too
 * (scripts/agent/no_core.ts from source, `LimitCORE=0` in a unit).
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { withoutCore } from "../../scripts/agent/no_core.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { onBox } from "../support/boxes.ts";
import { untilStep } from "../support/until_step.ts";

/** Enough to see that there is one; a whole one of the runtime is half a gigabyte. */
const CORE_BYTES = 1 << 20;

/** Lets this process and those it starts leave cores while the test runs. */
async function withCores(test: () => Promise<void>): Promise<void> {
  const limit = async (value: string): Promise<void> => {
    const { success } = await new Deno.Command("prlimit", {
      args: ["--pid", String(Deno.pid), `--core=${value}`],
    }).output();
    assert(success, "prlimit failed");
  };
  const before = coreLimit(Deno.pid);
  await limit(`${CORE_BYTES}:`);
  try {
    await test();
  } finally {
    await limit(`${before}:`);
  }
}

/** The soft limit of a process, as the kernel tells it; of one that has ended, that there is none. */
function coreLimit(pid: number): string {
  const limits = readIfThere(`/proc/${pid}/limits`);
  if (limits === "") return "ended";
  return /^Max core file size\s+(\S+)/m.exec(limits)?.[1] ?? "?";
}

function coresIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    /^core(\.\d+)?$/.test(name)
  );
}

/** Aborts a program that does nothing; gives the cores that it left. */
async function abortIdle(guard: boolean): Promise<readonly string[]> {
  const dir = await Deno.makeTempDir();
  try {
    const idle = {
      program: Deno.execPath(),
      args: ["eval", "console.log('up'); setTimeout(() => {}, 60000)"],
    };
    const { program, args } = guard ? withoutCore(idle) : idle;
    const child = new Deno.Command(program, {
      args: [...args],
      cwd: dir,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    child.kill("SIGABRT");
    await child.status;
    await reader.cancel();
    return coresIn(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("an aborted agent leaves no core, though its surroundings allow one", async (t) => {
  await withCores(async () => {
    const pattern = (await Deno.readTextFile("/proc/sys/kernel/core_pattern")).trim();
    // Elsewhere the kernel hands cores to a program, which a test cannot look behind.
    if (pattern === "core") {
      await t.step("without the guard there would be one", async () => {
        assertEquals((await abortIdle(false)).length, 1);
        assertEquals(await abortIdle(true), []);
      });
    }
    await t.step("the agent in the middle of compose, with secrets in memory", async () => {
      await onBox(async (box) => {
        await box.secret("key", { value: "a value that a core would hold" });
        await box.reveal();
        const { sha } = await box.tenancy.publish(box.env, {
          "docker-compose.yml": "services:\n  web:\n    image: lab/bb:1\n    init: true\n" +
            "    command: [sleep, '3600']\n    environment: [KEY]\n",
          "manifest.json": JSON.stringify({ entries: [{ var: "KEY", path: "key" }] }),
        });
        const places = [Deno.cwd(), box.dir, box.stateDir, box.deployDir];
        const agent = await box.start(["tick", "--log-level", "debug"]);
        await untilStep(box, sha, "up");
        // What compose asks of the Engine passes through this process: `up` cannot end unseen.
        const children = await waitFor("compose", 60_000, () => {
          const limits = childrenOf(agent.pid).map(coreLimit).filter((each) => each !== "ended");
          return Promise.resolve(limits.length === 0 ? null : limits);
        }, 5);
        assertEquals([coreLimit(agent.pid), ...new Set(children)], ["0", "0"]);
        agent.kill("SIGABRT");
        const { code, stderr } = await agent.ended;
        assertEquals(code, 134);
        assertMatch(stderr, /secrets read/);
        for (const place of places) assertEquals(coresIn(place), [], place);
        const next = await box.tick();
        assertEquals(next.code, 0, next.stderr);
      });
    });
  });
});

function childrenOf(pid: number): readonly number[] {
  const text = readIfThere(`/proc/${pid}/task/${pid}/children`).trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

/** What the kernel says of a process; nothing when it ends meanwhile. */
function readIfThere(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
