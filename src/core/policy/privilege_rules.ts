/** What a container may do to the kernel (SPEC §9): capabilities, security options, sysctls, hooks. */

import { type Finding, finding } from "./finding.ts";
import { anything, each, keys, never, only, type Rule } from "./rule.ts";
import { asList, childOf, entriesOf, isBlank, textOf } from "./shape.ts";

/**
 * Capabilities that may be asked for: those that every container has by docker's default, so that
 * `cap_drop: [ALL]` with a few added back stays possible. Four of the default are not here, because a
 * service that asks for them on purpose is worth a look: NET_RAW (forging packets on a shared
 * bridge), MKNOD (device nodes), AUDIT_WRITE (the kernel's audit log) and SETFCAP (capabilities of
 * files that outlive the container in a volume).
 */
export const CAPABILITIES: ReadonlySet<string> = new Set([
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "NET_BIND_SERVICE",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

/** Judges `cap_add`; names with and without `CAP_`, in any case, are the same to docker. */
export const capAdd: Rule = each((value, { key }) => {
  const name = textOf(value).toUpperCase().replace(/^CAP_/, "");
  return CAPABILITIES.has(name) ? [] : [finding("cap_add", { value: name, key })];
});

/** Judges `security_opt`: all but one of its options weaken what docker sets by itself. */
export const securityOption: Rule = each(
  only("security_opt", (text) => /^no-new-privileges(?:[:=]true)?$/.test(text)),
);

/** Judges `sysctls`, a map: those of the network namespace stay in the container. */
export const sysctls: Rule = (value, { key }) => {
  const names = Array.isArray(value)
    ? value.map((text) => textOf(text).split("=")[0] ?? "")
    : entriesOf(value).map(([name]) => name);
  return names.filter((name) => !/^net[./]/.test(name))
    .map((name) => finding("sysctl", { value: name, key }));
};

/** Judges `devices`: every one is named by its path on the box. */
export const devices: Rule = (value, { key }) =>
  asList(value).map((each) => {
    const source = childOf(each, "source") ?? each;
    const path = typeof source === "string" ? source.split(":")[0] ?? "" : "?";
    return finding("device", { value: path, key });
  });

/** Judges `blkio_config`: the weight is the container's own, the rest names devices of the box. */
export const blockIo: Rule = (value, at) =>
  entriesOf(value).flatMap(([name, inner]): readonly Finding[] => {
    if (name === "weight" || isBlank(inner)) return [];
    return asList(inner).map((each) => {
      const path = childOf(each, "path") ?? childOf(each, "Path");
      return finding("blkio_device", { value: textOf(path ?? name), key: `${at.key}.${name}` });
    });
  });

/** Judges `oom_score_adj`: others of the box must not be killed first. */
export const oomScore: Rule = (value, { key }) => {
  if (isBlank(value) || (typeof value === "number" && value > 0)) return [];
  return [finding("oom_score_adj", { value: textOf(value), key })];
};

/** Judges `post_start` and `pre_stop`: they run in the container, as whom the service chooses. */
export const hooks: Rule = each(keys({
  command: anything,
  user: anything,
  working_dir: anything,
  environment: anything,
  privileged: never("privileged"),
}));

/** Drivers that keep logs on the box; the others send them away or reach the host's daemons. */
const LOGGING_DRIVERS = ["json-file", "local", "journald", "none"];

/** Judges `logging`. */
export const logging: Rule = keys({
  driver: only("logging_driver", (text) => LOGGING_DRIVERS.includes(text)),
  options: anything,
});
