/**
 * `deno task build [--out FOLDER]`: makes a release in dist/, the same bytes for the same commit. Only
 * the order stands here; docs/PACKAGING.md says what is made and why so.
 */

import { parseArgs } from "@std/cli/parse-args";
import { VERSION } from "../src/version.ts";
import { bundleAgent } from "./bench/packaged.ts";
import { packArchive } from "./build/archive.ts";
import { writeChecksums } from "./build/checksums.ts";
import { joinInstaller } from "./build/installer.ts";
import { buildMoment } from "./build/moment.ts";
import { fetchNfpm, makePackage } from "./build/nfpm.ts";
import { fetchRuntime, readRuntime } from "./build/runtime.ts";
import { sayBytes } from "./build/say_bytes.ts";
import { makeSbom } from "./build/sbom.ts";
import { installedFiles } from "./build/tree.ts";
import { PROJECT as root } from "./check/paths.ts";

/** Where what is fetched is kept between builds. */
const TOOLS = `${root}/.build`;

async function build(out: string, work: string): Promise<readonly string[]> {
  const momentS = await buildMoment(root);
  const runtime = await readRuntime(root);
  const elf = await fetchRuntime(runtime, `${TOOLS}/runtime`);
  const nfpm = await fetchNfpm(root, `${TOOLS}/nfpm`);
  const program = await bundleAgent(`${work}/main.js`);
  const files = await installedFiles({ root, version: VERSION, momentS, runtime: elf, program });
  const common = { root, version: VERSION, momentS, files, work };

  const names = {
    deb: `monky-deployd_${VERSION}_amd64.deb`,
    rpm: `monky-deployd-${VERSION}-1.x86_64.rpm`,
    archive: `monky-deployd_${VERSION}_linux_amd64.tar.gz`,
    sbom: `monky-deployd_${VERSION}.sbom.json`,
    installer: "install.sh",
  };
  await Deno.remove(out, { recursive: true }).catch(() => {});
  await Deno.mkdir(out, { recursive: true });
  await makePackage(nfpm, "deb", { ...common, target: `${out}/${names.deb}` });
  await makePackage(nfpm, "rpm", { ...common, target: `${out}/${names.rpm}` });
  const tree = files.filter(({ only }) => only === undefined || only.includes("tar"));
  await write(`${out}/${names.archive}`, packArchive(tree, momentS));
  const bytes = await Deno.readFile(program);
  const sbom = await makeSbom({ root, version: VERSION, momentS, runtime, program: bytes });
  await write(`${out}/${names.sbom}`, new TextEncoder().encode(sbom));
  const installer = await joinInstaller(root, VERSION);
  await write(`${out}/${names.installer}`, new TextEncoder().encode(installer), 0o755);
  await writeChecksums(out, Object.values(names));
  return [...Object.values(names), "SHA256SUMS"];
}

async function write(path: string, content: Uint8Array, mode = 0o644): Promise<void> {
  await Deno.writeFile(path, content, { mode });
}

async function main(args: readonly string[]): Promise<void> {
  const options = parseArgs([...args], { string: ["out"], default: { out: `${root}/dist` } });
  const out = options.out.startsWith("/") ? options.out : `${Deno.cwd()}/${options.out}`;
  const work = await Deno.makeTempDir({ prefix: "monky-build-" });
  try {
    for (const name of await build(out, work)) {
      const { size } = await Deno.stat(`${out}/${name}`);
      console.log(`${sayBytes(size).padStart(10)}  ${out}/${name}`);
    }
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

await main(Deno.args);
