/**
 * What an open file is, also below a link. For its status alone the runtime wants a grant of where
 * the file really lies (measured on 2.9.6; reading and writing it need none), and below a link that
 * is another path than the granted one: a CA under /etc/ssl/certs, a config that a tool links into
 * place, a state_dir that is a link to another disk.
 */

/**
 * Takes an open file and a second look at its name; gives the file's status, by its name where the
 * runtime refuses the other way. Lets the runtime's own errors pass.
 */
export async function statOpened(
  file: Deno.FsFile,
  lookAgain: () => Promise<Deno.FileInfo>,
): Promise<Deno.FileInfo> {
  try {
    return await file.stat();
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotCapable) return await lookAgain();
    throw thrown;
  }
}
