/** Each row of the contract's table of statuses and codes, played by the development tenancy. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { onBox, onRunningBox, runningBundle } from "../support/boxes.ts";
import { webBundle } from "../support/bundles.ts";
import type { FaultSpec } from "../../scripts/tenancy/mod.ts";

interface Row {
  readonly name: string;
  readonly fault: FaultSpec;
  readonly code: number;
  readonly says: string;
}

const ROWS: readonly Row[] = [
  {
    name: "a check-in that knows the box under another env_id",
    fault: { kind: "env_mismatch", call: "checkin" },
    code: 1,
    says: "AGENT_ENV_MISMATCH",
  },
  {
    name: "a check-in answered for another env_id",
    fault: { kind: "other_env", call: "checkin" },
    code: 1,
    says: "AGENT_ENV_MISMATCH",
  },
  {
    name: "a bundle that tenancy does not have",
    fault: { kind: "not_found", call: "bundle" },
    code: 75,
    says: "BUNDLE_NOT_FOUND",
  },
  ...([["internal", 500], ["bad_gateway", 502], ["unavailable", 503]] as const).map(
    ([kind, status]): Row => ({
      name: `a check-in answered with ${status}`,
      fault: { kind, call: "checkin" },
      code: 75,
      says: "TENANCY_UNAVAILABLE",
    }),
  ),
  {
    name: "a check-in that is reset before any answer",
    fault: { kind: "reset", call: "checkin" },
    code: 75,
    says: "TENANCY_UNAVAILABLE",
  },
  {
    name: "a check-in cut in the middle of its body",
    fault: { kind: "cut_body", call: "checkin" },
    code: 75,
    says: "TENANCY_UNAVAILABLE",
  },
  {
    name: "a bundle cut in the middle of its body",
    fault: { kind: "reset_body", call: "bundle" },
    code: 75,
    says: "TENANCY_UNAVAILABLE",
  },
  {
    name: "a page of HTML for a check-in (case 70)",
    fault: { kind: "html", call: "checkin" },
    code: 75,
    says: "TENANCY_BAD_ANSWER",
  },
  {
    name: "a redirect for a check-in (case 73)",
    fault: { kind: "redirect", call: "checkin", location: "http://192.0.2.1/x?token=secret" },
    code: 1,
    says: "TENANCY_REDIRECTED",
  },
  {
    name: "a check-in without a field",
    fault: { kind: "missing_field", call: "checkin" },
    code: 1,
    says: "TENANCY_PROTOCOL",
  },
  {
    name: "a check-in with a mistyped field",
    fault: { kind: "mistyped_field", call: "checkin" },
    code: 1,
    says: "TENANCY_PROTOCOL",
  },
  {
    name: "a compressed check-in that nobody asked for (case 71)",
    fault: { kind: "gzip_body", call: "checkin" },
    code: 75,
    says: "TENANCY_BAD_ANSWER",
  },
];

/** Which containers there are and that they were not touched. */
async function standing(box: Box): Promise<readonly (readonly string[])[]> {
  return (await box.containers()).map(({ Id, State }) => [Id, State]);
}

Deno.test("each refusal and failure of tenancy ends the tick as the table says, services untouched", async (t) => {
  await onRunningBox(async (box) => {
    const before = await standing(box);
    const state = await box.state();
    await box.tenancy.publish(box.env, runningBundle("2"));
    for (const { name, fault, code, says } of ROWS) {
      await t.step(`${name}: exit ${code}`, async () => {
        const id = box.tenancy.faults.arm(fault);
        const run = await box.tick();
        box.tenancy.faults.clear(id);
        assertEquals(run.code, code, run.stderr);
        assertStringIncludes(run.stderr, says);
        assert(!run.stderr.includes("token=secret"), "a URL's query was logged");
        assertEquals(run.children, [], "compose was started");
        assertEquals(box.tenancy.record.leases.length, 0, "a lease was taken");
        assertEquals(await standing(box), before);
        assertEquals(await box.state(), state, "the state changed");
      });
    }
    const healed = await box.tick();
    assertEquals(healed.code, 0, healed.stderr);
  });
});

Deno.test("fields that the protocol does not know are ignored", async () => {
  await onRunningBox(async (box) => {
    box.tenancy.faults.arm({ kind: "extra_fields", call: "any" });
    await box.tenancy.publish(box.env, runningBundle("2"));
    assertEquals((await box.tick()).code, 0);
  });
});

Deno.test("401 with a fresh bootstrap grant on disk: bootstraps again in the same tick", async () => {
  await onRunningBox(async (box) => {
    await box.reveal();
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    const statuses = box.tenancy.record.requests.map((each) => each.status);
    assertEquals(statuses.at(-1), 200);
    const again = await box.tick();
    assertEquals(again.requests, { tenancy: 1, docker: 1, bao: 0 });
  });
});

Deno.test("401 without a grant: the token is deleted, exit 1, and the hint names the kit", async () => {
  await onRunningBox(async (box) => {
    await box.tenancy.retire(box.env);
    const run = await box.tick();
    assertEquals(run.code, 1, run.stderr);
    assertStringIncludes(run.stderr, "AGENT_UNAUTHENTICATED");
    assertStringIncludes(run.stderr, "install kit");
    const session = JSON.parse(await Deno.readTextFile(`${box.stateDir}/session.json`));
    assertEquals(session.token, null);
    assertEquals((await box.containers())[0]?.State, "running");
  });
});

Deno.test("the applied files desired again after a failed release: its failure is over, the serial is the new one", async () => {
  await onRunningBox(async (box) => {
    const { desired } = JSON.parse((await box.run(["status", "--json"])).stdout);
    await box.tenancy.publish(box.env, webBundle({ template: "A=${NOWHERE}\n" }));
    assertEquals((await box.tick()).code, 1);
    const again = await box.tenancy.publish(box.env, runningBundle("1"));
    assertEquals(again.sha, desired.sha);
    const run = await box.tick();
    assertEquals([run.code, run.children], [0, []], run.stderr);
    const { failed, applied } = JSON.parse((await box.run(["status", "--json"])).stdout);
    assertEquals([failed, applied.sha, applied.serial], [null, again.sha, desired.serial + 2]);
    const quiet = await box.tick();
    assertEquals([quiet.code, quiet.writes], [0, []], quiet.stderr);
    const told = box.tenancy.record.checkins.at(-1);
    assertEquals([told?.failed, told?.applied?.serial], [null, again.serial]);
  });
});

Deno.test("a rate-limited lease does not stop an apply while a token works", async () => {
  await onBox(async (box) => {
    await box.secret("key", { value: "v" });
    await box.reveal();
    await box.tenancy.publish(box.env, runningBundle("1"));
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    assertEquals(box.tenancy.record.leases, []);
    assertEquals(box.tenancy.record.reports.at(-1)?.token_source, "bootstrap");
  }, { leasesPerHour: 0 });
});

Deno.test("a legacy lease is refused loudly, and no container is touched", async () => {
  for (const field of ["role_id", "secret_id", "mixed"]) {
    await onBox(async (box) => {
      await box.secret("key", { value: "v" });
      await box.reveal();
      await box.tenancy.publish(box.env, runningBundle("1"));
      box.tenancy.faults.arm({ kind: "legacy_lease", call: "lease", field });
      const run = await box.tick();
      assertEquals(run.code, 1, run.stderr);
      assertStringIncludes(run.stderr, "LEGACY_LEASE_REFUSED");
      assertEquals(await box.containers(), []);
      const report = box.tenancy.record.reports.at(-1);
      assertEquals([report?.result, report?.code], ["failed", "LEGACY_LEASE_REFUSED"]);
    });
  }
});

Deno.test("a check-in that is never answered ends with the deadline", async () => {
  await onRunningBox(async (box) => {
    box.tenancy.faults.arm({ kind: "never_answer", call: "checkin" });
    const run = await box.tick();
    assertEquals(run.code, 75, run.stderr);
    assertStringIncludes(run.stderr, "TENANCY_TIMEOUT");
    // Less than the thirty seconds that it is without the config.
    assert(run.ms < 20_000, `${run.ms} ms`);
  }, { config: { tenancy: { timeout_s: 2 } } });
});

Deno.test("an unreachable mesh: exit 75, the phase is named, services untouched", async () => {
  await onRunningBox(async (box) => {
    await box.paths.tenancy.refuse();
    const run = await box.tick();
    assertEquals(run.code, 75, run.stderr);
    assertStringIncludes(run.stderr, "phase=dial");
    assertEquals((await box.containers())[0]?.State, "running");
    await box.paths.tenancy.heal();
    assertEquals((await box.tick()).code, 0);
  });
});

Deno.test("a report whose answer is lost is delivered once, with the next tick", async () => {
  await onRunningBox(async (box) => {
    box.tenancy.faults.arm({ kind: "lost_answer", call: "report", times: 1 });
    await box.tenancy.publish(box.env, runningBundle("2"));
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    assertStringIncludes(run.stderr, "report kept for the next tick");
    const next = await box.tick();
    assertEquals([next.code, next.children], [0, []]);
    const reports = box.tenancy.record.reports;
    assertEquals(reports.map((each) => [each.result, each.duplicates]), [["applied", 1]]);
    assertEquals((await box.state())?.["outbox"], []);
  });
});

Deno.test("case 67: a report that tenancy cannot take never turns a good deploy into a failed one", async () => {
  await onRunningBox(async (box) => {
    box.tenancy.faults.arm({ kind: "unavailable", call: "report" });
    await box.tenancy.publish(box.env, runningBundle("2"));
    const first = await box.tick();
    assertEquals(first.code, 0, first.stderr);
    const second = await box.tick();
    assertEquals([second.code, second.children], [0, []], second.stderr);
    box.tenancy.faults.clear();
    assertEquals((await box.tick()).code, 0);
    assertEquals(box.tenancy.record.reports.map((each) => each.result), ["applied"]);
  });
});

Deno.test("a whole life leaves no violation of the protocol in tenancy's record", async () => {
  await onRunningBox(async (box) => {
    await box.tenancy.publish(box.env, webBundle({ template: "A=${MISSING}\n" }));
    await box.tick();
    await box.tenancy.publish(box.env, runningBundle("3"));
    await box.tick();
    await box.tenancy.setAbsent(box.env);
    await box.tick();
    assertEquals(box.tenancy.record.violations, []);
    assertEquals(
      box.tenancy.record.reports.map((each) => each.result),
      ["failed", "applied", "removed"],
    );
  });
});
