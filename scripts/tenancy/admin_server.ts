// The admin calls of a running tenancy: one POST for each command, on a loopback port of its own.

import * as z from "zod/mini";
import { type AdminInfo, writeAdminInfo } from "./admin_file.ts";
import { FAULT_KINDS, type FaultKind, type FaultSpec } from "./faults.ts";
import type { RecordedRequest } from "./record.ts";
import type { BundleFile, PublishOptions, TenancyHandle } from "./types.ts";

const Env = z.object({ env: z.string() });
const Publish = z.object({
  env: z.string(),
  files: z.record(
    z.string(),
    z.object({ base64: z.string(), mode: z.enum(["0644", "0755"]) }),
  ),
  serial: z.optional(z.union([z.int(), z.literal("none")])),
  sign: z.boolean(),
});
const Fault = z.object({
  kind: z.enum(Object.keys(FAULT_KINDS) as [FaultKind, ...FaultKind[]]),
  call: z.optional(z.enum(["checkin", "bundle", "lease", "report", "any"])),
  env: z.optional(z.string()),
  times: z.optional(z.int()),
  status: z.optional(z.int()),
  code: z.optional(z.string()),
  ms: z.optional(z.int()),
  bytes: z.optional(z.int()),
  field: z.optional(z.string()),
  location: z.optional(z.string()),
});

/** A running set of admin calls. */
export interface AdminServer {
  readonly info: AdminInfo;
  /** Stops listening. The admin file stays: its port is used again. */
  close(): Promise<void>;
}

type Operation = (tenancy: TenancyHandle, body: unknown) => unknown;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  status: (tenancy) => ({ port: tenancy.port, envs: tenancy.envs() }),
  publish: async (tenancy, body) => {
    const { env, files, serial, sign } = Publish.parse(body);
    const given: Record<string, BundleFile> = Object.create(null);
    for (const [path, { base64, mode }] of Object.entries(files)) {
      given[path] = { content: Uint8Array.fromBase64(base64), mode };
    }
    const options: PublishOptions = { sign, ...(serial === undefined ? {} : { serial }) };
    return await tenancy.publish(env, given, options);
  },
  desired: async (tenancy, body) => {
    const { env, sha } = z.object({ env: z.string(), sha: z.optional(z.string()) }).parse(body);
    if (sha !== undefined) await tenancy.setDesired(env, sha);
    return tenancy.desired(env);
  },
  absent: async (tenancy, body) => {
    await tenancy.setAbsent(Env.parse(body).env);
    return {};
  },
  grant: async (tenancy, body) => await tenancy.issueBootstrapGrant(Env.parse(body).env),
  retire: async (tenancy, body) => {
    await tenancy.retire(Env.parse(body).env);
    return {};
  },
  fault: (tenancy, body) => ({ id: tenancy.faults.arm(Fault.parse(body) as FaultSpec) }),
  "fault-list": (tenancy) => tenancy.faults.list(),
  "fault-clear": (tenancy) => ({ cleared: tenancy.faults.clear() }),
  record: (tenancy, body) => {
    const { env } = z.object({ env: z.optional(z.string()) }).parse(body);
    const { requests, reports, leases, checkins, violations } = tenancy.record;
    const mine = (entry: { env_id: string }): boolean => env === undefined || entry.env_id === env;
    const asked = ({ env: of }: RecordedRequest): boolean => env === undefined || of === env;
    return {
      requests: requests.filter(asked),
      reports: reports.filter(mine),
      leases: leases.filter(mine),
      checkins: checkins.filter(mine),
      // A violation may name no environment, so all of them are shown.
      violations,
    };
  },
};

/** Starts the admin calls of a tenancy and writes its admin file into `folder`. */
export async function startAdmin(tenancy: TenancyHandle, folder: string): Promise<AdminServer> {
  const adminToken = crypto.getRandomValues(new Uint8Array(24)).toHex();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => answer(tenancy, adminToken, request),
  );
  const info = { adminPort: server.addr.port, adminToken, port: tenancy.port };
  await writeAdminInfo(folder, info);
  return { info, close: () => server.shutdown() };
}

async function answer(
  tenancy: TenancyHandle,
  adminToken: string,
  request: Request,
): Promise<Response> {
  const text = await request.text();
  if (request.headers.get("Authorization") !== `Bearer ${adminToken}`) {
    return Response.json({ message: "this is another tenancy's admin port" }, { status: 401 });
  }
  const name = new URL(request.url).pathname.slice(1);
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation === undefined) return Response.json({ message: "no such call" }, { status: 404 });
  try {
    return Response.json(await operation(tenancy, JSON.parse(text)));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return Response.json({ message }, { status: 400 });
  }
}
