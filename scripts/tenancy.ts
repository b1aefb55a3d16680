// `deno task tenancy`: starts the command line with the real terminal and signals.

import { runTenancy } from "./tenancy/cli/main.ts";

const stop = new AbortController();
// Only `serve` has something to put in order; every other command may simply be killed.
const signals: readonly Deno.Signal[] = Deno.args[0] === "serve" ? ["SIGINT", "SIGTERM"] : [];
const onSignal = (): void => stop.abort();
for (const signal of signals) Deno.addSignalListener(signal, onSignal);
Deno.exitCode = await runTenancy(Deno.args, {
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  stop: stop.signal,
});
for (const signal of signals) Deno.removeSignalListener(signal, onSignal);
