/**
 * What compose's lines (`--progress plain`) say about how far it is: layers of images that are
 * fetched, containers that are started. Pure. Only numbers come out: no word of a child's output is
 * ever shown, so nothing of it has to be masked.
 */

/** How far compose is. Made by newProgress(), changed by readProgress(). */
export interface Progress {
  /** Layer → bytes fetched and in all. */
  readonly layers: Map<string, { done: number; total: number }>;
  /** Image or container → it has got there. */
  readonly images: Map<string, boolean>;
  readonly containers: Map<string, boolean>;
}

/** More layers or containers than any project has; what comes on top is not counted. */
const MAX_NAMES = 5_000;

/** Units as docker writes them, powers of 1,000. */
const UNITS: Readonly<Record<string, number>> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

const LAYER = /^ ([0-9a-f]{12}) (.*?) *$/;
const BYTES = /([0-9.]+)([kMGT]?B)\/([0-9.]+)([kMGT]?B)$/;
const IMAGE = /^ (\S+) (Pulling|Pulled) *$/;
const CONTAINER =
  /^ Container (\S+) {2}(Creating|Created|Starting|Started|Running|Recreate|Recreated|Stopping|Stopped|Removing|Removed) *$/;

/** Ends of a container's way: up, or gone. */
const ARRIVED: ReadonlySet<string> = new Set(["Started", "Running", "Removed"]);

/** Gives the progress of a compose that has said nothing yet. */
export function newProgress(): Progress {
  return { layers: new Map(), images: new Map(), containers: new Map() };
}

/** Takes a line of compose's standard error; counts what it says, if anything. */
export function readProgress(progress: Progress, line: string): void {
  const [, image, imageDoes] = IMAGE.exec(line) ?? [];
  if (image !== undefined) return note(progress.images, image, imageDoes === "Pulled");
  const [, container, does = ""] = CONTAINER.exec(line) ?? [];
  if (container !== undefined) return note(progress.containers, container, ARRIVED.has(does));
  const [, layer, what = ""] = LAYER.exec(line) ?? [];
  if (layer !== undefined) readLayer(progress, layer, what);
}

function note<T>(names: Map<string, T>, name: string, value: T): void {
  if (names.size < MAX_NAMES || names.has(name)) names.set(name, value);
}

/** Extracting begins at 0 again; a layer is done for the reader once it is fetched. */
function readLayer({ layers }: Progress, layer: string, what: string): void {
  const before = layers.get(layer);
  if (what.startsWith("Downloading ")) {
    const [, done, doneUnit, total, totalUnit] = BYTES.exec(what) ?? [];
    if (total === undefined) return;
    const read = { done: bytes(done, doneUnit), total: bytes(total, totalUnit) };
    return note(layers, layer, read);
  }
  if (/^(?:Download complete|Extracting |Pull complete|Verifying )/.test(what)) {
    if (before !== undefined) before.done = before.total;
  }
}

function bytes(count: string | undefined, unit: string | undefined): number {
  return Number(count ?? 0) * (UNITS[unit ?? "B"] ?? 1);
}

/** Takes the progress; gives it in a few ASCII words, e.g. `1 of 2 images, 21.8 of 52.5 MB`; may be empty. */
export function sayProgress({ layers, images, containers }: Progress): string {
  if (images.size > 0) {
    const fetched = count(images, images.size === 1 ? "image" : "images");
    const sum = (part: "done" | "total"): number =>
      [...layers.values()].reduce((all, layer) => all + layer[part], 0);
    return sum("total") === 0 ? fetched : `${fetched}, ${amount(sum("done"), sum("total"))}`;
  }
  if (containers.size === 0) return "";
  return count(containers, containers.size === 1 ? "container" : "containers");
}

function count(names: ReadonlyMap<string, boolean>, what: string): string {
  const arrived = [...names.values()].filter(Boolean).length;
  return arrived === names.size ? `${names.size} ${what}` : `${arrived} of ${names.size} ${what}`;
}

function amount(done: number, total: number): string {
  const [unit, size] = total >= 1e9 ? ["GB", 1e9] : total >= 1e6 ? ["MB", 1e6] : ["kB", 1e3];
  const of = (value: number): string => (value / size).toFixed(1);
  return of(done) === of(total) ? `${of(total)} ${unit}` : `${of(done)} of ${of(total)} ${unit}`;
}
