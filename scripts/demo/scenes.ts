/** The scenes in their order: each goes on where the one before it ended. */

import type { Scene } from "./scene.ts";
import { ABSENT } from "./scenes/absent.ts";
import { BROKEN_RELEASE } from "./scenes/broken_release.ts";
import { FIRST_DEPLOY } from "./scenes/first_deploy.ts";
import { INCOMPLETE_BUNDLE } from "./scenes/incomplete_bundle.ts";
import { NEW_RELEASE } from "./scenes/new_release.ts";
import { NOTHING_TO_DO } from "./scenes/nothing_to_do.ts";
import { OLDER_RELEASE } from "./scenes/older_release.ts";
import { REPAIR } from "./scenes/repair.ts";

/** A box's life. */
export const SCENES: readonly Scene[] = [
  FIRST_DEPLOY,
  NOTHING_TO_DO,
  NEW_RELEASE,
  REPAIR,
  BROKEN_RELEASE,
  OLDER_RELEASE,
  INCOMPLETE_BUNDLE,
  ABSENT,
];
