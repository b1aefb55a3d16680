/** Reports that tenancy does not have yet: what one of them meets says nothing about the others. */

import { assertEquals } from "@std/assert";
import { deliverReports } from "../../src/engine/outbox.ts";
import { AgentError, type ErrorData } from "../../src/errors.ts";
import { Secret } from "../../src/model/secret.ts";
import type { Report } from "../../src/model/state.ts";
import { sessionBox } from "./session_box.ts";

const AT = "2026-11-30T08:00:00.000Z";

function reportOf(report_id: string): Report {
  return {
    ...{
      report_id,
      env_id: "env-a",
      sha: null,
      serial: null,
      result: "failed",
      agent_version: "1",
    },
    ...{ started_at: AT, finished_at: AT, token_source: null, steps: [], services: [] },
    secrets: [],
  };
}

/** Delivers a, b and c, of which b meets the failure; gives which were sent and which are kept. */
async function deliver(
  code: AgentError["code"],
  data: ErrorData,
): Promise<{ readonly sent: readonly string[]; readonly kept: readonly string[] }> {
  const box = await sessionBox();
  const memory = await box.memory();
  await memory.saveState({ ...memory.state, outbox: ["a", "b", "c"].map(reportOf) });
  const sent: string[] = [];
  const report = (_token: Secret, { report_id }: Report): Promise<void> => {
    sent.push(report_id);
    return report_id === "b"
      ? Promise.reject(new AgentError(code, "it failed", { data }))
      : Promise.resolve();
  };
  const agent = { ...box.agent, tenancy: { ...box.agent.tenancy, report } };
  await deliverReports(agent, memory, new Secret("t"));
  return { sent, kept: memory.state.outbox.map((each) => each.report_id) };
}

Deno.test("field: a report that something on the way never lets through does not hold up those behind it", async () => {
  // A proxy's own limit of a body's size, or its filter: a page of its own at 4xx.
  for (const status of [400, 403, 413]) {
    const { sent, kept } = await deliver("TENANCY_BAD_ANSWER", { status });
    assertEquals([sent, kept], [["a", "b", "c"], ["b"]], String(status));
  }
});

Deno.test("field: when tenancy is away, or somebody else answers for it, the rest waits", async () => {
  const cases: readonly (readonly [AgentError["code"], ErrorData])[] = [
    ["TENANCY_UNAVAILABLE", {}],
    ["TENANCY_TIMEOUT", { phase: "headers" }],
    ["TENANCY_BAD_ANSWER", { status: 200 }],
    // A proxy that does not know tenancy, or wants a login of its own, says so to every report.
    ["TENANCY_BAD_ANSWER", { status: 404 }],
    ["TENANCY_BAD_ANSWER", { status: 407 }],
    ["TENANCY_REDIRECTED", { status: 302 }],
  ];
  for (const [code, data] of cases) {
    const { sent, kept } = await deliver(code, data);
    assertEquals([sent, kept], [["a", "b"], ["b", "c"]], `${code} ${JSON.stringify(data)}`);
  }
  const refused = await deliver("TENANCY_REFUSED", { status: 422 });
  assertEquals([refused.sent, refused.kept], [["a", "b", "c"], []]);
});
