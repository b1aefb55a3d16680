/**
 * An independent, tiny reader of rendered env files: it knows only what the encoder may write, and
 * stops at anything else. That compose reads the same is shown by tests/real/env_roundtrip_test.ts.
 */

const LINE = /([A-Za-z_][A-Za-z0-9_.-]*)="((?:[^"\\$\n\r]|\\["\\$nr])*)"\n|#[^\n]*\n/y;

const PLAIN: Readonly<Record<string, string>> = { "\\n": "\n", "\\r": "\r" };

/** Takes the text of a rendered file, gives its variables. Throws on what the encoder must not write. */
export function readEnv(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  LINE.lastIndex = 0;
  for (let at = 0; at < text.length; at = LINE.lastIndex) {
    const match = LINE.exec(text);
    if (match === null) throw new Error(`no rendered line at ${at}`);
    const [, name, value] = match;
    if (name === undefined || value === undefined) continue;
    if (variables.has(name)) throw new Error(`${name} stands there twice`);
    variables.set(name, value.replace(/\\./g, (escape) => PLAIN[escape] ?? escape.slice(1)));
  }
  return variables;
}
