/**
 * In which shapes a secret's value turns up in the output of programs: as it is, in parts (compose
 * cuts at `$`, loggers at newlines and spaces), with `$` doubled as `docker compose config` prints
 * it, and as JSON, a URL or base64 carry it. What rewrites the rest of a value (a shell's trace its
 * quotes, Docker the `//` of a URL) leaves long runs of letters and digits as they are. Pure text.
 */

/**
 * Shorter values are not masked: two or three characters stand in nearly every line, so blanking
 * them would spoil the text and tell by its gaps what the value is.
 */
export const MIN_MASKED_CHARS = 4;

/** Takes a value; gives every form to look for, each at least 4 characters long, without repeats. */
export function maskForms(value: string): ReadonlySet<string> {
  const forms = new Set<string>();
  for (const part of new Set([value, ...value.split(/[$\s]+/)])) {
    // A short part of a long value would blank common text; a short value: see above.
    if (part.length < MIN_MASKED_CHARS) continue;
    for (const form of printedForms(part)) {
      if (form.length >= MIN_MASKED_CHARS) forms.add(form);
    }
  }
  for (const run of value.match(/[A-Za-z0-9]{8,}/g) ?? []) {
    if (!isTelling(run)) continue;
    for (const form of [run, ...base64Forms(new TextEncoder().encode(run))]) forms.add(form);
  }
  return forms;
}

/** `postgres` and `password` stand in many a value, and in many an innocent line. */
function isTelling(run: string): boolean {
  return run.length >= 12 || /[0-9]/.test(run) && /[A-Za-z]/.test(run);
}

function printedForms(part: string): readonly string[] {
  const doubled = part.replaceAll("$", "$$$$");
  const text = part.toWellFormed();
  return [
    part,
    doubled,
    ...jsonForms(part),
    ...jsonForms(doubled),
    encodeURIComponent(text),
    // Forms and Go's url.QueryEscape: a space is a plus, and `!'()*` are escaped too.
    new URLSearchParams([["", text]]).toString().slice(1),
    encodeURIComponent(text).replace(/[!'()*]/g, percent),
    ...base64Forms(new TextEncoder().encode(part)),
  ];
}

/** As JSON.stringify escapes, as Go does (`<`, `>` and `&` too), and with all but ASCII escaped. */
function jsonForms(part: string): readonly string[] {
  const plain = JSON.stringify(part).slice(1, -1);
  const goes = plain.replace(/[<>&\u2028\u2029]/g, unicode);
  return [plain, goes, plain.replace(/[\u0080-\uffff]/g, unicode)];
}

function unicode(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Base64 in both alphabets. What is encoded may stand inside something longer (`user:password` of a
 * registry account), which shifts it by one or two bytes: the characters that the neighbours do not
 * touch are looked for in all three positions.
 */
function base64Forms(bytes: Uint8Array): readonly string[] {
  const forms: string[] = [];
  for (const shift of [0, 1, 2]) {
    const padded = new Uint8Array(shift + bytes.length);
    padded.set(bytes, shift);
    const text = padded.toBase64({ omitPadding: true });
    // The first characters hold bits of what stands before; the last one, of what comes behind.
    const start = shift === 0 ? 0 : shift + 1;
    const end = Math.floor((padded.length * 8) / 6);
    const core = text.slice(start, end);
    forms.push(core);
  }
  forms.push(bytes.toBase64(), bytes.toBase64({ omitPadding: true }));
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
