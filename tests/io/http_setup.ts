/** What the HTTP tests share: a port that reaches loopback servers, and requests to send through it. */

import { createDialer } from "../../src/io/create_dialer.ts";
import { createHttp, type HttpOptions } from "../../src/io/http.ts";
import type { Http, HttpRequest } from "../../src/ports.ts";

/** Where the test's servers listen; what is left out answers to nobody. */
export interface TestHttpOptions {
  readonly tenancyPort?: number;
  readonly baoPort?: number;
  readonly baoHost?: string;
  readonly socket?: string;
  readonly caPem?: string | null;
  readonly maxConnections?: number;
}

/** Gives an HTTP port over the proxy transport: tenancy in plain HTTP, OpenBao over TLS. */
export function testHttp(options: TestHttpOptions): Http {
  return createHttp(testHttpOptions(options));
}

/** Gives the options of testHttp. */
export function testHttpOptions(options: TestHttpOptions): HttpOptions {
  const { tenancyPort = 1, baoPort = 1, baoHost = "vault.internal" } = options;
  return {
    endpoints: {
      tenancy: { scheme: "http", host: "monky.tenancy.deploy", port: 443, service: "t" },
      bao: { scheme: "https", host: baoHost, port: 8200, service: "b" },
      docker: { socket: options.socket ?? "/nonexistent/docker.sock" },
    },
    dialer: createDialer({
      transport: "proxy",
      mappings: [
        {
          name: { host: "monky.tenancy.deploy", port: 443 },
          address: { host: "127.0.0.1", port: tenancyPort },
        },
        { name: { host: baoHost, port: 8200 }, address: { host: "127.0.0.1", port: baoPort } },
      ],
      ipRange: "100.64.0.0/10",
      sdk: {
        node: "node",
        bridge: "/nonexistent/bridge.cjs",
        identity: "/nonexistent/identity.json",
        folder: "/nonexistent",
        services: { tenancy: "t", bao: "b" },
        onExpiring: (): void => {},
      },
    }),
    caPem: options.caPem ?? null,
    ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
  };
}

/** Gives a small request to tenancy, changed as told; its deadline is none that a slow machine meets. */
export function testRequest(changes: Partial<HttpRequest> = {}): HttpRequest {
  return {
    peer: "tenancy",
    method: "GET",
    target: "/agent/v1/x?token=TOPSECRET",
    headers: { authorization: "Bearer TOPSECRET" },
    timeoutMs: 20_000,
    maxBodyBytes: 1000,
    ...changes,
  };
}
