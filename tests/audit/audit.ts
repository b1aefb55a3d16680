/** The audit of all transports, told as the tables of docs/SECURITY.md. */

import { accountOf, type AuditedRun, faultsOf } from "../../scripts/audit/account.ts";
import { asDefault } from "../../scripts/audit/default_install.ts";
import { playLife } from "../../scripts/audit/play.ts";
import type { AuditPart } from "../../scripts/audit/table.ts";
import type { LabInfo } from "../../scripts/lab/mod.ts";
import { parseConfig } from "../../src/config/parse.ts";
import type { Transport } from "../../src/model/config.ts";
import { onWorld } from "./worlds.ts";

/** What the audit gave. */
export interface Audit {
  readonly parts: readonly AuditPart[];
  /** Grants never used, accesses never granted: a line each. */
  readonly faults: readonly string[];
}

/** The runs of a life under one set of grants. */
type Group = "tick" | "doctor";

const TITLES: Readonly<Record<Group, string>> = {
  tick: "`tick`, `run` and every other command",
  doctor: "`doctor`",
};

/** Plays a life on each of the transports, at the same time; gives what they showed. */
export async function auditAll(lab: LabInfo, transports: readonly Transport[]): Promise<Audit> {
  const ends = await Promise.allSettled(
    transports.map(async (transport) => ({ transport, runs: await told(lab, transport) })),
  );
  // Thrown when all have ended, so that no box is left behind.
  const lives = ends.map((end) => {
    if (end.status === "fulfilled") return end.value;
    throw end.reason;
  });
  const faults: string[] = [];
  const parts = (["tick", "doctor"] as const).map((group) => ({
    title: TITLES[group],
    lives: lives.map(({ transport, runs }) => {
      const account = accountOf(runs.filter(({ scene }) => (scene === "doctor") === isOf(group)));
      faults.push(...faultsOf(account).map((fault) => `${transport}, ${group}: ${fault}`));
      return { transport, uses: account.uses };
    }),
  }));
  return { parts, faults };
}

function isOf(group: Group): boolean {
  return group === "doctor";
}

/** A life, its paths and ports those of the default install. */
async function told(lab: LabInfo, transport: Transport): Promise<readonly AuditedRun[]> {
  return await onWorld(lab, transport, async (world) => {
    const { configPath } = world.box;
    const { config } = parseConfig(await Deno.readTextFile(configPath));
    const tell = asDefault(config, configPath);
    return (await playLife(world)).map(({ scene, granted, accesses }) => ({
      scene,
      granted: granted.map(tell),
      accesses: accesses.map(tell),
    }));
  });
}
