/**
 * A whole life of a box, each command under the grants of its config, with the runtime's audit on
 * and the programs that it starts written down (SPEC §10). Order alone: what a life shows is judged in
 * account.ts.
 */

import type { GrantKind } from "../../src/core/grants.ts";
import type { Box } from "../box/box.ts";
import type { AgentRun, RunOptions } from "../box/run.ts";
import { dockerCall, importImage, pushImage, removeImage } from "../lab/mod.ts";
import type { BundleFiles } from "../tenancy/mod.ts";
import { type Access, accessesOf, grantsOf } from "./access.ts";
import type { AuditedRun } from "./account.ts";
import { startBroker } from "./broker.ts";

/** A box on one transport. */
export interface World {
  readonly box: Box;
  /** The plugin's path in the config. */
  readonly compose: string;
  /** The folder of `policy.bind_allow`, with a folder `data` in it. */
  readonly shared: string;
  /** A command line to run the agent behind. */
  readonly enter?: readonly string[];
  /** Programs besides compose that were started since the last call, once each. */
  readonly started: () => readonly string[];
}

/** Modules of the program, and of its packages: data of a box ends otherwise. */
const MODULES = /\.m?[jt]s$/;
const READS = [
  ["config check", "config", "check"],
  ["plan", "plan"],
  ["status", "status"],
  ["history", "history"],
  ["render", "render", "--names"],
] as const;

/** Plays the life; gives its runs in order. Throws Error when the box does not live as it should. */
export async function playLife(world: World): Promise<readonly AuditedRun[]> {
  const { box } = world;
  const runs: AuditedRun[] = [];
  const play = async (scene: string, args: readonly string[], code = 0): Promise<AgentRun> => {
    const { run, audited } = await audit(world, { scene, args });
    if (run.code !== code) {
      throw new Error(`${scene}: exit ${run.code} in place of ${code}\n${run.stderr}`);
    }
    runs.push(audited);
    return run;
  };

  const account = { username: box.lab.registry.username, password: box.lab.registry.password };
  await box.secret("registry", account);
  await box.reveal();
  const image = await privateImage(box);
  const publish = (revision: string, more = ""): Promise<unknown> =>
    box.tenancy.publish(box.env, bundle(world, { image, revision, more }), { sign: true });

  await publish("1");
  await play("first apply", ["tick"]);
  await play("converged", ["tick"]);
  for (const [scene, ...args] of READS) await play(scene, args);
  runs.push(await auditDoctor(world));
  await killContainer(box);
  await play("repair", ["tick"]);
  await publish("2", DYING);
  await play("failed apply and restore", ["tick"], 1);
  await ageToken(box);
  expect(await play("renewal", ["tick"]), "token renewed");
  await box.reveal();
  expect(await play("new kit", ["tick"]), "logged in");
  runs.push(await auditRun(world));
  await box.tenancy.setAbsent(box.env);
  await play("absent", ["tick"]);
  return runs;
}

const DYING = `
  dying:
    image: lab/bb:1
    command: ["false"]
    restart: "no"`;

function bundle(
  { box, shared }: World,
  { image, revision, more }: {
    readonly image: string;
    readonly revision: string;
    readonly more: string;
  },
): BundleFiles {
  return {
    "docker-compose.yml": `services:
  web:
    image: ${image}
    command: ["sleep", "3600"]
    init: true
    stop_grace_period: 1s
    environment: [REVISION=${revision}]
    volumes: ["${shared}/data:/data:ro"]${more}
`,
    "manifest.json": JSON.stringify({
      entries: [
        { var: "REGISTRY_USER", path: "registry", key: "username" },
        { var: "REGISTRY_PASSWORD", path: "registry", key: "password" },
      ],
      registries: [{
        host: box.lab.registry.address,
        username_var: "REGISTRY_USER",
        password_var: "REGISTRY_PASSWORD",
      }],
    }),
    "meta.json": JSON.stringify({ images: [{ ref: image, size_bytes: 1 }] }),
  };
}

/** Pushes an image that the Engine then has to pull; gives its reference. */
async function privateImage(box: Box): Promise<string> {
  const name = `lab/audit-${box.env}:1`;
  await importImage(box.lab, name, {});
  const reference = await pushImage(box.lab, name);
  await removeImage(box.lab, reference);
  await removeImage(box.lab, name);
  return reference;
}

async function killContainer(box: Box): Promise<void> {
  const [web] = await box.containers();
  await dockerCall(box.lab.docker.socket, "POST", `/containers/${web?.Id}/kill`);
}

/** Lets the box remember an hour less than a token needs to be left alone. */
async function ageToken({ stateDir }: Box): Promise<void> {
  const path = `${stateDir}/session.json`;
  const session = JSON.parse(await Deno.readTextFile(path)) as { token: { expiresAt: number } };
  session.token.expiresAt = Date.now() + 3_600_000;
  await Deno.writeTextFile(path, JSON.stringify(session));
}

function expect(run: AgentRun, words: string): void {
  if (!run.stderr.includes(words)) throw new Error(`it does not say "${words}":\n${run.stderr}`);
}

interface Audit {
  readonly options: RunOptions;
  /** Takes how the run ended; gives its account. */
  readonly end: (children: readonly string[]) => Promise<AuditedRun>;
}

/** Switches the audit on for one run. */
function beginAudit(world: World, scene: string): Audit {
  const file = `${world.box.dir}/audit.jsonl`;
  let granted: readonly Access[] | null = null;
  world.started();
  return {
    options: {
      env: { DENO_AUDIT_PERMISSIONS: file },
      ...(world.enter === undefined ? {} : { enter: world.enter }),
      flags: (flags) => {
        granted = grantsOf(flags);
        return flags;
      },
    },
    end: async (children) => {
      if (granted === null) throw new Error("only a run from source can be audited");
      const compose = children.length > 0 ? [world.compose] : [];
      const programs = [...compose, ...world.started()];
      const accesses = [
        ...accessesOf(await Deno.readTextFile(file), MODULES),
        ...programs.map((value) => ({ kind: "run" as GrantKind, value })),
      ];
      return { scene, granted, accesses };
    },
  };
}

async function audit(
  world: World,
  { scene, args }: { readonly scene: string; readonly args: readonly string[] },
): Promise<{ readonly run: AgentRun; readonly audited: AuditedRun }> {
  const { options, end } = beginAudit(world, scene);
  const run = await world.box.run(args, options);
  return { run, audited: await end(run.children) };
}

/** The doctor starts programs of the box: which ones, only a broker is told. */
async function auditDoctor(world: World): Promise<AuditedRun> {
  const { audited } = await audit(world, { scene: "doctor", args: ["doctor"] });
  const path = `${world.box.dir}/broker.sock`;
  const broker = startBroker(path);
  try {
    await world.box.run(["doctor"], {
      env: { DENO_PERMISSION_BROKER_PATH: path },
      ...(world.enter === undefined ? {} : { enter: world.enter }),
    });
  } finally {
    await broker.close();
  }
  const programs = broker.programs.map((value) => ({ kind: "run" as GrantKind, value }));
  const known = new Set(audited.accesses.map(({ kind, value }) => `${kind} ${value}`));
  const more = programs.filter(({ value }) => !known.has(`run ${value}`));
  return { ...audited, accesses: [...audited.accesses, ...more] };
}

async function auditRun(world: World): Promise<AuditedRun> {
  const { options, end } = beginAudit(world, "run");
  const { record } = world.box.tenancy;
  const before = record.checkins.length;
  const running = await world.box.start(["run"], options);
  await record.waitFor(
    ({ checkins }) => checkins.slice(before).find(({ wait_s }) => wait_s !== undefined),
    120_000,
  );
  running.kill("SIGTERM");
  const { code, stderr, children } = await running.ended;
  if (code !== 0) throw new Error(`run: exit ${code}\n${stderr}`);
  return await end(children);
}
