import { assertEquals } from "@std/assert";
import { reportError } from "../../src/cli/report_error.ts";
import { AgentError } from "../../src/errors.ts";

Deno.test("a list of problems is one event, and holds no line end that would be shown escaped", () => {
  const events: string[] = [];
  const log = { write: (_level: string, event: string): void => void events.push(event) };
  const message = "the config has 2 problems:\n  a: is missing\n  b: unknown key";
  reportError(log, new AgentError("CONFIG_INVALID", message));
  assertEquals(events, [
    "CONFIG_INVALID: the config has 2 problems: a: is missing; b: unknown key",
  ]);
});
