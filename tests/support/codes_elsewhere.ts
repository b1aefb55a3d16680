/**
 * Codes that a test of their own subject brings about from the command line: which file under
 * tests/real does. What no file does stands in codes_of_*.ts.
 */

import type { Code } from "../../src/errors.ts";

/** File → the codes that runs of it end with. */
export const CODES_BY_FILE: Readonly<Record<string, readonly Code[]>> = {
  "absent_test.ts": ["REMOVE_FAILED"],
  "bao_outage_test.ts": ["BAO_SEALED", "BAO_TIMEOUT"],
  "broken_release_test.ts": [
    "COMPOSE_INVALID",
    "IMAGE_NOT_FOUND",
    "REGISTRY_AUTH",
    "REGISTRY_RATE_LIMITED",
    "REGISTRY_UNAVAILABLE",
    "NETWORK_MISSING",
    "VOLUME_MISSING",
    "PORT_IN_USE",
    "UP_FAILED",
    "UNHEALTHY",
  ],
  "disk_full_test.ts": ["DISK_FULL"],
  "drift_test.ts": ["FLAPPING"],
  "field_cases_test.ts": ["PROJECT_MISMATCH"],
  "field_disk_test.ts": ["PROJECT_FOLDER_TAKEN"],
  "policy_test.ts": ["POLICY_DENIED", "BIND_MISSING"],
  "run_loop_test.ts": ["CONFIG_NEEDS_RESTART"],
  "tick_input_test.ts": [
    "STATE_ENV_MISMATCH",
    "BUNDLE_CORRUPT",
    "BUNDLE_INVALID",
    "BUNDLE_TOO_LARGE",
    "BUNDLE_ENV_MISMATCH",
    "MANIFEST_INVALID",
    "META_INVALID",
    "TEMPLATE_INVALID",
    "COMPOSE_FILE_INVALID",
    "ENV_INCOMPLETE",
    "ENV_RESERVED",
  ],
  "tick_lock_test.ts": ["LOCK_HELD", "INTERRUPTED"],
  "tick_protocol_test.ts": [
    "AGENT_UNAUTHENTICATED",
    "AGENT_ENV_MISMATCH",
    "LEGACY_LEASE_REFUSED",
    "BUNDLE_NOT_FOUND",
    "TENANCY_PROTOCOL",
    "TENANCY_REDIRECTED",
    "TENANCY_BAD_ANSWER",
    "TENANCY_TIMEOUT",
  ],
};
