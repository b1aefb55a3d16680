import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { newProgress, readProgress, sayProgress } from "../../src/core/compose_progress.ts";

/** What compose 2.26.1 printed for two images, one of them for two services; then for `up` and `down`. */
const PULL: readonly (readonly [string, string])[] = [
  [" x Skipped - Image is already present locally ", ""],
  [" db2 Pulling ", "0 of 1 image"],
  [" db Skipped - Image is already being pulled by db2 ", "0 of 1 image"],
  [" web Pulling ", "0 of 2 images"],
  [" ac347e968911 Pulling fs layer ", "0 of 2 images"],
  [
    " ac347e968911 Downloading [====>        ]  10.62MB/26.24MB",
    "0 of 2 images, 10.6 of 26.2 MB",
  ],
  [
    " d98814359828 Downloading [>            ]  269.3kB/26.24MB",
    "0 of 2 images, 10.9 of 52.5 MB",
  ],
  [" ac347e968911 Verifying Checksum ", "0 of 2 images, 26.5 of 52.5 MB"],
  [" d98814359828 Download complete ", "0 of 2 images, 52.5 MB"],
  [" ac347e968911 Extracting [>            ]  294.9kB/26.24MB", "0 of 2 images, 52.5 MB"],
  [" ac347e968911 Pull complete ", "0 of 2 images, 52.5 MB"],
  [" db2 Pulled ", "1 of 2 images, 52.5 MB"],
  [" web Pulled ", "2 images, 52.5 MB"],
];

const UP: readonly (readonly [string, string])[] = [
  [" Network p_default  Creating", ""],
  [" Container p-web-1  Creating", "0 of 1 container"],
  [" Container p-db-1  Recreate", "0 of 2 containers"],
  [" web IPv4 forwarding is disabled. Networking will not work. ", "0 of 2 containers"],
  [" Container p-web-1  Started", "1 of 2 containers"],
  [" Container p-db-1  Running", "2 containers"],
];

for (const [what, lines] of [["a pull", PULL], ["an up", UP]] as const) {
  Deno.test(`${what} is told in numbers as its lines come`, () => {
    const progress = newProgress();
    for (const [line, says] of lines) {
      readProgress(progress, line);
      assertEquals(sayProgress(progress), says, line);
    }
  });
}

Deno.test("whatever a child prints, only numbers and known words come out, and memory is bounded", () => {
  const line = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.tuple(fc.stringMatching(/^[0-9a-f]{12}$/), fc.double()).map(([id, size]) =>
      ` ${id} Downloading [>]  ${size}MB/${size}GB`
    ),
    fc.string({ maxLength: 8 }).map((name) => ` ${name} Pulling `),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const progress = newProgress();
      for (const each of lines) readProgress(progress, each);
      assertEquals(/^(?:[0-9.,a-zA-Z ]*)$/.test(sayProgress(progress)), true);
    }),
  );
  const progress = newProgress();
  for (let index = 0; index < 20_000; index++) readProgress(progress, ` s${index} Pulling `);
  assertEquals(progress.images.size, 5_000);
});
