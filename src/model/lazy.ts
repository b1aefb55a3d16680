/** Values made when they are first asked for: most schemas are of no use to a converged tick. */

/** Takes what makes a value; gives a function that makes it once and gives it from then on. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
