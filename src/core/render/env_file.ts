/**
 * Renders `.env`: the plan's variables with their values, written so that compose reads back exactly
 * what OpenBao holds (SPEC §5). The one place in core that sees secrets; its result is one itself.
 */

import { AgentError } from "../../errors.ts";
import { Secret } from "../../model/secret.ts";
import { encodeVariables, MAX_ENVIRONMENT_BYTES } from "./env_encode.ts";
import type { EnvPlan } from "./env_plan.ts";
import { evaluate } from "./evaluate.ts";

/** Stands above the variables. Nothing in it changes from one apply to the next. */
const HEADER = `# Written by monky-deployd for docker compose, and replaced at the next apply.
# Other readers (a shell, docker run --env-file, dotenv libraries) get other values from this file.
`;

/**
 * Takes a plan without unresolved or reserved names and the value of every manifest variable; gives
 * the text of `.env`. Throws ENV_INCOMPLETE when a `:?` form meets an empty value,
 * ENV_VALUE_INVALID and ENV_TOO_LARGE for what an environment cannot carry.
 */
export function renderEnv(plan: EnvPlan, values: ReadonlyMap<string, Secret>): Secret {
  const lookup = (name: string): string | undefined => values.get(name)?.reveal();
  const variables = new Map<string, string>();
  let totalLength = 0;
  for (const [name, parts] of plan.variables) {
    const value = parts === null ? secretOf(name, lookup) : evaluate(parts, lookup);
    variables.set(name, value);
    totalLength += value.length;
    // What is there is too large already, and encodeVariables() says so: no need to make more of it.
    if (totalLength > 2 * MAX_ENVIRONMENT_BYTES) break;
  }
  return new Secret(HEADER + encodeVariables(variables));
}

function secretOf(name: string, lookup: (name: string) => string | undefined): string {
  const value = lookup(name);
  if (value !== undefined) return value;
  throw new AgentError("INTERNAL", `the value of ${name} was never read`);
}
