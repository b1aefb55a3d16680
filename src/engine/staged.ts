/** A release on disk, read back as the parts of a bundle that its `.env` is planned from. */

import { AgentError } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import { parseManifest } from "../model/manifest_parse.ts";
import type { Agent } from "./agent.ts";

/** The text files of a release that say what its `.env` holds. */
export type StagedTexts = Pick<Bundle, "template" | "manifest" | "compose">;

/** Reads them. Throws FILE_UNREADABLE when the release is not complete, MANIFEST_INVALID. */
export async function readStagedBundle(agent: Agent, sha: string): Promise<StagedTexts> {
  const { root, compose } = agent.releases.paths(sha);
  const composeBytes = await agent.releases.readOwn(compose);
  if (composeBytes === null) {
    throw new AgentError(
      "FILE_UNREADABLE",
      `release ${sha.slice(0, 12)} has no docker-compose.yml`,
    );
  }
  const template = await agent.releases.readOwn(`${root}/.env.template`);
  const manifest = await agent.releases.readOwn(`${root}/manifest.json`);
  const text = new TextDecoder();
  return {
    compose: text.decode(composeBytes),
    template: template === null ? null : text.decode(template),
    manifest: manifest === null ? { entries: [], registries: [] } : parseManifest(manifest),
  };
}
