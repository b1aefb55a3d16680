/**
 * IPv4 ranges as the config writes them, `100.64.0.0/10`: what lies inside, and what is left of the
 * address space. Pure; a text that is no address lies in no range.
 */

const SPACE_BITS = 32;

/**
 * Takes a range in CIDR notation and an address; says whether the address lies inside. An IPv6
 * address does so only when it is an IPv4 address in IPv6's clothes (`::ffff:100.64.0.7`).
 */
export function rangeContains(range: string, address: string): boolean {
  const { start, bits } = readRange(range);
  const value = readAddress(address.replace(/^::ffff:/i, ""));
  return value !== null && blockOf(value, bits) === blockOf(start, bits);
}

/**
 * Takes a range; gives the ranges that make up all other IPv4 addresses, in order. Each bit of the
 * prefix leaves out the half that the range is not in, so `/10` gives ten.
 */
export function rangeComplement(range: string): readonly string[] {
  const { start, bits } = readRange(range);
  const others: number[][] = [];
  for (let prefix = 1; prefix <= bits; prefix += 1) {
    const size = 2 ** (SPACE_BITS - prefix);
    const own = blockOf(start, prefix);
    others.push([(own % 2 === 0 ? own + 1 : own - 1) * size, prefix]);
  }
  return others
    .toSorted(([one = 0], [other = 0]) => one - other)
    .map(([value = 0, prefix = 0]) => `${showAddress(value)}/${prefix}`);
}

/** Takes a text; says whether it is an IP address of either version rather than a name. */
export function isAddress(text: string): boolean {
  return readAddress(text) !== null || text.includes(":");
}

function readRange(range: string): { readonly start: number; readonly bits: number } {
  const [text = "", prefix = ""] = range.split("/");
  return { start: readAddress(text) ?? 0, bits: Number(prefix) };
}

function readAddress(text: string): number | null {
  const parts = text.split(".");
  const isDotted = parts.length === 4 &&
    parts.every((part) => /^[0-9]{1,3}$/.test(part) && Number(part) <= 255);
  return isDotted ? parts.reduce((value, part) => value * 256 + Number(part), 0) : null;
}

function showAddress(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

/** Which of the blocks with this prefix length the address lies in, counted from 0.0.0.0. */
function blockOf(value: number, bits: number): number {
  return Math.floor(value / 2 ** (SPACE_BITS - bits));
}
