/** An apply as a person sees it on a terminal, and as lines elsewhere. */

import { assert, assertEquals } from "@std/assert";
import type { AgentRun } from "../../scripts/box/run.ts";
import type { Box } from "../../scripts/box/box.ts";
import { onBox } from "../support/boxes.ts";
import { LONG_RUNNING } from "../support/bundles.ts";
import { assertGolden, steady } from "../support/golden.ts";
import { rowsOf } from "../support/tiny_terminal.ts";

/** script(1) of util-linux gives its command a terminal of its own; no word here has a quote in it. */
const ON_TERMINAL = `columns=$1; shift
for word; do line="$line '$word'"; done
exec script -qec "stty cols $columns rows 40; exec $line" /dev/null`;

/** What this process has of NO_COLOR is left alone: other tests run in it, too. */
async function onTerminal(
  box: Box,
  { columns, isColored }: { readonly columns: number; readonly isColored: boolean },
): Promise<AgentRun> {
  const color = isColored ? "unset NO_COLOR" : "export NO_COLOR=1";
  const script = `${color}\n${ON_TERMINAL}`;
  return await box.tick([], { enter: ["/bin/sh", "-c", script, "sh", String(columns)] });
}

function web(command: string): Readonly<Record<string, string>> {
  return { "docker-compose.yml": `services:\n  web:\n    image: lab/bb:1\n    ${command}\n` };
}

Deno.test("an apply on a terminal shows its steps, elsewhere lines; nothing drawn stays", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await box.tenancy.publish(box.env, web(LONG_RUNNING));
    const wide = await onTerminal(box, { columns: 80, isColored: false });
    assertEquals(wide.code, 0, wide.stdout);
    assert(!wide.stdout.includes("\x1b[3"), "there is a colour");
    assert(wide.stdout.includes("\x1b[J> health"), "the step that runs was not drawn");
    await assertGolden(
      "terminal/apply.txt",
      steady(`${rowsOf(wide.stdout, 80).join("\n")}\n`, box),
    );

    await box.tenancy.publish(box.env, web('command: ["sh", "-c", "echo broken; exit 3"]'));
    const narrow = await onTerminal(box, { columns: 40, isColored: true });
    assertEquals(narrow.code, 1, narrow.stdout);
    assert(narrow.stdout.includes("\x1b[1;31mx health"), "a step that failed is not red");
    const rows = rowsOf(narrow.stdout, 40);
    const steps = rows.filter((row) => /^[+x>] /.test(row));
    await assertGolden("terminal/failed_steps.txt", steady(`${steps.join("\n")}\n`, box));
    const error = rows.findIndex((row) =>
      row.includes("error UNHEALTHY: web exited with 3".slice(0, 25))
    );
    assert(error > 0 && rows.length - error <= 7, rows.slice(error).join("\n"));
    const last = rows.slice(error).join("");
    assert(last.endsWith("  do: Read the services' last lines: monky-deployd status."), last);

    await box.tenancy.publish(box.env, web(`${LONG_RUNNING}\n    environment: ["A=1"]`));
    const lines = await box.tick();
    assertEquals(lines.code, 0, lines.stderr);
    assert(!lines.stderr.includes("\x1b"), "a control character in the journal");
    await assertGolden("terminal/journal.txt", steady(lines.stderr, box));
  });
});
