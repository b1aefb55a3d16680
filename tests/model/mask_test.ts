/** The second net: no revealed value of four characters or more survives in any printed shape. */

import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { Mask } from "../../src/model/mask.ts";
import { Secret } from "../../src/model/secret.ts";
import { fastestMs } from "../support/fastest.ts";

function maskOf(...values: readonly string[]): Mask {
  const mask = new Mask();
  for (const value of values) mask.add(new Secret(value));
  return mask;
}

/** How programs print a value, written without the code under test. */
const SHAPES: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "with $ doubled, as compose config prints it": (value) => value.split("$").join("$$"),
  "in JSON": (value) => JSON.stringify(value),
  "in JSON of Go": (value) =>
    JSON.stringify(value).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
  "in a URL": (value) => encodeURIComponent(value),
  "in a form": (value) => new URLSearchParams({ k: value }).toString(),
  "in base64": (value) => btoa(value),
  "in base64 of a URL": (value) => btoa(value).replaceAll("+", "-").replaceAll("/", "_"),
  "in base64 behind a name": (value) => btoa(`robot:${value}`),
  "in base64 behind a longer name": (value) => btoa(`robots:${value}`),
  "in base64 before something else": (value) => btoa(`a:${value}:z`),
};

/** How many bytes stand before the value in the shapes that have neighbours. */
const NEIGHBOUR_BYTES: Readonly<Record<string, number>> = {
  "in base64 behind a name": "robot:".length,
  "in base64 behind a longer name": "robots:".length,
  "in base64 before something else": "a:".length,
};

const VALUES = [
  "hunter2!",
  "p$w$$x{Y}",
  'ab$"$cd',
  'tab\tnew\nline and "quotes" & <tags>',
  "0123",
  "~~~???>>>",
  "a+b/c=d%e",
  "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\n-----END KEY-----\n",
];

for (const [shape, print] of Object.entries(SHAPES)) {
  Deno.test(`a value is masked ${shape}`, () => {
    for (const value of VALUES) {
      const masked = maskOf(value).apply(`before ${print(value)} after`);
      assert(masked.includes("[redacted]"), masked);
      const bare = print(value).replace(/^"|"$|^k=/g, "");
      // In the middle of base64 the first and the last character belong to the neighbours too.
      const offset = NEIGHBOUR_BYTES[shape] ?? 0;
      const from = Math.ceil((offset * 8) / 6);
      const to = Math.floor(((offset + value.length) * 8) / 6);
      assert(!masked.includes(offset === 0 ? bare : bare.slice(from, to)), `${value}: ${masked}`);
      assert(masked.startsWith("before ") && masked.endsWith(" after"), masked);
    }
  });
}

Deno.test("base64 of the bare value leaves nothing of it", () => {
  assertEquals(maskOf("hunter2!").apply(`x ${btoa("hunter2!")} y`), "x [redacted] y");
});

Deno.test("parts that stand between $, newlines and spaces are masked on their own", () => {
  const mask = maskOf("left$middle right\nlast");
  assertEquals(
    mask.apply('variable "middle" is not set; right; last; left'),
    'variable "[redacted]" is not set; [redacted]; [redacted]; [redacted]',
  );
});

Deno.test("a value or part of less than four characters is left alone", () => {
  const mask = maskOf("abc", "x", "", "one$two$three");
  assertEquals(mask.apply("abc x one two three"), "abc x one two [redacted]");
});

Deno.test("the longest value wins, and what overlaps becomes one", () => {
  const mask = maskOf("secret", "secret-and-more", "morecake");
  assertEquals(mask.apply("secret-and-more"), "[redacted]");
  assertEquals(mask.apply("secret-and-morecake!"), "[redacted]!");
  assertEquals(mask.apply("secret and more"), "[redacted] and more");
});

Deno.test("a value that the end of the text cuts off is masked, a few common letters are not", () => {
  const mask = maskOf("postgres://user:hunter2hunter2@db/app");
  assertEquals(mask.apply("dsn=postgres://user:hunter2hun"), "dsn=[redacted]");
  assertEquals(mask.apply("service=postgres"), "service=postgres");
});

Deno.test("base64 that a program wrapped into lines is masked across its line ends", () => {
  const password = "p@ss-0123456789 & so on";
  const before = "FIRST=something\nPASSWORD=";
  const printed = btoa(`${before}${password}\nLAST=x`);
  const from = Math.ceil((before.length * 8) / 6);
  const secret = printed.slice(from, Math.floor(((before.length + password.length) * 8) / 6));
  for (let width = 4; width < 76; width++) {
    const wrapped = printed.match(new RegExp(`.{1,${width}}`, "g"))?.join("\n") ?? "";
    const left = maskOf(password).apply(wrapped).replaceAll("\n", "");
    for (let at = 0; at + 4 <= secret.length; at++) {
      assert(!left.includes(secret.slice(at, at + 4)), `${width}: ${left}`);
    }
  }
});

Deno.test("long runs of letters and digits are masked whatever is done to what stands between them", () => {
  const mask = maskOf(
    '{"user":"deploy","url":"https://u:Wx3kTz9qLm@db/x?name=\'o\'"}',
    "it's-Secret99",
  );
  assertEquals(
    mask.apply("no such image: https:/u:Wx3kTz9qLm@db"),
    "no such image: https:/u:[redacted]@db",
  );
  assertEquals(mask.apply(`+ echo 'it'"'"'s-Secret99'`), `+ echo 'it'"'"'s-[redacted]'`);
  assertEquals(mask.apply("the user deploy"), "the user deploy");
});

Deno.test("text without a secret comes back as it is; so does any text before the first secret", () => {
  assertEquals(maskOf("hunter2").apply("nothing here"), "nothing here");
  assertEquals(new Mask().apply("nothing here"), "nothing here");
  assertEquals(maskOf("hunter2").apply(""), "");
});

const value = fc.oneof(
  fc.string({ minLength: 4, maxLength: 40 }),
  fc.string({ unit: "binary", minLength: 4, maxLength: 20 }),
  fc.stringMatching(/^[a-z$ \n"\\]{4,20}$/),
);
const around = fc.string({ maxLength: 20 });

Deno.test("whatever the values and the text around, none survives in any whole form", () => {
  const whole = [
    "as it is",
    "with $ doubled, as compose config prints it",
    "in JSON",
    "in JSON of Go",
  ];
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 5 }),
      around,
      around,
      fc.constantFrom(...whole),
      (values, before, after, shape) => {
        const print = SHAPES[shape] ?? String;
        const text = values.map((one) => before + print(one) + after).join("");
        const masked = maskOf(...values).apply(text);
        const gaps = masked.split("[redacted]");
        for (const one of values) {
          // A value may be part of the word [redacted] itself: look at what stands between.
          for (const gap of gaps) assert(!gap.includes(one), Deno.inspect({ one, masked }));
        }
      },
    ),
    { numRuns: 1000 },
  );
});

Deno.test("what 64 KiB of text take hardly depends on how many secrets there are", () => {
  const pem = (seed: number): string =>
    Array.from({ length: 20 }, (_, line) => `${seed}/${line}/`.padEnd(64, "abcdefgh")).join("\n");
  const some = (count: number): Mask =>
    maskOf(...Array.from({ length: count }, (_, index) => pem(index)));
  const [few, many] = [some(8), some(200)];
  const text = `hvs.token and ${pem(7)} `.repeat(60).slice(0, 65536);
  assert(many.apply(text).length < text.length / 10);
  const [ofFew = 0, ofMany = Infinity] = fastestMs(
    [() => few.apply(text), () => many.apply(text)],
    12,
  );
  // Tried one by one, the forms of 200 take 25 times as long as those of 8.
  assert(ofMany < 12 * ofFew, `${ofMany} ms with 200 secrets, ${ofFew} ms with 8`);
  assert(ofMany < 2_000, `${ofMany} ms`);
});
