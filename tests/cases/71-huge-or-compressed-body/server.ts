/** Case 71: 200,000,000 zeros, as 194 KB of gzip at /gzip and as they are at /plain. Prints its port. */

import zlib from "node:zlib";

const zeros = new Uint8Array(200_000_000);
const packed = new Uint8Array(zlib.gzipSync(zeros));
Deno.serve(
  {
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.log(port),
  },
  (request) =>
    request.url.endsWith("/gzip")
      ? new Response(packed, {
        headers: { "content-encoding": "gzip", "content-type": "application/json" },
      })
      : new Response(zeros, { headers: { "content-type": "application/json" } }),
);
