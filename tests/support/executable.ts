/**
 * Programs that a test writes and then starts. Written by a process of its own, never by this one: test
 * files run side by side in one process, and whatever another one starts just then holds a copy of
 * every file that is open here until it has become its program. A program that anybody has open to be
 * written cannot be started (ETXTBSY, "Text file busy").
 */

/** Writes a program, 0755 whatever the umask is; what stood there is written over. */
export async function writeExecutable(path: string, text: string): Promise<void> {
  const child = new Deno.Command("sh", {
    args: ["-c", 'cat >"$1" && chmod 755 "$1"', "sh", path],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { success, stderr } = await child.output();
  if (!success) throw new Error(`${path} was not written: ${new TextDecoder().decode(stderr)}`);
}
