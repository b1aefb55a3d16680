/**
 * What the steps of one plan hand to each other. Secrets live here and nowhere else, for as long as
 * the plan runs. A step that needs what no earlier step left is a bug, and says which.
 */

import type { EnvPlan } from "../core/render/env_plan.ts";
import { AgentError } from "../errors.ts";
import type { ReadSecret } from "../clients/secrets.ts";
import type { Bundle, SecretVersion } from "../model/bundle.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import type { Container, Released } from "../model/containers.ts";
import type { TokenLookup } from "../model/bao_wire.ts";
import type { Memory } from "./memory.ts";

/** Filled by the steps, in their order. */
export interface Work {
  readonly memory: Memory;
  readonly sha: string;
  /** The bundle that is applied; null for a repair or a removal. */
  readonly bundle: Bundle | null;
  readonly env: EnvPlan | null;
  /** Lookup-self may run beside the reads. */
  confirmToken: boolean;
  /** A lease was asked for in this apply already. */
  leased: boolean;
  /** What lookup-self said beside the reads. */
  lookup: TokenLookup | null;
  values: ReadonlyMap<string, ReadSecret> | null;
  secrets: readonly SecretVersion[];
  model: ComposeModel | null;
  /** Services mount paths of the box that the bundle does not bring. */
  bindsBeyondBundle: boolean;
  containers: readonly Container[];
  released: Released | null;
  /** The project's containers may differ from what they were before. */
  touched: boolean;
  /** Last lines of services or of compose, masked and bounded, for the report. */
  evidence: string | null;
}

/** Gives the work of a plan that has not begun. */
export function newWork(
  start: Pick<Work, "memory" | "sha" | "bundle" | "env" | "containers"> & {
    readonly secrets?: Work["secrets"];
  },
): Work {
  return {
    ...start,
    confirmToken: false,
    leased: false,
    lookup: null,
    values: null,
    secrets: start.secrets ?? [],
    model: null,
    bindsBeyondBundle: false,
    released: null,
    touched: false,
    evidence: null,
  };
}

/** Takes what an earlier step should have left; gives it. Throws INTERNAL naming what is missing. */
export function need<T>(value: T | null, what: string): T {
  if (value === null) throw new AgentError("INTERNAL", `a step ran before there was ${what}`);
  return value;
}
