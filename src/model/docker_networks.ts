/**
 * Networks as the Engine's list tells them (Engine 20.10 and later): how they were made, for the
 * comparison with what a release's files ask for.
 */

import * as z from "zod/mini";
import { lazy } from "./lazy.ts";

const HASH_LABEL = "com.docker.compose.config-hash";

const listed = lazy(() =>
  z.array(z.object({
    Name: z.string(),
    Labels: z.nullish(z.record(z.string(), z.string())),
    Internal: z.nullish(z.boolean()),
    EnableIPv6: z.nullish(z.boolean()),
    Options: z.nullish(z.record(z.string(), z.string())),
    IPAM: z.nullish(z.object({
      Config: z.nullish(z.array(z.object({ Subnet: z.nullish(z.string()) }))),
    })),
  }))
);

/** A network as the Engine made it; null or none: it does not say. */
export interface LocalNetwork {
  readonly name: string;
  /** Compose labelled it with the hash of its options, from 2.32 on: it can tell a change. */
  readonly hashed: boolean;
  readonly internal: boolean | null;
  readonly ipv6: boolean | null;
  readonly subnets: readonly string[];
  readonly options: Readonly<Record<string, string>>;
}

/** Takes the parsed body of `/networks`; gives how they were made, or null. */
export function parseNetworks(body: unknown): readonly LocalNetwork[] | null {
  const result = listed().safeParse(body);
  if (!result.success) return null;
  return result.data.map(({ Name, Labels, Internal, EnableIPv6, Options, IPAM }) => ({
    name: Name,
    hashed: Labels?.[HASH_LABEL] !== undefined,
    internal: Internal ?? null,
    ipv6: EnableIPv6 ?? null,
    subnets: (IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []),
    options: Options ?? {},
  }));
}
