/** Grants held against accesses: where each grant was used, and what had none. Pure. */

import { covers } from "../../src/core/grants.ts";
import type { Access } from "./access.ts";

/** One run of the life. */
export interface AuditedRun {
  /** What was played: `first apply`, `doctor`. */
  readonly scene: string;
  readonly granted: readonly Access[];
  readonly accesses: readonly Access[];
}

/** A grant and the scenes that used it, in the order of the life. */
export interface Use extends Access {
  readonly scenes: readonly string[];
}

/** What a life showed. */
export interface Account {
  /** Every grant of any run; `scenes` is empty for one that nobody used. */
  readonly uses: readonly Use[];
  /** Accesses that no grant of their run covers: `scene: kind value`. */
  readonly ungranted: readonly string[];
}

/** Takes the runs of a life under the same grants; gives the account. */
export function accountOf(runs: readonly AuditedRun[]): Account {
  const uses = new Map<string, Access & { scenes: string[] }>();
  const ungranted: string[] = [];
  for (const { scene, granted, accesses } of runs) {
    for (const { kind, value } of granted) {
      const name = `${kind} ${value}`;
      const use = uses.get(name) ?? { kind, value, scenes: [] };
      uses.set(name, use);
      const isUsed = accesses.some((each) => each.kind === kind && covers(kind, value, each.value));
      if (isUsed && !use.scenes.includes(scene)) use.scenes.push(scene);
    }
    for (const { kind, value } of accesses) {
      const isCovered = granted.some((each) =>
        each.kind === kind && covers(kind, each.value, value)
      );
      if (!isCovered) ungranted.push(`${scene}: ${kind} ${value}`);
    }
  }
  return { uses: [...uses.values()], ungranted };
}

/** Takes an account; gives what is wrong with it, a line each. */
export function faultsOf({ uses, ungranted }: Account): readonly string[] {
  return [
    ...uses.filter(({ scenes }) => scenes.length === 0)
      .map(({ kind, value }) => `granted and never used: ${kind} ${value}`),
    ...ungranted.map((each) => `never granted: ${each}`),
  ];
}
