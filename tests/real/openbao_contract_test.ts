/**
 * OpenBao itself against the contract list, through the agent's own HTTP port: TLS with the private
 * CA, one server of the test's own, since the list seals and restarts it.
 */

import { assert, assertEquals } from "@std/assert";
import {
  adminRequest,
  type BaoHandle,
  configureRole,
  deleteVersion,
  destroyVersion,
  type LabInfo,
  mintGrant,
  putSecret,
  readLab,
  removeQuota,
  seal,
  setQuota,
  startBao,
  startBaoCluster,
  unseal,
} from "../../scripts/lab/mod.ts";
import { signJwt } from "../../scripts/lab/grant.ts";
import { readSecrets } from "../../src/clients/secrets.ts";
import { createOpenBao } from "../../src/clients/openbao.ts";
import { createClock } from "../../src/io/clock.ts";
import { createProxyDialer } from "../../src/io/dialer_proxy.ts";
import { createHttp } from "../../src/io/mod.ts";
import { Secret } from "../../src/model/secret.ts";
import type { Http } from "../../src/ports.ts";
import { CONTRACT } from "../contract/openbao.ts";
import type { BaoSetup } from "../contract/openbao_setup.ts";

const lab = await readLab();
const NAME = { host: "bao.cbs.tikali.net", port: 8200 };

function httpTo(port: number, caPem: string): Http {
  const nowhere = { scheme: "http", host: "tenancy.invalid", port: 1, service: "none" } as const;
  return createHttp({
    endpoints: {
      tenancy: nowhere,
      bao: { scheme: "https", ...NAME, service: "openbao" },
      docker: { socket: "/nonexistent" },
    },
    dialer: createProxyDialer([{ name: NAME, address: { host: "127.0.0.1", port } }]),
    caPem,
  });
}

async function makeSetup(own: LabInfo, server: BaoHandle): Promise<BaoSetup> {
  const otherKey = `${server.bao.dir}/other.p8`;
  await writeKey(otherKey);
  return {
    http: httpTo(server.bao.port, await Deno.readTextFile(server.bao.caFile)),
    clock: createClock(),
    tenancyToken: server.bao.tenancyToken,
    putSecret: (envId, path, fields) => putSecret(server, envId, path, fields),
    deleteVersion: (envId, path, version) => deleteVersion(server, envId, path, version),
    destroyVersion: (envId, path, version) => destroyVersion(server, envId, path, version),
    deleteAfter: async (envId, path, seconds) => {
      const body = { delete_version_after: `${seconds}s` };
      const reply = await adminRequest(
        server,
        "POST",
        `monky/metadata/${envId}/see/${path}`,
        body,
      );
      assertEquals(reply.status, 204);
    },
    signGrant: async (envId, overrides = {}, key) => {
      if (key === undefined) return await mintGrant(own, envId, overrides);
      const nowS = Math.floor(Date.now() / 1000);
      return await signJwt(otherKey, {
        iss: own.keys.issuer,
        aud: "openbao-see-env",
        sub: `agent:${envId}`,
        env_id: envId,
        kind: "deploy-grant",
        iat: nowS,
        exp: nowS + 3600,
        ...overrides,
      });
    },
    configureRole: (overrides) => configureRole(server, overrides),
    seal: () => seal(server),
    unseal: () => unseal(server),
    restart: () => server.restart(),
    quota: async (setting) => {
      if (setting === null) return await removeQuota(server, "contract");
      const { rate, intervalS, headers } = setting;
      const limit = { name: "contract", path: "monky/", rate, interval: `${intervalS}s` };
      await setQuota(server, limit, headers);
    },
  };
}

async function writeKey(file: string): Promise<void> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const pem = `-----BEGIN PRIVATE KEY-----\n${btoa(String.fromCharCode(...der))}\n` +
    "-----END PRIVATE KEY-----\n";
  await Deno.writeTextFile(file, pem, { mode: 0o600 });
}

Deno.test({
  name: `OpenBao itself passes the contract list${lab === null ? " (needs the lab)" : ""}`,
  ignore: lab === null,
  fn: async (t) => {
    assert(lab !== null);
    const server = await startBao({ dir: `${lab.dir}/run/bao-contract-${Deno.pid}`, lab });
    try {
      const setup = await makeSetup(lab, server);
      for (const check of CONTRACT) await t.step(check.name, () => check.run(setup));
    } finally {
      await server.stop();
    }
  },
});

Deno.test({
  name: "a version pinned the moment it was written is read through a standby" +
    (lab === null ? " (needs the lab)" : ""),
  ignore: lab === null,
  fn: async () => {
    assert(lab !== null);
    const cluster = await startBaoCluster(3, {
      dir: `${lab.dir}/run/bao-cluster-${Deno.pid}`,
      lab,
    });
    try {
      const [standby] = cluster.standbys;
      assert(standby !== undefined);
      const envId = `env-c-${crypto.randomUUID().slice(0, 8)}`;
      const config = {
        envId,
        bao: {
          authMount: "jwt-tenancy",
          role: "see-env",
          kvMount: "monky",
          kvPrefix: "see",
          timeoutS: 15,
        },
      };
      const mask = (): void => {};
      const ports = {
        http: httpTo(standby.bao.port, await Deno.readTextFile(standby.bao.caFile)),
        clock: createClock(),
        random: { uuid: () => "", fraction: () => 0 },
      };
      const bao = createOpenBao(ports, config, { mask });
      assertEquals((await bao.health()).standby, true);
      const { token } = await bao.login(new Secret(await mintGrant(lab, envId)));
      for (let round = 1; round <= 10; round++) {
        const version = await putSecret(cluster.leader, envId, "k", { value: `v${round}` });
        const entries = [{ var: "K", path: "k", key: "value", version }];
        const { values } = await readSecrets(ports, {
          config,
          token,
          entries,
          timeoutMs: 20_000,
          confirmToken: true,
          mask,
        });
        assertEquals(values.get("K")?.value.reveal(), `v${round}`);
      }
    } finally {
      await cluster.stop();
    }
  },
});
