/** Takes a lock and holds it until it is killed. */

import { createLock } from "../../src/io/lock.ts";

await createLock().acquire(Deno.args[0] ?? "");
console.log("held");
await new Promise((resolve) => setTimeout(resolve, 60_000));
