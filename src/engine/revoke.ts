export { revokeOldTokens } from "./session.ts";
