/** Networks in CIDR notation, as far as the policy compares them. */

interface Range {
  readonly first: number;
  readonly last: number;
}

const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"] as const;

/** Says whether a network lies in the ranges that nobody routes (RFC 1918, RFC 4193). */
export function isPrivateSubnet(cidr: string): boolean {
  if (/^f[cd][0-9a-f]{2}:[0-9a-f:]*\/\d{1,3}$/i.test(cidr)) return Number(cidr.split("/")[1]) >= 8;
  const range = readRange(cidr);
  if (range === null) return false;
  return PRIVATE.some((each) => {
    const whole = readRange(each);
    return whole !== null && range.first >= whole.first && range.last <= whole.last;
  });
}

/** Says whether two IPv4 networks share an address; false when one of them is none. */
export function overlaps(one: string, other: string): boolean {
  const a = readRange(one);
  const b = readRange(other);
  return a !== null && b !== null && a.first <= b.last && b.first <= a.last;
}

/** Says whether two texts name the same IPv4 network: `10.0.0.5/8` is `10.0.0.0/8`. */
export function isSameSubnet(one: string, other: string): boolean {
  const a = readRange(one);
  const b = readRange(other);
  return a !== null && b !== null && a.first === b.first && a.last === b.last;
}

function readRange(cidr: string): Range | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  if (match === null) return null;
  const [, ...numbers] = match.map(Number);
  const bytes = numbers.slice(0, 4);
  const bits = numbers[4] ?? 33;
  if (bits > 32 || bytes.some((byte) => byte > 255)) return null;
  const address = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const size = 2 ** (32 - bits);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}
