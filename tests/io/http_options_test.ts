/** From the config to the wire: each remote keeps its own name, scheme and forwarded address. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseConfig } from "../../src/config/parse.ts";
import { createHttp } from "../../src/io/http.ts";
import { httpOptions } from "../../src/io/http_options.ts";
import { testRequest } from "./http_setup.ts";
import { plainReply, rawServer } from "./raw_server.ts";

Deno.test("tenancy and OpenBao are dialled at their own proxy address, OpenBao always over TLS", async () => {
  const tenancy = rawServer(async (peer) => {
    await peer.request();
    await peer.send(plainReply("{}"));
  });
  let hello = 0;
  const bao = rawServer(async (peer) => {
    const first = new Uint8Array(1);
    await peer.conn.read(first);
    hello = first[0] ?? 0;
  });
  const { config } = parseConfig(`env_id: env-qa-02
site: lab
transport: proxy
tenancy: {proxy_addr: "127.0.0.1:${tenancy.port}"}
bao: {addr: "https://bao.example:8200", proxy_addr: "127.0.0.1:${bao.port}"}
docker: {host: "unix:///nonexistent/docker.sock"}
`);
  const http = createHttp(httpOptions(config, null));
  assertEquals((await http.request(testRequest())).status, 200);
  assertStringIncludes(tenancy.requests[0] ?? "", "host: monky.tenancy.deploy:443\r\n");
  await http.request(testRequest({ peer: "bao" })).catch(() => {});
  const docker = await http.request(testRequest({ peer: "docker" })).catch((thrown) => thrown);
  assertStringIncludes(docker.message, "/nonexistent/docker.sock");
  await tenancy.close();
  await bao.close();
  // 0x16: a TLS handshake record, not a request in the clear.
  assertEquals([hello, tenancy.connections, bao.connections], [0x16, 1, 1]);
});
