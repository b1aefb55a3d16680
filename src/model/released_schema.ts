/** The list of how a release's services ran, as the state and the release's record keep it. */

import * as z from "zod/mini";

/** Service name → how it ran; a Released. */
export const releasedSchema = z.record(
  z.string(),
  z.object({
    count: z.number(),
    configHashes: z.array(z.string()),
    imageIds: z.array(z.string()),
    oneShot: z.boolean(),
  }),
);
