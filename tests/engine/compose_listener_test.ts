import { assertEquals } from "@std/assert";
import type { Agent } from "../../src/engine/agent.ts";
import { composeCall } from "../../src/engine/compose_calls.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { Mask } from "../../src/model/mask.ts";
import { Secret } from "../../src/model/secret.ts";
import type { LogFields, Watch } from "../../src/ports.ts";

const { config } = parseConfig("env_id: env-qa-02\nsite: cbs\n");

interface Heard {
  readonly agent: Agent;
  readonly logged: string[];
  readonly watched: string[];
}

/** An agent as far as a call of compose needs one. */
function agentFor(shown: { readonly debug: boolean; readonly watch: boolean }): Heard {
  const logged: string[] = [];
  const watched: string[] = [];
  const mask = new Mask();
  mask.add(new Secret("sesame-123"));
  const watch: Watch = {
    begin: () => {},
    progress: (line) => void watched.push(line),
    end: () => {},
  };
  const log = {
    shows: () => shown.debug,
    write: (_level: string, _event: string, fields: LogFields = {}): void => {
      logged.push(String(fields["says"]));
    },
  };
  const ports = {
    log,
    signals: { stop: new AbortController().signal },
    ...(shown.watch ? { watch } : {}),
  };
  return { agent: { config, mask, ports } as unknown as Agent, logged, watched };
}

const OPTIONS = { timeoutS: 1, cwd: "/" };

Deno.test("where nobody looks, no line of a child is cleaned, masked or even handed on", () => {
  const { agent } = agentFor({ debug: false, watch: false });
  assertEquals("onProgress" in composeCall(agent, ["pull"], OPTIONS), false);
});

Deno.test("a line that is logged is masked; who watches gets it as it came, to count in it", () => {
  const { agent, logged, watched } = agentFor({ debug: true, watch: true });
  const line = " \x1b[1msesame-123 Pulling ";
  composeCall(agent, ["pull"], OPTIONS).onProgress?.(line);
  assertEquals([logged, watched], [["[redacted] Pulling"], [line]]);
  const quiet = agentFor({ debug: false, watch: true });
  composeCall(quiet.agent, ["pull"], OPTIONS).onProgress?.(line);
  assertEquals([quiet.logged, quiet.watched], [[], [line]]);
});
