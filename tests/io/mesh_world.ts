/**
 * A small world for the transport tests: tenancy and five OpenBaos (one a certificate) as real
 * servers of loopback, a sniffer at the face of each, one config each, and a client program that is
 * run under the flags its configs yield. How a face is reached is the transport's own business.
 */

import { stringify } from "@std/yaml";
import { launchEnv } from "../../scripts/agent/launch.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { type Permissions, permissionsOf } from "../../src/core/permissions.ts";
import { toFlags } from "../../src/core/permissions.ts";
import { answerAsBao, answerAsTenancy, EXCHANGES } from "./exchanges.ts";
import { type RawServer, rawServer } from "./raw_server.ts";
import { sniff, type Sniffer } from "./sniffer.ts";
import { type CertName, testCerts } from "./tls_setup.ts";
import type { ClientPlan } from "./transport_client.ts";

/** The certificates, in the order of OpenBao's ports: 8200, 8201, … */
export const CERTS: readonly CertName[] = ["good", "other", "stranger", "expired", "future"];

/** Where a transport's faces listen, and what its configs say. */
export interface Faces {
  /** The address of tenancy's face; a free port of loopback when left out. */
  readonly tenancy?: Deno.ListenOptions;
  readonly bao?: (index: number) => Deno.ListenOptions;
  /** Gives the keys of one OpenBao's config, once the faces listen. */
  readonly config: (facts: FaceFacts) => Promise<Readonly<Record<string, unknown>>>;
}

/** What a config may name. */
export interface FaceFacts {
  readonly folder: string;
  readonly index: number;
  readonly tenancyPort: number;
  readonly baoPort: number;
}

/** What the client program did. */
export interface ClientRun {
  readonly outcomes: Readonly<Record<string, string>>;
  readonly stderr: string;
}

/** A world that runs. */
export interface World {
  readonly tenancy: RawServer;
  readonly faces: { readonly tenancy: Sniffer; readonly bao: readonly Sniffer[] };
  readonly folder: string;
  /** The grants of all its configs together, and of the first alone. */
  readonly permissions: Permissions;
  readonly ofFirst: Permissions;
  /** Runs exchanges (all unless named) under the grants, changed if wanted. */
  run(options?: {
    readonly permissions?: Permissions;
    readonly names?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  }): Promise<ClientRun>;
  close(): Promise<void>;
}

/** The grants of all configs together, and what all of them deny. */
function mergePermissions(all: readonly Permissions[]): Permissions {
  const [first, ...others] = all.map(({ denyNet }) => denyNet ?? []);
  const denyNet = first?.filter((range) => others.every((list) => list.includes(range))) ?? [];
  const merged = (kind: Exclude<keyof Permissions, "denyNet">): readonly string[] => [
    ...new Set(all.flatMap((each) => each[kind])),
  ];
  return {
    net: merged("net"),
    ...(denyNet.length > 0 ? { denyNet } : {}),
    read: merged("read"),
    write: merged("write"),
    run: merged("run"),
    env: merged("env"),
    sys: merged("sys"),
  };
}

/** Starts a world. Whoever starts it closes it. */
export async function openWorld(faces: Faces): Promise<World> {
  const folder = await Deno.makeTempDir({ prefix: "mesh_" });
  const certs = await testCerts();
  await Deno.writeTextFile(`${folder}/ca.pem`, certs.caPem);
  const tenancy = rawServer(answerAsTenancy);
  const baos = CERTS.map((cert) =>
    rawServer(
      answerAsBao,
      Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...certs.pair(cert) }),
    )
  );
  const tenancyFace = sniff(tenancy.port, faces.tenancy);
  const baoFaces = baos.map((server, index) => sniff(server.port, faces.bao?.(index)));
  const configs = await Promise.all(baoFaces.map(async (face, index) => {
    const facts = { folder, index, tenancyPort: tenancyFace.port, baoPort: face.port };
    return await writeConfig(facts, await faces.config(facts));
  }));
  const permissions = mergePermissions(configs.map(({ permissions }) => permissions));
  const [first] = configs;
  if (first === undefined) throw new Error("a world has a config");
  return {
    tenancy,
    faces: { tenancy: tenancyFace, bao: baoFaces },
    folder,
    permissions,
    ofFirst: first.permissions,
    run: async ({ permissions: changed = permissions, names, env = {} } = {}) => {
      const plans = configs.map(({ path }, index): ClientPlan => ({
        config: path,
        exchanges: EXCHANGES
          .filter(({ cert, name }) => cert === CERTS[index] && (names?.includes(name) ?? true))
          .map(({ name }) => name),
      }));
      return await runClient(changed, plans.filter(({ exchanges }) => exchanges.length > 0), env);
    },
    close: async () => {
      for (const face of [tenancyFace, ...baoFaces]) await face.close();
      for (const server of [tenancy, ...baos]) await server.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function writeConfig(
  { folder, index }: FaceFacts,
  keys: Readonly<Record<string, unknown>>,
): Promise<{ readonly path: string; readonly permissions: Permissions }> {
  const path = `${folder}/config${index}.yaml`;
  const stateDir = `${folder}/s${index}`;
  await Deno.mkdir(stateDir, { mode: 0o700 });
  const text = stringify({
    env_id: "env-qa-02",
    site: "lab",
    state_dir: stateDir,
    deploy_dir: `${folder}/d${index}`,
    ...keys,
  });
  await Deno.writeTextFile(path, text);
  return { path, permissions: permissionsOf(parseConfig(text).config, { configPath: path }) };
}

async function runClient(
  permissions: Permissions,
  plans: readonly ClientPlan[],
  env: Readonly<Record<string, string>>,
): Promise<ClientRun> {
  const here = new URL(".", import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "--no-check", "--config", `${here}../../deno.json`],
      ...toFlags(permissions, "source"),
      `${here}transport_client.ts`,
      JSON.stringify(plans),
    ],
    clearEnv: true,
    env: { ...launchEnv(Deno.env.toObject()), ...env },
    stdin: "null",
    signal: AbortSignal.timeout(60_000),
  }).output();
  const text = new TextDecoder();
  const said = text.decode(stderr);
  if (code !== 0) throw new Error(`the client ended with ${code}:\n${said}`);
  return { outcomes: JSON.parse(text.decode(stdout)), stderr: said };
}
