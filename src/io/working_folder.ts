/** The folder that relative paths of the command line are meant from. Needs no grant. */

/** Takes a path as somebody typed it; gives it absolute, without `.` and `..` parts. */
export function absolutePath(path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${Deno.cwd()}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
