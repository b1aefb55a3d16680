/** What every assertion throws. */
export class AssertionError extends Error {
  /** Takes the text to show. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}

/** Takes what went wrong and the caller's own message, and throws both as one. */
export function refuse(what: string, message?: string): never {
  throw new AssertionError(message ? `${what}: ${message}` : what);
}
