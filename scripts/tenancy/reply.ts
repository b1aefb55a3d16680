// Replies as values: a status and the JSON text that goes with it.

/** One reply of tenancy. `body` is JSON, sent byte for byte. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A request that is answered with an error. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;

  /** Takes the status, the code of protocol v1, and a message that quotes no secret. */
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A reply with a value as its body. */
export function jsonReply(status: number, value: unknown): Reply {
  return { status, body: JSON.stringify(value) };
}

/** An error reply: `{"error":{"code","message"}}`. */
export function errorReply(status: number, code: string, message: string): Reply {
  return jsonReply(status, { error: { code, message } });
}
