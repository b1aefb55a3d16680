/** The paths of the box that a resolved model's judgement depends on, for the engine to look at. */

import { boundDevice } from "./bind_rules.ts";
import { normalise, type PlaceFacts, placeOf } from "./bind_place.ts";
import { asList, childOf, entriesOf } from "./shape.ts";

/** Takes compose's resolved files; gives the paths to look at, sorted, each once. */
export function pathsToLookAt(resolved: unknown, facts: PlaceFacts): readonly string[] {
  const looks = boundSources(resolved).flatMap((source) => {
    const place = placeOf(source, facts);
    return place.kind === "bundle" || place.kind === "allowed" ? [place.look] : [];
  });
  return [...new Set(looks)].sort();
}

/**
 * Says whether something of the box besides the bundle is bound. Where such a path came from cannot
 * be seen in the resolved form: a relative one moves with the folder it is meant from.
 */
export function bindsHostPaths(resolved: unknown, facts: PlaceFacts): boolean {
  return boundSources(resolved).some((source) => placeOf(source, facts).kind !== "bundle");
}

function boundSources(resolved: unknown): readonly string[] {
  const mounts = entriesOf(childOf(resolved, "services")).flatMap(([, service]) =>
    asList(childOf(service, "volumes")).filter((mount) => childOf(mount, "type") === "bind")
      .map((mount) => childOf(mount, "source"))
  );
  const devices = entriesOf(childOf(resolved, "volumes"))
    .map(([, volume]) => boundDevice(childOf(volume, "driver_opts")));
  const contents = ["configs", "secrets"].flatMap((kind) =>
    entriesOf(childOf(resolved, kind)).map(([, content]) => childOf(content, "file"))
  );
  return [...mounts, ...devices, ...contents].flatMap((source) => {
    const path = typeof source === "string" ? normalise(source) : null;
    return path === null ? [] : [path];
  });
}
