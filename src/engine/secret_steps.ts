/**
 * The steps that deal with secrets: `token` chooses what to read with, `secrets` reads, `render`
 * writes `.env`. Values stay in the work of the plan and in the one file.
 */

import { readSecrets } from "../clients/secrets.ts";
import type { StepArgs } from "../core/step.ts";
import { renderEnv } from "../core/render/env_file.ts";
import { withLife } from "../core/session_change.ts";
import { chooseToken, type TokenChoiceFacts } from "../core/token_choice.ts";
import { AgentError, asAgentError, hasCode } from "../errors.ts";
import type { ReadSecret } from "../clients/secrets.ts";
import type { Agent } from "./agent.ts";
import { leaseToken } from "./lease.ts";
import { factsOfToken } from "./session.ts";
import { need, type Work } from "./work.ts";

/** Choice, lookup, choice, lease, choice: no more turns than that. */
const MAX_TURNS = 5;

/** Settles which token the reads use (SPEC §5). Throws BAO_TOKEN_DEAD, TENANCY_*, BAO_*, GRANT_*. */
export async function tokenStep(
  agent: Agent,
  _args: StepArgs["token"],
  work: Work,
): Promise<void> {
  await settleToken(agent, work, "unasked");
}

async function settleToken(
  agent: Agent,
  work: Work,
  known: TokenChoiceFacts["lookup"],
): Promise<void> {
  const { memory } = work;
  let lookup = known;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const token = need(memory.session.token, "a token");
    const choice = chooseToken({
      now: agent.ports.clock.now(),
      token: factsOfToken(token),
      renewBelowS: agent.config.bao.renewBelowS,
      lookup,
      leased: work.leased,
    });
    agent.ports.log.write("debug", "token", { choice: choice.kind, why: choice.reason });
    switch (choice.kind) {
      case "reuse":
        work.confirmToken = choice.confirm;
        return;
      case "dead":
        throw new AgentError("BAO_TOKEN_DEAD", choice.reason);
      case "verify": {
        const answer = await agent.bao.lookupSelf(token.value);
        lookup = answer === null ? "dead" : { ttlS: answer.ttlS };
        break;
      }
      case "lease":
        await lease(agent, work, choice.tolerant);
        lookup = "unasked";
        break;
    }
  }
  throw new AgentError("INTERNAL", "the choice of a token does not end");
}

/** 0.1.6's lesson: a lease that tenancy will not give must not block a deploy that has a token. */
async function lease(agent: Agent, work: Work, tolerant: boolean): Promise<void> {
  work.leased = true;
  try {
    // After the reads a lease is for the next tick's token alone.
    const readsAfter = work.values === null ? work.bundle?.manifest.entries.length ?? 0 : 0;
    await leaseToken(agent, work.memory, { reason: "apply", readsAfter });
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (!tolerant || error.code !== "LEASE_RATE_LIMITED") throw error;
    agent.ports.log.write("warn", "lease rate-limited, applying with the token there is", {
      code: error.code,
    });
  }
}

/** Reads the bundle's secrets; a token that proves dead is replaced once. Throws SECRET_*, BAO_*. */
export async function secretsStep(
  agent: Agent,
  _args: StepArgs["secrets"],
  work: Work,
): Promise<void> {
  try {
    await read(agent, work);
  } catch (thrown) {
    if (!hasCode(thrown, "BAO_TOKEN_DEAD") || work.leased) throw thrown;
    await settleToken(agent, work, "dead");
    await read(agent, work);
  }
  await keepLookup(agent, work);
  const values = need(work.values, "values");
  agent.ports.log.write("info", "secrets read", {
    count: values.size,
    variables: [...values.keys()].sort().join(" "),
  });
}

/**
 * What lookup-self said beside the reads: a lease's token that lives too short is swapped now (SPEC
 * §5), and what was read stays read.
 */
async function keepLookup(agent: Agent, work: Work): Promise<void> {
  const { lookup, memory } = work;
  if (lookup === null) return;
  work.lookup = null;
  await memory.saveSession(withLife(memory.session, lookup.ttlS, agent.ports.clock.now()));
  await settleToken(agent, work, { ttlS: lookup.ttlS });
}

async function read(agent: Agent, work: Work): Promise<void> {
  const { entries } = need(work.bundle, "a bundle").manifest;
  const token = need(work.memory.session.token, "a token");
  const result = await readSecrets(agent.ports, {
    config: agent.config,
    token: token.value,
    entries,
    timeoutMs: agent.config.timeouts.secretsS * 1000,
    confirmToken: work.confirmToken,
    mask: (secret) => agent.mask.add(secret),
    signal: agent.ports.signals.stop,
  });
  work.values = result.values;
  work.lookup = result.lookup;
  work.secrets = [...result.values.entries()]
    .map(([name, { version }]) => ({ var: name, version }))
    .sort((left, right) => left.var < right.var ? -1 : 1);
}

/** Writes the release's `.env`. Throws ENV_*, DISK_FULL, FILE_UNWRITABLE. */
export async function renderStep(
  agent: Agent,
  { sha }: StepArgs["render"],
  work: Work,
): Promise<void> {
  const values = work.values ?? new Map<string, ReadSecret>();
  const revealed = new Map([...values].map(([name, { value }]) => [name, value]));
  await agent.releases.writeEnv(sha, renderEnv(need(work.env, "a plan of the .env"), revealed));
}
