/**
 * The client side of the transport tests, a program of its own so that it runs under exactly the
 * flags that a config yields. Takes `[{config, exchanges}]` as JSON, runs the named exchanges under
 * each config in order, prints `{exchange: outcome}`.
 */

import { parseConfig } from "../../src/config/parse.ts";
import { createHttp, httpOptions } from "../../src/io/mod.ts";
import { EXCHANGES, outcomeOf } from "./exchanges.ts";

/** What is to be done under one config. */
export interface ClientPlan {
  readonly config: string;
  readonly exchanges: readonly string[];
}

if (import.meta.main) {
  const plans = JSON.parse(Deno.args[0] ?? "[]") as readonly ClientPlan[];
  const outcomes: Record<string, string> = {};
  for (const { config: path, exchanges } of plans) {
    const { config } = parseConfig(await Deno.readTextFile(path));
    const caPem = config.bao.ca === null ? null : await Deno.readTextFile(config.bao.ca);
    const http = createHttp(httpOptions(config, caPem));
    for (const exchange of EXCHANGES.filter(({ name }) => exchanges.includes(name))) {
      outcomes[exchange.name] = await outcomeOf(exchange, http);
    }
    await http.close();
  }
  console.log(JSON.stringify(outcomes));
}
