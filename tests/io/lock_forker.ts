/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * A worker that starts a hundred programs and says so: from its fork to its exec a child holds copies
 * of all that its process has open.
 */

let started = 0;
for (; started < 100; started += 1) await new Deno.Command("/bin/true").output();
self.postMessage(started);
