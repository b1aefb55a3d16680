/** What services mount, and the volumes, configs and secrets behind it (SPEC §9), key by key. */

import type { FindingKind } from "../../model/finding_names.ts";
import { boundDevice, judgeBind } from "./bind_rules.ts";
import { type Finding, finding, MISSING } from "./finding.ts";
import { placeOf } from "./bind_place.ts";
import { anything, each, keys, only, type Place, type Rule, unknownKey } from "./rule.ts";
import { childOf, isBlank, isTree, textOf } from "./shape.ts";

const MOUNT_KEYS = keys({
  type: only("volume_type", (text) => ["bind", "volume", "tmpfs"].includes(text)),
  source: anything,
  target: anything,
  read_only: anything,
  consistency: anything,
  bind: keys({
    // What a container mounts must not appear on the box.
    propagation: only(
      "bind_propagation",
      (text) => ["private", "rprivate", "slave", "rslave"].includes(text),
    ),
    create_host_path: anything,
    selinux: anything,
    recursive: anything,
  }),
  volume: keys({ nocopy: anything, subpath: anything, labels: anything }),
  tmpfs: keys({ size: anything, mode: anything }),
});

/** Judges one entry of a service's `volumes`. */
export const mount: Rule = (value, at) => {
  const known = MOUNT_KEYS(value, at);
  const { type, source } = isTree(value) ? value : {};
  if (typeof type !== "string") return [...known, ...unknownKey(at)];
  if (type !== "bind") return known;
  const bind = {
    source: typeof source === "string" ? source : "",
    readOnly: childOf(value, "read_only") === true,
    createHostPath: childOf(childOf(value, "bind"), "create_host_path") === true,
  };
  return [...known, ...judgeBind(bind, at)];
};

/** Judges one of a service's `volumes_from`: a service of the project, no other container. */
export const volumesFrom: Rule = only("volumes_from", (text) => !text.startsWith("container:"));

const TMPFS_FLAGS = /^(?:size|mode|uid|gid|nr_inodes)=[\w%]+$|^(?:no)?(?:suid|dev|exec)$|^r[ow]$/;
const BIND_FLAGS = /^(?:r?bind|r[ow]|nosuid|nodev|noexec|r?private|r?slave)$/;

/** Options of the local driver: memory, and binds under another name. */
const driverOptions: Rule = (value, at) => {
  if (isBlank(value)) return [];
  if (!isTree(value)) return unknownKey(at);
  const device = boundDevice(value);
  const type = value["type"];
  const found = keys({ type: anything, o: anything, device: anything, size: anything })(value, at);
  const isTmpfs = type === "tmpfs" && device === null;
  const isBind = device !== null && ["none", "bind", "", undefined].includes(type as string);
  const isPlain = device === null && isBlank(type) && isBlank(value["device"]);
  const typeFindings = isTmpfs || isBind || isPlain
    ? []
    : [finding("volume_type", { value: textOf(type ?? ""), key: at.key, why: "mounts a device" })];
  const flags = isTmpfs ? TMPFS_FLAGS : BIND_FLAGS;
  const flagFindings = textOf(value["o"] ?? "").split(",").map((flag) => flag.trim())
    .filter((flag) => flag !== "" && !flags.test(flag) && typeFindings.length === 0)
    .map((flag) => finding("volume_option", { value: flag, key: at.key }));
  return [...found, ...typeFindings, ...flagFindings, ...deviceFindings(device, at)];
};

function deviceFindings(device: string | null, at: Place): readonly Finding[] {
  if (device === null) return [];
  return judgeBind({ source: device, readOnly: false, createHostPath: false }, at);
}

/** Judges a top-level volume. */
export const volume: Rule = keys({
  name: anything,
  external: anything,
  labels: anything,
  driver: only("volume_driver", (text) => text === "local"),
  driver_opts: driverOptions,
});

/** A file behind a config or secret is bound read-only, and must be the bundle's. */
function contentFile(kind: FindingKind): Rule {
  return (value, at) => {
    if (isBlank(value)) return [];
    const source = textOf(value);
    const place = placeOf(source, at.facts);
    if (place.kind !== "bundle" && place.kind !== "stray") {
      return [finding(kind, { value: source, key: at.key, why: "lies outside the bundle" })];
    }
    if (place.kind === "stray") return [finding(MISSING, { value: source, key: at.key })];
    return judgeBind({ source, readOnly: true, createHostPath: false }, at);
  };
}

/** Judges a top-level config. */
export const config: Rule = keys({
  name: anything,
  external: anything,
  labels: anything,
  environment: anything,
  content: anything,
  file: contentFile("configs.file"),
});

/** Judges a top-level secret. */
export const secret: Rule = keys({
  name: anything,
  external: anything,
  labels: anything,
  environment: anything,
  content: anything,
  file: contentFile("secrets.file"),
});

/** Judges how a service takes a config or secret. */
export const grantedContent: Rule = each(
  keys({ source: anything, target: anything, uid: anything, gid: anything, mode: anything }),
);
