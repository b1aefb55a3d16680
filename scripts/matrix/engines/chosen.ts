/**
 * The tests that are run on the newer Engine and compose each time: those whose outcome depends on
 * what these two do and say. The others of the deploy engine depend on OpenBao, tenancy or the disk,
 * or take long; `--all` runs them too.
 */
export const CHOSEN: readonly string[] = [
  "absent",
  "apply_over_drift",
  "before_up",
  "broken_release",
  "compose_failures",
  "core",
  "docker_cases",
  "docker_contract",
  "docker_health",
  "docker_release",
  "drift",
  "env_roundtrip",
  "field_kinds_compose",
  "policy",
  "prune",
  "registry",
  "restore",
].map((name) => `tests/real/${name}_test.ts`);
