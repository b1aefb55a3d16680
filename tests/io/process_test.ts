/** Clock, chance, digest, output and signals: what is left of the process's surroundings. */

import { assert, assertEquals } from "@std/assert";
import { createClock } from "../../src/io/clock.ts";
import { createDigest } from "../../src/io/digest.ts";
import { createRandom } from "../../src/io/random.ts";

Deno.test("sleep waits, and ends early and quietly when its signal aborts", async () => {
  const clock = createClock();
  const begun = clock.monotonic();
  await clock.sleep(30);
  assert(clock.monotonic() - begun >= 29);
  const stop = new AbortController();
  const early = clock.sleep(60_000, stop.signal);
  stop.abort("SIGTERM");
  await early;
  await clock.sleep(60_000, stop.signal);
  assert(clock.monotonic() - begun < 30_000);
  const [before, now, after] = [Date.now(), clock.now(), Date.now()];
  assert(before <= now && now <= after);
});

Deno.test("chance lies in [0, 1) and UUIDs are of version 4", () => {
  const random = createRandom();
  const fractions = Array.from({ length: 1000 }, () => random.fraction());
  assert(fractions.every((fraction) => fraction >= 0 && fraction < 1));
  assert(new Set(fractions).size > 990);
  assert(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(random.uuid()),
  );
});

Deno.test("SHA-256 is what sha256sum prints, also of a part of a buffer", async () => {
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const bytes = new TextEncoder().encode("xabcx");
  assertEquals(await createDigest().sha256(bytes.subarray(1, 4)), abc);
});

/** Runs code that listens to signals in a process of its own: the test runner has ideas of its own about them. */
async function listening(script: string): Promise<Deno.CommandOutput> {
  const url = new URL("../../src/io/signals.ts", import.meta.url).href;
  const code = `const { listenSignals } = await import("${url}"); const held = listenSignals();`;
  return await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", "--no-check", code + script],
  }).output();
}

for (const name of ["SIGTERM", "SIGINT"]) {
  Deno.test(`${name} aborts with its name as the reason`, async () => {
    const ran = await listening(`
      held.stop.addEventListener("abort", () => {
        console.log(held.stop.reason);
        held.close();
        clearTimeout(timer);
      });
      const timer = setTimeout(() => {}, 20000);
      Deno.kill(Deno.pid, "${name}");`);
    assertEquals([new TextDecoder().decode(ran.stdout), ran.code], [`${name}\n`, 0]);
  });
}

Deno.test("a listening process ends by itself; a second SIGINT ends it at once, a second SIGTERM does not", async () => {
  assertEquals((await listening("void held.stop;")).code, 0);
  const twice = (name: string): string =>
    `held.stop.addEventListener("abort", () => setTimeout(() => {
      Deno.kill(Deno.pid, "${name}");
      setTimeout(() => Deno.exit(7), ${name === "SIGINT" ? 20_000 : 400});
    }, 50));
    setTimeout(() => Deno.exit(8), 60_000);
    Deno.kill(Deno.pid, "${name}");`;
  assertEquals((await listening(twice("SIGINT"))).signal, "SIGINT");
  assertEquals((await listening(twice("SIGTERM"))).code, 7);
});

Deno.test("printing to a reader that went away ends nothing", async () => {
  const url = new URL("../../src/io/out.ts", import.meta.url).href;
  const code = `const { createOut } = await import("${url}");
    for (let i = 0; i < 100000; i += 1) createOut().print("line\\n"); console.error("done");`;
  const ran = await new Deno.Command("/bin/sh", {
    args: ["-c", `"$0" eval --no-config --no-check "$1" | head -1`, Deno.execPath(), code],
  }).output();
  assertEquals(new TextDecoder().decode(ran.stdout), "line\n");
  assertEquals(new TextDecoder().decode(ran.stderr), "done\n");
});
