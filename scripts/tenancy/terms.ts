// The two types that every part of tenancy shares.

/** Where tenancy reads the time: `now()` gives milliseconds since 1970. */
export interface Clock {
  /** The time now. */
  now(): number;
}

/** One of the four calls of protocol v1. */
export type Call = "checkin" | "bundle" | "lease" | "report";
