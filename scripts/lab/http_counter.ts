/** Finds the request lines in what an HTTP/1.x client sends, one connection each. */

/** How the bytes that come next are to be understood. */
type Expect =
  | { readonly what: "head" }
  | { readonly what: "body"; left: number }
  | { readonly what: "chunk-size" }
  | { readonly what: "chunk"; left: number }
  | { readonly what: "trailer" }
  /** After an upgrade, or when it is no HTTP: nothing more is understood. */
  | { readonly what: "opaque" };

const MAX_HEAD_BYTES = 65_536;
const CR_LF = "\r\n";

/** Feed it the bytes of one connection in order. */
export class HttpCounter {
  #expect: Expect = { what: "head" };
  /** Bytes of an unfinished line or head, as latin-1 text. */
  #pending = "";
  readonly #onRequest: (line: string) => void;

  /** @param onRequest told each request line, `GET /info HTTP/1.1`, as soon as its head is whole */
  constructor(onRequest: (line: string) => void) {
    this.#onRequest = onRequest;
  }

  /**
   * Takes the next bytes.
   *
   * @param chunk as they came; not kept
   */
  push(chunk: Uint8Array): void {
    if (this.#expect.what === "opaque") return;
    // latin-1 keeps one character a byte, so that lengths are right.
    this.#pending += new TextDecoder("latin1").decode(chunk);
    while (this.#step());
  }

  /** Consumes one piece of what is pending; false when more bytes are needed. */
  #step(): boolean {
    const expect = this.#expect;
    switch (expect.what) {
      case "head":
        return this.#takeHead();
      case "body":
      case "chunk":
        return this.#skip(expect);
      case "chunk-size": {
        const line = this.#takeUntil(CR_LF);
        if (line === null) return false;
        const size = Number.parseInt(line, 16);
        // The chunk's own CR LF is skipped with it.
        this.#expect = size > 0 ? { what: "chunk", left: size + 2 } : { what: "trailer" };
        return true;
      }
      case "trailer": {
        const line = this.#takeUntil(CR_LF);
        if (line === "") this.#expect = { what: "head" };
        return line !== null;
      }
      case "opaque":
        this.#pending = "";
        return false;
    }
  }

  #takeHead(): boolean {
    const head = this.#takeUntil(CR_LF + CR_LF);
    if (head === null) {
      if (this.#pending.length > MAX_HEAD_BYTES) this.#expect = { what: "opaque" };
      return this.#expect.what === "opaque";
    }
    const [line = ""] = head.split(CR_LF, 1);
    if (!/^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(line)) {
      this.#expect = { what: "opaque" };
      return true;
    }
    this.#onRequest(line);
    const length = Number(/\r\ncontent-length:\s*(\d+)/i.exec(head)?.[1] ?? "0");
    if (/\r\nupgrade:/i.test(head)) this.#expect = { what: "opaque" };
    else if (/\r\ntransfer-encoding:.*chunked/i.test(head)) this.#expect = { what: "chunk-size" };
    else if (length > 0) this.#expect = { what: "body", left: length };
    return true;
  }

  #skip(expect: { readonly what: "body" | "chunk"; left: number }): boolean {
    const taken = Math.min(expect.left, this.#pending.length);
    this.#pending = this.#pending.slice(taken);
    expect.left -= taken;
    if (expect.left > 0) return false;
    this.#expect = { what: expect.what === "chunk" ? "chunk-size" : "head" };
    return true;
  }

  #takeUntil(end: string): string | null {
    const at = this.#pending.indexOf(end);
    if (at < 0) return null;
    const text = this.#pending.slice(0, at);
    this.#pending = this.#pending.slice(at + end.length);
    return text;
  }
}
