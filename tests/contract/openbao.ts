/**
 * What the agent relies on in OpenBao, as a list that the real server and the stand-in both pass
 * (facts: openbao §2.4): shapes, statuses and the texts that are matched. Each check uses an env of
 * its own and puts back what it changed.
 */

import { CLIENT_CONTRACT } from "./openbao_client.ts";
import { KV_CONTRACT } from "./openbao_kv.ts";
import { SERVER_CONTRACT } from "./openbao_server.ts";
import type { Check } from "./openbao_setup.ts";
import { TOKEN_CONTRACT } from "./openbao_token.ts";

/** The whole list. */
export const CONTRACT: readonly Check[] = [
  ...TOKEN_CONTRACT,
  ...KV_CONTRACT,
  ...SERVER_CONTRACT,
  ...CLIENT_CONTRACT,
];
