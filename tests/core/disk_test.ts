import { assertEquals } from "@std/assert";
import { type DiskFacts, neededBytes, refuseForDisk } from "../../src/core/disk.ts";

const GIB = 2 ** 30;
const FACTS: DiskFacts = {
  images: [{ ref: "r/a:1", sizeBytes: 2 * GIB }, { ref: "r/b:1", sizeBytes: GIB }],
  present: new Set(),
  freeBytes: 0,
  factor: 1.5,
  headroomBytes: 2 * GIB,
  dataRoot: "/var/lib/docker",
};

Deno.test("free bytes must exceed factor × missing images + headroom", () => {
  assertEquals(neededBytes(FACTS), 6.5 * GIB);
  assertEquals(refuseForDisk({ ...FACTS, freeBytes: 6.5 * GIB + 1 }), null);
  const refusal = refuseForDisk({ ...FACTS, freeBytes: 6.5 * GIB });
  assertEquals(refusal?.code, "DISK_INSUFFICIENT");
  assertEquals(
    refusal?.message,
    `6979321856 bytes are free on "/var/lib/docker", more than 6979321856 are needed`,
  );
  assertEquals(refusal?.data, {
    freeBytes: 6979321856,
    neededBytes: 6979321856,
    dataRoot: "/var/lib/docker",
  });
});

Deno.test("images that are present count for nothing, a reference twice counts once", () => {
  assertEquals(neededBytes({ ...FACTS, present: new Set(["r/a:1"]) }), 3.5 * GIB);
  assertEquals(neededBytes({ ...FACTS, images: [...FACTS.images, ...FACTS.images] }), 6.5 * GIB);
  assertEquals(neededBytes({ ...FACTS, images: [] }), 2 * GIB);
});

Deno.test("a factor that gives a fraction rounds up", () => {
  const images = [{ ref: "x", sizeBytes: 1 }];
  assertEquals(neededBytes({ ...FACTS, images, headroomBytes: 0 }), 2);
});
