/** Boxes whose way to tenancy and OpenBao is broken: mesh, names, clocks, certificates, a sealed server. */

import { testCerts } from "../io/tls_setup.ts";
import { type BrokenBox, configured, htmlPage, insteadOfBao, serve } from "./broken_boxes.ts";

/** Each with a fresh box of its own. */
export const BROKEN_WAY: readonly BrokenBox[] = [
  {
    broken: "the proxy does not run",
    spoil: (box) => box.paths.tenancy.refuse(),
    cause: "mesh",
    code: "TENANCY_UNAVAILABLE",
    fix: /systemctl restart monky-deployd-proxy\.service/,
  },
  {
    broken: "the proxy does not offer OpenBao",
    spoil: (box) => box.paths.bao.refuse(),
    cause: "mesh",
    code: "BAO_UNAVAILABLE",
    fix: /journalctl -u monky-deployd-proxy\.service/,
  },
  {
    broken: "the proxy takes connections and drops them: the host in the mesh is down",
    spoil: (box) => {
      box.paths.tenancy.faults.cutUpAfter = 1;
      return Promise.resolve();
    },
    cause: "mesh",
    code: "TENANCY_UNAVAILABLE",
    fix: /systemctl restart/,
  },
  {
    broken: "the mesh takes the request and says nothing",
    spoil: async (box) => {
      await box.configure({ tenancy: { timeout_s: 1 } });
      box.paths.tenancy.faults.silent = true;
    },
    cause: "mesh",
    code: "TENANCY_TIMEOUT",
    fix: /systemctl restart/,
  },
  {
    broken: "an address that the proxy does not map",
    spoil: configured(() => ({ tenancy: { proxy_addr: "127.0.0.1:1" } })),
    cause: "mesh",
    code: "TENANCY_UNAVAILABLE",
    fix: /systemctl restart/,
  },
  {
    broken: "transport system without a tunneler: a public answer",
    spoil: configured(() => ({ transport: "system", tenancy: { host: "localhost" } })),
    cause: "dns",
    code: "TRANSPORT_NOT_INTERCEPTED",
    fix: /systemctl restart ziti-edge-tunnel\.service; getent ahosts localhost/,
  },
  {
    broken: "transport system without a tunneler: no answer",
    spoil: configured(() => ({ transport: "system", tenancy: { host: "nowhere.invalid" } })),
    cause: "dns",
    code: "TENANCY_UNAVAILABLE",
    fix: /getent ahosts nowhere\.invalid/,
  },
  {
    broken: "tenancy's clock, or the box's, an hour off",
    spoil: async (box, later) => {
      const body = {
        env_id: box.env,
        desired: { state: "absent" },
        server_time: new Date(Date.now() + 3_600_000).toISOString(),
      };
      await box.configure({ tenancy: { proxy_addr: serve(() => Response.json(body), later) } });
    },
    cause: "clock",
    code: "CLOCK_OR_CERT",
    fix: /timedatectl set-ntp true/,
  },
  {
    broken: "another CA in bao.ca",
    spoil: configured(async (box) => {
      const ca = `${box.dir}/other-ca.pem`;
      await Deno.writeTextFile(ca, (await testCerts()).otherCaPem);
      return { bao: { ca } };
    }),
    cause: "tls",
    code: "TLS_REFUSED",
    fix: /bao\.ca in .*config\.yaml.*openssl s_client -connect 127\.0\.0\.1:/,
  },
  {
    broken: "a name that OpenBao's certificate does not have",
    spoil: configured(() => ({ bao: { addr: "https://other.example:8200" } })),
    cause: "tls",
    code: "TLS_REFUSED",
    fix: /-servername other\.example/,
  },
  {
    broken: "an expired certificate of OpenBao's",
    spoil: async (box, later) => {
      await box.configure(await insteadOfBao(box, later, { cert: "expired", answer: htmlPage }));
    },
    cause: "tls",
    code: "CLOCK_OR_CERT",
    fix: /timedatectl status; .*openssl s_client/,
  },
  {
    broken: "a web page in OpenBao's place",
    spoil: async (box, later) => {
      await box.configure(await insteadOfBao(box, later, { cert: "good", answer: htmlPage }));
    },
    cause: "openbao",
    code: "BAO_BAD_ANSWER",
    fix: /systemctl restart/,
  },
  {
    broken: "OpenBao is sealed",
    spoil: async (box, later) => {
      const health = {
        initialized: true,
        sealed: true,
        standby: true,
        server_time_utc: Math.floor(Date.now() / 1000),
        version: "2.7.2",
      };
      const answer = (): Response => Response.json(health, { status: 503 });
      await box.configure(await insteadOfBao(box, later, { cert: "good", answer }));
    },
    cause: "openbao",
    code: "BAO_SEALED",
    fix: /bao operator unseal/,
  },
];
