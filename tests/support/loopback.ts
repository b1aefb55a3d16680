/** Where a test may listen without meeting another run of the tests on the same machine. */

/** Gives an address of loopback that nobody else uses, so that all its ports are free. */
export function ownLoopback(): string {
  const [first = 0, second = 0, third = 0] = crypto.getRandomValues(new Uint8Array(3));
  return `127.${128 + first % 127}.${second}.${1 + third % 254}`;
}

/** Gives a port that nobody listens on, on any address, and that the kernel gives to no client. */
export function freeServerPort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    try {
      Deno.listen({ hostname: "0.0.0.0", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
