type Pairs = Map<object, Set<object>>;

/**
 * Takes two values and says whether they are the same in depth: same shape, same class, `NaN`
 * equal to itself, `0` to `-0`, an absent key different from an `undefined` one.
 */
export function equal(a: unknown, b: unknown): boolean {
  return same(a, b, new Map());
}

function same(a: unknown, b: unknown, seen: Pairs): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (classOf(a) !== classOf(b)) return false;
  const met = seen.get(a);
  // A pair met again on the way down is a circle: it is equal unless something else differs.
  if (met?.has(b)) return true;
  seen.set(a, (met ?? new Set()).add(b));
  return sameContent(a, b, seen) && sameKeys(a, b, seen);
}

/** An object without prototype is taken for a plain one, as std does. */
function classOf(value: object): unknown {
  return Object.getPrototypeOf(value) ?? Object.prototype;
}

function sameContent(a: object, b: object, seen: Pairs): boolean {
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (a instanceof RegExp || a instanceof URL) return String(a) === String(b);
  if (a instanceof Error && b instanceof Error) {
    return a.name === b.name && a.message === b.message && same(a.cause, b.cause, seen);
  }
  if (a instanceof Set && b instanceof Set) return sameEntries([...a], [...b], seen);
  if (a instanceof Map && b instanceof Map) return sameEntries([...a], [...b], seen);
  if (a instanceof ArrayBuffer && b instanceof ArrayBuffer) {
    return same(new Uint8Array(a), new Uint8Array(b), seen);
  }
  if (a instanceof String || a instanceof Number || a instanceof Boolean) {
    return Object.is(a.valueOf(), b.valueOf());
  }
  return !(a instanceof WeakMap || a instanceof WeakSet || a instanceof Promise);
}

/** Sets and maps have an order, which is not part of what they say. */
function sameEntries(a: unknown[], b: unknown[], seen: Pairs): boolean {
  if (a.length !== b.length) return false;
  const left = [...b];
  return a.every((entry) => {
    const at = left.findIndex((other) => same(entry, other, new Map(seen)));
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

function sameKeys(a: object, b: object, seen: Pairs): boolean {
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  const keys = ownKeys(a);
  if (keys.length !== ownKeys(b).length) return false;
  return keys.every((key) =>
    Object.hasOwn(b, key) && same(Reflect.get(a, key), Reflect.get(b, key), seen)
  );
}

function ownKeys(value: object): PropertyKey[] {
  return Reflect.ownKeys(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key)
  );
}
