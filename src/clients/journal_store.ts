/**
 * What is kept for the person who looks, beside state.json: history.json and last_tick.json in the
 * state folder, under the tick's lock. No decision reads them, so a broken one just starts anew.
 */

import { type ApplyRecord, formatHistory, parseHistory } from "../model/history.ts";
import { formatLastTick, type LastTick, parseLastTick } from "../model/last_tick.ts";
import type { Ports } from "../ports.ts";
import { createPrivateJson } from "./private_json.ts";

/** 50 applies of some 20 steps are some 100 KiB. */
const MAX_HISTORY_BYTES = 4 << 20;
const MAX_LAST_TICK_BYTES = 64 << 10;

/** Reads and writes both. Every call may throw FILE_UNREADABLE; a write DISK_FULL, FILE_UNWRITABLE. */
export interface JournalStore {
  /** Gives the past applies, oldest first; null when none was kept. Changes nothing. */
  applies(): Promise<readonly ApplyRecord[] | null>;
  /** Replaces them. */
  writeApplies(applies: readonly ApplyRecord[]): Promise<void>;
  /** Gives what is kept of the last tick, or null. Changes nothing. */
  lastTick(): Promise<LastTick | null>;
  /** Says whether exactly this is kept; looks at bytes alone, since each tick asks. */
  isLastTick(tick: LastTick): Promise<boolean>;
  /** Replaces it. */
  writeLastTick(tick: LastTick): Promise<void>;
}

/** Makes the store; throws nothing. */
export function createJournalStore(
  { files }: Pick<Ports, "files">,
  { stateDir }: { readonly stateDir: string },
): JournalStore {
  const history = createPrivateJson({ files }, {
    dir: stateDir,
    name: "history.json",
    maxBytes: MAX_HISTORY_BYTES,
    parse: parseHistory,
  });
  const lastTick = createPrivateJson({ files }, {
    dir: stateDir,
    name: "last_tick.json",
    maxBytes: MAX_LAST_TICK_BYTES,
    parse: parseLastTick,
  });
  return {
    applies: async () => (await history.read({ repair: false })).value,
    writeApplies: (applies) => history.write(formatHistory(applies)),
    lastTick: async () => (await lastTick.read({ repair: false })).value,
    isLastTick: async (tick) => {
      const kept = await files.read(`${stateDir}/last_tick.json`, MAX_LAST_TICK_BYTES);
      const bytes = formatLastTick(tick);
      return kept !== null && kept.length === bytes.length &&
        kept.every((byte, index) => byte === bytes[index]);
    },
    writeLastTick: (tick) => lastTick.write(formatLastTick(tick)),
  };
}
