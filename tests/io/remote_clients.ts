/** The clients of both remotes over the real HTTP port, for tests whose servers lie. */

import { createOpenBao, type OpenBao } from "../../src/clients/openbao.ts";
import { createTenancy, type Tenancy } from "../../src/clients/tenancy.ts";
import { createClock } from "../../src/io/clock.ts";
import { createHttp, type HttpOptions } from "../../src/io/http.ts";
import { createRandom } from "../../src/io/random.ts";
import { Secret } from "../../src/model/secret.ts";

/** Of each exchange, unless a test names another: none that a slow machine meets. */
export const DEADLINE_MS = 20_000;
/** No error may show it. */
export const TOKEN = new Secret("hvs.TOPSECRETTOKEN");
/** What the clients of OpenBao need of the config. */
export const BAO_CONFIG = {
  envId: "env-a",
  bao: { authMount: "jwt", role: "see-env", kvMount: "monky", kvPrefix: "see", timeoutS: 20 },
};

/** Gives tenancy's client. */
export function tenancyOver(options: HttpOptions, timeoutMs = DEADLINE_MS): Tenancy {
  const ports = { http: createHttp(options), random: createRandom() };
  return createTenancy(ports, { envId: "env-a", timeoutMs, fetchTimeoutMs: timeoutMs });
}

/** Gives OpenBao's client. */
export function baoOver(options: HttpOptions): OpenBao {
  const ports = { http: createHttp(options), clock: createClock() };
  return createOpenBao(ports, BAO_CONFIG, { mask: () => {} });
}

/** Asks as a tick does: one check-in. */
export async function checkIn(options: HttpOptions, timeoutMs = DEADLINE_MS): Promise<unknown> {
  return await tenancyOver(options, timeoutMs).checkin(TOKEN, { env_id: "env-a" });
}
