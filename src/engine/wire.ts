/** Wires the clients of one agent from its config and ports. Constructs and does nothing else. */

import { findPlugin, type PluginFile } from "../clients/compose_plugin.ts";
import { createDocker } from "../clients/docker.ts";
import { createGrantFile } from "../clients/grant_file.ts";
import { createJournalStore } from "../clients/journal_store.ts";
import { createOpenBao } from "../clients/openbao.ts";
import { createProjectFolder } from "../clients/project_folder.ts";
import { createRegistryAccounts } from "../clients/registry_accounts.ts";
import { createReleases } from "../clients/releases.ts";
import { createSessionStore } from "../clients/session_store.ts";
import { createStateStore } from "../clients/state_store.ts";
import { createTenancy } from "../clients/tenancy.ts";
import { composeCandidates } from "../core/permissions.ts";
import type { Config } from "../model/config.ts";
import type { Mask } from "../model/mask.ts";
import type { Secret } from "../model/secret.ts";
import type { Ports } from "../ports.ts";
import { VERSION } from "../version.ts";
import type { Agent } from "./agent.ts";

/** The Engine answers lists and inspections at once, or something is wrong with it. */
const DOCKER_TIMEOUT_MS = 20_000;

/** What the agent is made of besides its config. */
export interface WireOptions {
  readonly ports: Ports;
  readonly mask: Mask;
  /** The user that owns the state folder; null when there is none yet. */
  readonly ownUid: number | null;
}

/** Takes the config (bundle keys read already) and the ports; gives the agent. Throws nothing. */
export function wireAgent(config: Config, { ports, mask, ownUid }: WireOptions): Agent {
  const { envId, stateDir } = config;
  const hide = (secret: Secret): void => mask.add(secret);
  const findCompose = (): Promise<PluginFile> => findPlugin(ports.files, composeCandidates(config));
  return {
    config,
    version: VERSION,
    ports,
    mask,
    tenancy: createTenancy(ports, {
      envId,
      timeoutMs: config.tenancy.timeoutS * 1000,
      fetchTimeoutMs: config.timeouts.fetchS * 1000,
    }),
    bao: createOpenBao(ports, config, { mask: hide }),
    docker: createDocker(ports.http, { timeoutMs: DOCKER_TIMEOUT_MS }),
    composePlugin: findCompose,
    compose: async () => {
      const { createCompose } = await import("../clients/compose.ts");
      return createCompose(ports.exec, { plugin: (await findCompose()).path });
    },
    states: createStateStore(ports, { stateDir, envId, project: config.composeProject }),
    sessions: createSessionStore(ports, { stateDir, envId, mask: hide }),
    journal: createJournalStore(ports, { stateDir }),
    grants: createGrantFile(ports, { path: config.bootstrapFile, ownUid, mask: hide }),
    releases: createReleases(ports, config.deployDir),
    project: createProjectFolder(ports, config.deployDir),
    registries: createRegistryAccounts(ports, { dir: `${stateDir}/docker`, mask: hide }),
  };
}
