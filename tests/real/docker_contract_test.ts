/** The contract list of Docker and compose on the lab's real Engine and plugin. */

import { CONTRACT } from "../contract/docker.ts";
import { withBench } from "./docker_bench.ts";

for (const check of CONTRACT) {
  Deno.test(`Docker (real): ${check.name}`, async () => {
    await withBench(check.run);
  });
}
