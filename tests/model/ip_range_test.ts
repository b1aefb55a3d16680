/** IPv4 ranges: a range and its complement share no address and leave none out. */

import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { isAddress, rangeComplement, rangeContains } from "../../src/model/ip_range.ts";

const INSIDE: readonly (readonly [string, string, boolean])[] = [
  ["100.64.0.0/10", "100.64.0.0", true],
  ["100.64.0.0/10", "100.127.255.255", true],
  ["100.64.0.0/10", "100.63.255.255", false],
  ["100.64.0.0/10", "100.128.0.0", false],
  ["100.64.0.0/10", "::ffff:100.64.0.7", true],
  ["100.64.0.0/10", "::ffff:203.0.113.7", false],
  ["100.64.0.0/10", "2001:db8::7", false],
  ["100.64.0.0/10", "::1", false],
  ["100.64.0.0/10", "100.64.0", false],
  ["100.64.0.0/10", "100.64.0.256", false],
  ["100.64.0.0/10", "100.64.0.7x", false],
  ["100.64.0.0/10", "", false],
  ["192.168.1.1/32", "192.168.1.1", true],
  ["192.168.1.1/32", "192.168.1.2", false],
  ["10.0.0.0/8", "10.255.0.1", true],
];

Deno.test("an address lies in a range when the bits of the prefix are the same", () => {
  for (const [range, address, inside] of INSIDE) {
    assertEquals(rangeContains(range, address), inside, `${address} in ${range}`);
  }
});

Deno.test("every address lies either in the range or in exactly one part of its complement", () => {
  const part = fc.integer({ min: 0, max: 255 });
  const address = fc.tuple(part, part, part, part).map((parts) => parts.join("."));
  fc.assert(fc.property(address, address, fc.integer({ min: 8, max: 32 }), (start, one, bits) => {
    const range = `${start}/${bits}`;
    const homes = [range, ...rangeComplement(range)].filter((each) => rangeContains(each, one));
    assertEquals(homes.length, 1);
  }));
});

Deno.test("names are no addresses", () => {
  assertEquals(["1.2.3.4", "::1", "monky.tenancy.deploy", "1.2.3"].map(isAddress), [
    true,
    true,
    false,
    false,
  ]);
});
