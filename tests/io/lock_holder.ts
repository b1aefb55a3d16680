/** Takes a lock under a umask that hides no mode, and holds it until it is killed. */

import { createLock } from "../../src/io/lock.ts";

Deno.umask(0);
await createLock().acquire(Deno.args[0] ?? "");
console.log("held");
await new Promise((resolve) => setTimeout(resolve, 60_000));
