/**
 * Reads the `$` forms of compose's interpolation in one text: `$NAME`, `${NAME}`, `:-` `-` `:+` `+`
 * `:?` `?` with nested operands, `$$` for a dollar. Measured against compose 2.26.1 (field case 13).
 * A form that compose refuses or misreads is a problem, never copied through. Nothing here knows
 * where a value comes from.
 */

/** A stretch of literal text. */
export interface Literal {
  readonly kind: "literal";
  readonly text: string;
}

/** How a reference behaves when its variable is missing (`-` `+` `?`) or also when empty (`:`). */
export type Form = "plain" | ":-" | "-" | ":+" | "+" | ":?" | "?";

/** One reference. */
export interface Reference {
  readonly kind: "reference";
  readonly name: string;
  readonly form: Form;
  /** What stands behind `:-`, `-`, `:+` or `+`; empty for the other forms. */
  readonly operand: readonly Part[];
  /** What stands behind `:?` or `?`, as written: never filled in, a message must not hold a value. */
  readonly message: string;
}

/** A piece of a text. */
export type Part = Literal | Reference;

/** A form that is not understood. */
export interface FormProblem {
  /** The form as written, cut short, and what is wrong with it. */
  readonly text: string;
  /** compose takes the form, yet gives another value than it shows. */
  readonly misread: boolean;
}

/** A text taken apart. */
export interface Scanned {
  readonly parts: readonly Part[];
  readonly problems: readonly FormProblem[];
}

/** Levels of references inside operands. */
const MAX_NESTING = 20;

/** A text is given up after this many problems: each costs a look at the rest of its line. */
const MAX_PROBLEMS = 50;

/** compose matches names without regard to case, which lets these two non-ASCII letters in. */
const NAME = /[A-Za-z_\u017f\u212a][A-Za-z0-9_\u017f\u212a]*/y;
const OPERATOR = /:?[-+?]/y;

/** Takes a text, gives its parts and the forms in it that are not understood. */
export function scanReferences(text: string): Scanned {
  return scan(text, 0);
}

function scan(text: string, nesting: number): Scanned {
  const parts: Part[] = [];
  const problems: FormProblem[] = [];
  let at = 0;
  while (problems.length < MAX_PROBLEMS) {
    const dollar = text.indexOf("$", at);
    if (dollar === -1) break;
    if (dollar > at) parts.push(literal(text.slice(at, dollar)));
    const found = text[dollar + 1] === "{"
      ? scanBraced(text, dollar, nesting)
      : scanBare(text, dollar);
    if (found.part !== null) parts.push(found.part);
    problems.push(...found.problems);
    at = found.end;
  }
  if (at < text.length) parts.push(literal(text.slice(at)));
  return { parts, problems };
}

interface Found {
  readonly part: Part | null;
  readonly problems: readonly FormProblem[];
  readonly end: number;
}

/** `$$`, `$NAME`, or a dollar that means itself, as in `$1` and `$ `. */
function scanBare(text: string, dollar: number): Found {
  if (text[dollar + 1] === "$") return { part: literal("$"), problems: [], end: dollar + 2 };
  const name = matchAt(NAME, text, dollar + 1);
  const end = dollar + 1 + name.length;
  if (name === "") return { part: literal("$"), problems: [], end };
  return { part: reference(name, "plain"), problems: nameProblems(`$${name}`, name), end };
}

function scanBraced(text: string, dollar: number, nesting: number): Found {
  const name = matchAt(NAME, text, dollar + 2);
  const after = dollar + 2 + name.length;
  if (name === "") return refused(text, dollar, "names no variable");
  const problems = nameProblems(excerpt(text, dollar), name);
  if (text[after] === "}") return { part: reference(name, "plain"), problems, end: after + 1 };
  const operator = matchAt(OPERATOR, text, after);
  if (operator === "") return refused(text, dollar, "is no form that compose knows");
  const start = after + operator.length;
  const close = closingBrace(text, start);
  if (close === -1) return refused(text, dollar, "is not closed on its line");
  if (nesting === MAX_NESTING) return refused(text, dollar, "is nested too deeply");
  const inner = text.slice(start, close);
  const operand = scan(inner, nesting + 1);
  const part = operator === ":?" || operator === "?"
    ? { ...reference(name, operator), message: inner }
    : { ...reference(name, operator as Form), operand: operand.parts };
  const braces = /\{[{}]/.test(inner)
    ? [{ text: `${excerpt(text, dollar)} holds braces that compose miscounts`, misread: true }]
    : [];
  return { part, problems: [...problems, ...braces, ...operand.problems], end: close + 1 };
}

/** Gives the place of the brace that closes an operand; compose ends its search at the line's end. */
function closingBrace(text: string, start: number): number {
  let open = 1;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === "\n") return -1;
    if (char === "{") open++;
    if (char === "}" && --open === 0) return at;
  }
  return -1;
}

/** The rest of the text is left to the next `$`, so that every bad form is found at once. */
function refused(text: string, dollar: number, why: string): Found {
  const problem = { text: `${excerpt(text, dollar)} ${why}`, misread: false };
  return { part: null, problems: [problem], end: dollar + 2 };
}

function nameProblems(form: string, name: string): FormProblem[] {
  if (/^\w+$/.test(name)) return [];
  return [{ text: `${form} has a letter other than A-Z in its name`, misread: false }];
}

/** The form as written: to its first closing brace or its line's end, at most 40 characters. */
function excerpt(text: string, dollar: number): string {
  const form = /^[^}\n]*\}?/.exec(text.slice(dollar, dollar + 40))?.[0] ?? "$";
  const closed = form.endsWith("}") ? form : form.replace(/(?<=.)[\s"'#=].*$/, "");
  return JSON.stringify(closed).slice(1, -1);
}

function literal(text: string): Literal {
  return { kind: "literal", text };
}

function reference(name: string, form: Form): Reference {
  return { kind: "reference", name, form, operand: [], message: "" };
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
