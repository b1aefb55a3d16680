/** Durations as compose prints them: Go's form, `1m30s`, `500ms`, `1h0m0s`. */

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Takes a duration, gives milliseconds, or null when it is none. */
export function parseDuration(text: string): number | null {
  if (text === "0") return 0;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== text) return null;
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNITS_MS[part[2] ?? ""] ?? 0), 0);
}
