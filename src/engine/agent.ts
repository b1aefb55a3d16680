/**
 * The agent's parts, wired: what the engine's functions are given. No part is a singleton, so a test
 * wires its own.
 */

import type { Compose } from "../clients/compose.ts";
import type { PluginFile } from "../clients/compose_plugin.ts";
import type { Docker } from "../clients/docker.ts";
import type { GrantFile } from "../clients/grant_file.ts";
import type { JournalStore } from "../clients/journal_store.ts";
import type { OpenBao } from "../clients/openbao.ts";
import type { RegistryAccounts } from "../clients/registry_accounts.ts";
import type { ProjectFolder } from "../clients/project_folder.ts";
import type { Releases } from "../clients/releases.ts";
import type { SessionStore } from "../clients/session_store.ts";
import type { StateStore } from "../clients/state_store.ts";
import type { Tenancy } from "../clients/tenancy.ts";
import type { Config } from "../model/config.ts";
import type { Mask } from "../model/mask.ts";
import type { Ports } from "../ports.ts";

/** Everything a command of the agent works with. */
export interface Agent {
  readonly config: Config;
  readonly version: string;
  readonly ports: Ports;
  readonly mask: Mask;
  readonly tenancy: Tenancy;
  readonly bao: OpenBao;
  readonly docker: Docker;
  /** Finds the plugin's file. Throws COMPOSE_MISSING. */
  readonly composePlugin: () => Promise<PluginFile>;
  /** Opens the plugin that is there; a converged tick never does. Throws COMPOSE_MISSING. */
  readonly compose: () => Promise<Compose>;
  readonly states: StateStore;
  readonly sessions: SessionStore;
  readonly journal: JournalStore;
  readonly grants: GrantFile;
  readonly releases: Releases;
  readonly project: ProjectFolder;
  readonly registries: RegistryAccounts;
}
