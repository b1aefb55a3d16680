/** The drawn line: it never leaves a trace, whatever is printed meanwhile and however wide it is. */

import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { endedLine, runningLine } from "../../src/core/show_steps.ts";
import { screenOver } from "../../src/io/screen.ts";
import type { Screen } from "../../src/ports.ts";
import { rowsOf } from "../support/tiny_terminal.ts";

interface Desk {
  readonly screen: Screen;
  readonly written: () => string;
  readonly resize: (columns: number) => void;
}

function desk(start: number, colour: boolean): Desk {
  let columns = start;
  let written = "";
  const screen = screenOver({
    write: (text) => written += text,
    columns: () => columns,
    colour,
  });
  return { screen, written: () => written, resize: (to) => columns = to };
}

const word = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 60 });
const columns = fc.integer({ min: 10, max: 120 });

Deno.test("what stays on the screen is what was printed, whatever was drawn in between", () => {
  const act = fc.record({
    step: word,
    says: word,
    ms: fc.integer({ min: 0, max: 1e7 }),
    ends: fc.boolean(),
    ok: fc.boolean(),
  });
  fc.assert(
    fc.property(columns, fc.boolean(), fc.array(act, { maxLength: 12 }), (width, colour, acts) => {
      const { screen, written } = desk(width, colour);
      const paper = { columns: width, colour: false };
      const stays: string[] = [];
      for (const { ends, ...each } of acts) {
        screen.draw(runningLine(each, { columns: screen.columns(), colour }));
        if (!ends) continue;
        screen.print(endedLine(each, { columns: screen.columns(), colour }));
        stays.push(endedLine(each, paper).trimEnd());
      }
      screen.draw(null);
      assertEquals(rowsOf(written(), width), stays);
    }),
    { numRuns: 500 },
  );
});

Deno.test("a line is narrower than the terminal, and ASCII, whatever a step says", () => {
  const any = fc.string({ unit: "binary", maxLength: 80 });
  fc.assert(
    fc.property(any, any, fc.nat(1e9), columns, (step, says, ms, width) => {
      for (
        const line of [
          runningLine,
          (shown: Parameters<typeof runningLine>[0], paper: Parameters<typeof runningLine>[1]) =>
            endedLine({ ...shown, ok: true }, paper),
        ]
      ) {
        const made = line({ step, says, ms }, { columns: width, colour: false });
        assertEquals(
          made.length < width && /^[\x20-\x7e]*$/.test(made),
          true,
          JSON.stringify(made),
        );
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("after the terminal was made narrower the wrapped line goes as a whole", () => {
  const { screen, written, resize } = desk(80, false);
  screen.print("stays");
  const line = "x".repeat(79);
  screen.draw(line);
  resize(30);
  // What a terminal of 30 columns makes of the 79: three rows.
  const before = written().length;
  screen.draw("y");
  const shown = `stays\n${line}${written().slice(before)}`;
  assertEquals(rowsOf(shown, 30), ["stays", "y"]);
  screen.print("end");
  screen.draw(null);
  assertEquals(rowsOf(`stays\n${line}${written().slice(before)}`, 30), ["stays", "end"]);
});
