/** What of a global may be used: all of it but `except`, or none of it but `only`. */
export interface Limit {
  /** Members that are free of effects; everything else is refused. */
  readonly only?: readonly string[];
  /** Members that have effects; everything else is allowed. */
  readonly except?: readonly string[];
  /** What to do instead. */
  readonly instead: string;
}

const TIME = "take the time from the clock port in src/ports.ts";
const CHANCE = "take randomness from the port in src/ports.ts";
const NETWORK = "take the HTTP port of src/ports.ts as a parameter";
const RUNTIME = "take a port of src/ports.ts as a parameter and do the work in src/io";
const LOG = "take the log port of src/ports.ts as a parameter";
const GENERATED = "write the code out: text is never run as code here";

/** The globals that have effects, read the outside, or run text as code. */
export const LIMITS: ReadonlyMap<string, Limit> = new Map<string, Limit>([
  ["Deno", { instead: RUNTIME }],
  ["process", { instead: RUNTIME }],
  ["navigator", { instead: RUNTIME }],
  ["localStorage", { instead: RUNTIME }],
  ["sessionStorage", { instead: RUNTIME }],
  ["caches", { instead: RUNTIME }],
  ["prompt", { instead: RUNTIME }],
  ["confirm", { instead: RUNTIME }],
  ["alert", { instead: RUNTIME }],
  ["Worker", { instead: RUNTIME }],
  ["BroadcastChannel", { instead: RUNTIME }],
  ["fetch", { instead: NETWORK }],
  ["WebSocket", { instead: NETWORK }],
  ["WebSocketStream", { instead: NETWORK }],
  ["EventSource", { instead: NETWORK }],
  ["XMLHttpRequest", { instead: NETWORK }],
  ["console", { instead: LOG }],
  ["performance", { instead: TIME }],
  ["setTimeout", { instead: TIME }],
  ["setInterval", { instead: TIME }],
  ["setImmediate", { instead: TIME }],
  ["Date", { only: ["parse", "UTC"], instead: `${TIME}, or give Date an argument` }],
  ["Temporal", { except: ["Now"], instead: TIME }],
  ["AbortSignal", { except: ["timeout"], instead: TIME }],
  ["Math", { except: ["random"], instead: CHANCE }],
  ["crypto", { only: ["subtle"], instead: CHANCE }],
  ["eval", { instead: GENERATED }],
]);

/** Other names of the global object. */
export const GLOBAL_OBJECTS: ReadonlySet<string> = new Set([
  "globalThis",
  "self",
  "window",
  "global",
]);

/** What `main.ts`, which only hands over to `src/app.ts`, may use of `Deno`. */
export const MAIN_LIMIT: Limit = {
  only: ["args", "exitCode"],
  instead: "use only Deno.args and Deno.exitCode here and do the rest in src/app.ts",
};
