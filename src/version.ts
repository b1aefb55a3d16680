/** The version of the agent: the one constant, equal to deno.json's (a test holds them together). */

/** Semantic version, without a leading `v`. */
export const VERSION = "0.2.0";

/** The User-Agent of every request (SPEC §3). */
export const USER_AGENT = `monky-deployd/${VERSION}`;
