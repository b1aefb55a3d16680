/**
 * A bare Debian box with systemd, a mirror of this checkout's release, a tenancy and an OpenBao behind
 * a stand-in for the mesh, and an install kit: all that an installation on a real box needs. Whoever
 * installs, by script or by ansible, gets the same.
 */

import { type Box, makeBox } from "../../scripts/box/box.ts";
import { machineLock, takeLock } from "../../scripts/lab/lock.ts";
import {
  type BareBox,
  type LabInfo,
  makeDeb,
  readLab,
  type ReleaseMirror,
  sayOnStderr,
  standInPackages,
  startBareBox,
  startReleaseMirror,
  writePackageIndex,
} from "../../scripts/lab/mod.ts";
import { type Canary, canary } from "./canary.ts";
import { fakeEnrolment } from "./install_world.ts";
import { ownRelease } from "./release.ts";

const SOURCE = "deb [trusted=yes] file:/root/packages ./\n";
/** The timer's own pace is a minute. */
const FAST_TIMER = "[Timer]\nOnCalendar=\nOnCalendar=*:*:0/5\nRandomizedDelaySec=0\n";

/** Reads a box's journal: journald is behind with what a program said just before it ended. */
export const JOURNALCTL = "journalctl --sync; journalctl -q";

/** Far longer than a box of another test file needs its ports. */
const PORTS_PATIENCE_MS = 1_800_000;

/** A box that waits to be installed. */
export interface BoxToInstall extends AsyncDisposable {
  readonly bare: BareBox;
  /** Tenancy, OpenBao and the Engine as the box's agent meets them; its own agent is not used. */
  readonly control: Box;
  readonly mirror: ReleaseMirror;
  /** The folder that the mirror serves; the test's own. */
  readonly release: string;
  /** In /root/kit: token, bootstrap.jwt, enrol.jwt, ca.pem. */
  readonly secrets: readonly Canary[];
  /** Options of install.sh, as an operator would give them. */
  readonly options: readonly string[];
}

/** Makes it; whoever makes it disposes of it. Throws when the lab is not up. */
export async function makeBoxToInstall(): Promise<BoxToInstall> {
  const lab = await readLab();
  if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  const stack = new AsyncDisposableStack();
  try {
    const release = stack.use(await ownRelease(lab)).path;
    // The box is on the network of the machine (bare_box.ts), where the mesh's two ports are there
    // once: with another box at the same time its agent would talk to that one's tenancy.
    stack.use(
      await takeLock(machineLock("mesh-ports"), {
        what: "a box of another test",
        patienceMs: PORTS_PATIENCE_MS,
      }),
    );
    const control = stack.use(await makeBox(lab));
    const token = canary("gldt-@");
    const mirror = stack.use(
      startReleaseMirror({ files: { folder: release }, token: token.value }),
    );
    const bare = stack.use(
      await startBareBox(lab, { name: `bare-${control.env}`, say: sayOnStderr }),
    );
    const { grant } = await control.tenancy.issueBootstrapGrant(control.env);
    const enrolment = fakeEnrolment({}, canary("@").value);
    await bare.put([
      { path: "/root/install.sh", content: await Deno.readFile(`${release}/install.sh`) },
      { path: "/root/kit/token", content: `${token.value}\n`, mode: 0o600 },
      { path: "/root/kit/bootstrap.jwt", content: `${grant}\n`, mode: 0o600 },
      { path: "/root/kit/enrol.jwt", content: enrolment, mode: 0o600 },
      { path: "/root/kit/ca.pem", content: await Deno.readFile(control.bao.bao.caFile) },
      {
        path: "/etc/lab-mesh",
        content: `${control.paths.tenancy.address} ${control.paths.bao.address}\n`,
      },
      { path: "/etc/apt/sources.list.d/lab.list", content: SOURCE },
      { path: "/etc/systemd/system/monky-deployd.timer.d/lab.conf", content: FAST_TIMER },
      ...await packages(lab),
    ]);
    const disposal = stack.move();
    return {
      bare,
      control,
      mirror,
      release,
      secrets: [token.value, ...lastParts(grant), ...lastParts(enrolment)]
        .map((value) => ({ value, markers: [value] })),
      options: [
        ...["--env", control.env, "--site", "lab", "--transport", "proxy"],
        ...["--token-file", "/root/kit/token", "--bootstrap-file", "/root/kit/bootstrap.jwt"],
        ...["--enrol-jwt", "/root/kit/enrol.jwt", "--bao-ca", "/root/kit/ca.pem"],
        ...["--base-url", mirror.url],
      ],
      [Symbol.asyncDispose]: () => disposal.disposeAsync(),
    };
  } catch (cause) {
    await stack.disposeAsync();
    throw cause;
  }
}

/** Payload and signature; the header is the same in every token. */
function lastParts(jwt: string): readonly string[] {
  return jwt.trim().split(".").slice(1);
}

async function packages(
  lab: LabInfo,
): Promise<readonly { readonly path: string; readonly content: Uint8Array }[]> {
  const folder = await Deno.makeTempDir({ prefix: "packages-" });
  try {
    for (const made of standInPackages(lab)) await makeDeb(folder, made);
    await writePackageIndex(folder);
    const files = [];
    for await (const { name } of Deno.readDir(folder)) {
      const content = await Deno.readFile(`${folder}/${name}`);
      files.push({ path: `/root/packages/${name}`, content });
    }
    return files;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
