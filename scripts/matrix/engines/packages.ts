/**
 * Which packages of a Debian release make the newer end of the field. Pure: what a release says of
 * its packages in, a choice or the reasons against it out; it fetches nothing.
 */

/** A package and the oldest version that counts. */
export interface Wanted {
  readonly name: string;
  /** Numbers with dots: `2.40` is held by 2.40.3 and by 3.0. */
  readonly atLeast: string;
  /** Left out when the release's does not run here: the machine's own does then. */
  readonly isOptional?: true;
}

/** The newer end of the field: Docker Engine 28 and compose 2.40, or newer. */
export const NEWER_ENGINE: Wanted = { name: "docker.io", atLeast: "28" };
/** See `NEWER_ENGINE`. */
export const NEWER_COMPOSE: Wanted = { name: "docker-compose", atLeast: "2.40" };

/**
 * All that is taken from the newer release. An Engine of this age comes with a containerd of its
 * time; runc is the machine's, since it is tied to the C library more than the others.
 */
export const NEWER: readonly Wanted[] = [
  NEWER_ENGINE,
  NEWER_COMPOSE,
  { name: "containerd", atLeast: "1.7", isOptional: true },
  { name: "tini-static", atLeast: "0", isOptional: true },
];

/** What can be had of a release. */
export interface Choice {
  /** `name=version`, as `apt-get download` takes it. */
  readonly packages: readonly string[];
  /** Why the release does not do, one sentence each; empty when it does. */
  readonly lacking: readonly string[];
}

/**
 * Takes what `apt-cache show` says, what is wanted, and the version of the machine's C library, and
 * gives the newest packages that hold it and run here.
 */
export function choosePackages(
  described: string,
  { wanted, libc }: { readonly wanted: readonly Wanted[]; readonly libc: string },
): Choice {
  const offers = parseOffers(described);
  const packages: string[] = [];
  const lacking: string[] = [];
  for (const one of wanted) {
    const newest = offers.filter(({ name }) => name === one.name)
      .sort((left, right) => compareNumbers(right.version, left.version))[0];
    const why = objectionTo(newest, one, libc);
    if (why === null && newest !== undefined) packages.push(`${one.name}=${newest.version}`);
    else if (why !== null && one.isOptional !== true) lacking.push(why);
  }
  return { packages, lacking };
}

/** Takes a version and the oldest that counts, and says whether it counts. */
export function isAtLeast(version: string, oldest: string): boolean {
  return compareNumbers(version, oldest) >= 0;
}

/** Takes what a program says of itself and gives the first version in it; null when there is none. */
export function versionIn(text: string): string | null {
  return /\d+(?:\.\d+)+[^\s,]*/.exec(text)?.[0] ?? null;
}

interface Offer {
  readonly name: string;
  readonly version: string;
  /** The oldest C library that it runs with; null for one that needs none. */
  readonly libc: string | null;
}

function parseOffers(described: string): Offer[] {
  return described.split(/\n\s*\n/).flatMap((paragraph) => {
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}: (.*)$`, "m").exec(paragraph)?.[1]?.trim();
    const [name, version] = [field("Package"), field("Version")];
    if (name === undefined || version === undefined) return [];
    return [{
      name,
      version,
      libc: /\blibc6 \(>= ([^)]+)\)/.exec(field("Depends") ?? "")?.[1] ?? null,
    }];
  });
}

function objectionTo(offer: Offer | undefined, wanted: Wanted, libc: string): string | null {
  if (offer === undefined) return `it has no ${wanted.name}`;
  const { name, version } = offer;
  if (!isAtLeast(version, wanted.atLeast)) {
    return `its ${name} is ${version}, ${wanted.atLeast} or newer counts`;
  }
  if (offer.libc !== null && !isAtLeast(libc, offer.libc)) {
    return `its ${name} ${version} needs libc6 ${offer.libc}, this machine has ${libc}`;
  }
  return null;
}

/** By the numbers in front; Debian's epoch and what it adds behind say nothing of the program. */
function compareNumbers(left: string, right: string): number {
  const [ours, theirs] = [numbersOf(left), numbersOf(right)];
  for (let index = 0; index < Math.max(ours.length, theirs.length); index++) {
    const difference = (ours[index] ?? 0) - (theirs[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): number[] {
  const front = /^(?:\d+:)?v?(\d+(?:\.\d+)*)/.exec(version)?.[1] ?? "0";
  return front.split(".").map(Number);
}
