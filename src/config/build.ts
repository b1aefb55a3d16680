/** Every key's value in the file's spelling → the Config of the code. Converts names, decides nothing. */

import type { Config } from "../model/config.ts";
import type { ConfigValues } from "./schema.ts";

/** Takes all values; gives the config. */
export function buildConfig(v: ConfigValues): Config {
  return {
    envId: v.env_id,
    site: v.site,
    transport: v.transport,
    identity: v.identity,
    bootstrapFile: v.bootstrap_file,
    intervalS: v.interval_s,
    laptopMode: v.laptop_mode,
    tenancy: {
      service: v["tenancy.service"],
      host: v["tenancy.host"],
      port: v["tenancy.port"],
      scheme: v["tenancy.scheme"],
      proxyAddr: v["tenancy.proxy_addr"],
      timeoutS: v["tenancy.timeout_s"],
      bundleKeys: v["tenancy.bundle_keys"],
    },
    bao: {
      service: v["bao.service"],
      host: v["bao.addr"].host,
      // The port that https means when the URL names none (RFC 9110 §4.2.2).
      port: v["bao.addr"].port ?? 443,
      proxyAddr: v["bao.proxy_addr"],
      authMount: v["bao.auth_mount"],
      role: v["bao.role"],
      kvMount: v["bao.kv_mount"],
      kvPrefix: v["bao.kv_prefix"],
      ca: v["bao.ca"],
      renewBelowS: v["bao.renew_below_s"],
      timeoutS: v["bao.timeout_s"],
    },
    deployDir: v.deploy_dir,
    composeProject: v.compose_project,
    stateDir: v.state_dir,
    docker: {
      compose: v["docker.compose"],
      socket: v["docker.host"],
      dataRoot: v["docker.data_root"],
      diskFactor: v["docker.disk_factor"],
      diskHeadroomBytes: v["docker.disk_headroom_bytes"],
    },
    volumesOnAbsent: v.volumes_on_absent,
    onFailure: v.on_failure,
    releasesKept: v.releases_kept,
    timeouts: {
      fetchS: v["timeouts.fetch_s"],
      secretsS: v["timeouts.secrets_s"],
      validateS: v["timeouts.validate_s"],
      pullS: v["timeouts.pull_s"],
      upS: v["timeouts.up_s"],
      downS: v["timeouts.down_s"],
    },
    healthTimeoutS: v.health_timeout_s,
    settleS: v.settle_s,
    system: { ipRange: v["system.ip_range"] },
    sdk: { node: v["sdk.node"], bridge: v["sdk.bridge"] },
    policy: {
      bindAllow: v["policy.bind_allow"],
      registries: v["policy.registries"],
      requireDigest: v["policy.require_digest"],
      allow: v["policy.allow"],
    },
    metricsTextfile: v.metrics_textfile,
  };
}
