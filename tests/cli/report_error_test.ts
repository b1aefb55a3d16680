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

Deno.test("where more is to be read is told once: by the hint, or else beside it", () => {
  const details = (error: AgentError): unknown => {
    let told: unknown;
    reportError({ write: (_level, _event, fields) => void (told = fields?.["details"]) }, error);
    return told;
  };
  assertEquals(details(new AgentError("UNHEALTHY", "web exited with 3")), undefined);
  assertEquals(details(new AgentError("TENANCY_TIMEOUT", "no answer")), undefined);
  assertEquals(details(new AgentError("PORT_IN_USE", "taken")), "monky-deployd status");
  assertEquals(details(new AgentError("GRANT_MISSING", "no grant")), "monky-deployd doctor");
});
