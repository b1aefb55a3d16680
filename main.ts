/** The process: arguments in, exit code out. Everything else is in src/app.ts. */

import { run } from "./src/app.ts";

Deno.exitCode = await run(Deno.args);
