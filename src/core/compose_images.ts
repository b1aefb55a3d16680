/**
 * Which image a failed pull or up of docker compose is about, and the registry that it comes from:
 * compose names a service, a container or an image, and the operator needs the reference. Pure.
 */

/** Docker's own registry, as references that name no host mean it. */
const DOCKER_HUB = "docker.io";

/**
 * Takes the name at fault as compose gave it (a service, a container `<project>-<service>-<n>`, or an
 * image; null: not certain) and the images by service; gives the image reference, or null. A pull of
 * one image alone is about that one, whatever compose named.
 */
export function imageOfCulprit(
  name: string | null,
  { step, images }: {
    readonly step: "pull" | "up";
    readonly images: ReadonlyMap<string, string>;
  },
): string | null {
  const references = [...new Set(images.values())];
  if (name === null) {
    return step === "pull" && references.length === 1 ? references[0] ?? null : null;
  }
  if (references.includes(name)) return name;
  const own = images.get(name);
  if (own !== undefined || step === "pull") return own ?? null;
  // Of `p-web-1`, both `web` and `b` may be services: the longest that fits is meant.
  const fitting = [...images.keys()]
    .filter((service) => name.replace(/-\d+$/, "").endsWith(`-${service}`))
    .sort((left, right) => right.length - left.length);
  const [service] = fitting;
  return service === undefined ? null : images.get(service) ?? null;
}

/**
 * Takes an image reference; gives the registry's host, with its port where it has one: the part
 * before the first slash when it looks like a host, else Docker's own.
 */
export function registryOf(reference: string): string {
  const [first = "", ...rest] = reference.split("/");
  return rest.length > 0 && (/[.:]/.test(first) || first === "localhost") ? first : DOCKER_HUB;
}
