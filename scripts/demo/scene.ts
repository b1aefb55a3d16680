/** What a scene is, what it is shown, and what comes of it: types only. */

import type { AgentRun } from "../box/run.ts";
import type { RecordedReport } from "../tenancy/mod.ts";
import type { Check } from "./check.ts";
import type { Look } from "./look.ts";
import type { Story } from "./story.ts";

/** The world when the agent starts, in words. */
export interface Setting {
  /** What tenancy wants the box to run. */
  readonly wanted: string;
  /** What else happened since the last scene. */
  readonly meanwhile?: string;
}

/** What the agent did, seen from outside. */
export interface Seen {
  readonly run: AgentRun;
  /** Reports that tenancy accepted in this scene. */
  readonly reports: readonly RecordedReport[];
  /** How many leases tenancy granted in this scene. */
  readonly leases: number;
  /** The project before and after the tick. */
  readonly before: Look;
  readonly after: Look;
}

/** One scene: the world changes, the agent ticks once, and what came of it is looked at. */
export interface Scene {
  /** Its name in both outputs. */
  readonly name: string;
  /** One short sentence: why it matters. */
  readonly why: string;
  /** Changes the world; gives it in words. */
  prepare(story: Story): Promise<Setting>;
  /** Looks at what the tick did. */
  examine(story: Story, seen: Seen): Promise<readonly Check[]>;
}

/** How a scene went. `seen` is null when it did not come as far as the end of the tick. */
export interface SceneResult {
  readonly scene: string;
  readonly ok: boolean;
  readonly seen: Seen | null;
  readonly checks: readonly Check[];
}
