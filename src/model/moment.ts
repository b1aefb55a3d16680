/**
 * Moments as the agent's own files keep them. A file is read as it lies there, whoever wrote it: a
 * moment that no date can name would end every command that shows it, so it makes the file unreadable.
 */

import * as z from "zod/mini";

/** The end of the year 9999, in epoch milliseconds: RFC 3339 names none after it. */
export const LAST_MOMENT_MS = 253_402_300_799_999;

/** Epoch milliseconds that RFC 3339 can name. */
export const epochMs = z.number().check(z.minimum(0), z.maximum(LAST_MOMENT_MS));

/** RFC 3339 text. */
export const moment = z.iso.datetime({ offset: true });
