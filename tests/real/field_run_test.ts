/** What the field reports of agents that run for months: the files that their config names change. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { onRunningBox, runningBundle } from "../support/boxes.ts";

const WAIT_MS = 60_000;

Deno.test("field: run reads a CA that was replaced with its next tick, and keeps the one before when the new one is none", async () => {
  await onRunningBox(async (box) => {
    const ca = `${box.dir}/ca.pem`;
    const right = await Deno.readTextFile(box.bao.bao.caFile);
    await Deno.writeTextFile(ca, right);
    await box.configure({ settle_s: 0, interval_s: 1, bao: { ca } });
    const lines: string[] = [];
    const heard = new Map<string, () => void>();
    const running = await box.start(["run"], {
      onLine: (line) => {
        lines.push(line);
        for (const [words, resolve] of heard) if (line.includes(words)) resolve();
      },
    });
    /** Waits for a line with these words that comes from now on. */
    const line = async (words: string): Promise<void> => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = setTimeout(() => reject(new Error(lines.join("\n"))), WAIT_MS);
      heard.set(words, resolve);
      await promise.finally(() => clearTimeout(late));
      heard.delete(words);
    };
    try {
      await line("converged");
      await Deno.writeTextFile(ca, "-----BEGIN CERTIFICATE-----\n");
      await line("what was read before stays in force");
      await box.tenancy.publish(box.env, runningBundle("2"));
      await line("done sha=");
      await Deno.writeTextFile(ca, await strangersCa());
      await box.tenancy.publish(box.env, runningBundle("3"));
      await line("TLS_REFUSED");
      await Deno.writeTextFile(ca, right);
      await box.tenancy.publish(box.env, runningBundle("4"));
      await line("done sha=");
      // A config that was not taken is not taken later either, when its file comes back.
      const { site } = box.tenancy.record.checkins.at(-1) ?? {};
      await Deno.remove(ca);
      await box.configure({ site: "other", settle_s: 0, interval_s: 1, bao: { ca } });
      running.kill("SIGHUP");
      await line("the config was not taken");
      await Deno.writeTextFile(ca, right);
      await line("converged");
      await line("converged");
      assertEquals(box.tenancy.record.checkins.at(-1)?.site, site);
    } finally {
      running.kill("SIGTERM");
    }
    const { code, stderr } = await running.ended;
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, "files of the config read again");
  }, { config: { settle_s: 0 } });
});

/** A CA that signed nothing here. */
async function strangersCa(): Promise<string> {
  const args =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=other";
  const { stdout } = await new Deno.Command("openssl", {
    args: [...args.split(" "), "-keyout", "/dev/null"],
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}
