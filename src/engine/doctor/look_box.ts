/** The doctor's checks of the box itself: user, folders, memory, identity, units, ports. */

import { readAcls } from "../../clients/acl.ts";
import { showUnits } from "../../clients/systemd.ts";
import { judgeFolders, type SeenPath } from "../../core/doctor/judge_folders.ts";
import {
  aclCommands,
  enrolAgain,
  type IdentityFacts,
  judgeIdentity,
} from "../../core/doctor/judge_identity.ts";
import { judgeUnits, parseUnits, UNIT_PROPERTIES, UNITS } from "../../core/doctor/judge_units.ts";
import { judgeListeners, listenerProbes } from "../../core/doctor/listeners.ts";
import { GETFACL, SYSTEMCTL } from "../../core/doctor/programs.ts";
import { folderOf, shellWords } from "../../core/doctor/place.ts";
import { fail, notChecked, notNeeded, ok, type Verdict, warn } from "../../core/doctor/verdict.ts";
import { hasCode } from "../../errors.ts";
import type { Lookout } from "./lookout.ts";

const MAX_IDENTITY_BYTES = 1 << 20;
/** Somebody who renews the identity lets it be away, or half there, for a moment (facts: ziti §3). */
const IDENTITY_READINGS = 3;
const IDENTITY_PAUSE_MS = 1_000;

/** Whether the doctor sees what the agent sees. */
export function lookAtUser({ agent, place }: Lookout): Promise<Verdict> {
  const uid = agent.ports.box.uid();
  const { agentUid, configPath } = place;
  if (uid === null) return Promise.resolve(notChecked("this process may not know its user"));
  if (agentUid === null || agentUid === uid) return Promise.resolve(ok(`uid ${uid}`));
  const again = shellWords("sudo", "-u", `#${agentUid}`, "monky-deployd", "doctor");
  return Promise.resolve(warn(
    `this is user ${uid} and the agent is user ${agentUid}: what it may not do does not show here`,
    `${again} ${shellWords("--config", configPath)}`,
  ));
}

/** The folders, and what lies on top in them. */
export async function lookAtFolders({ agent, place }: Lookout): Promise<Verdict> {
  const { files } = agent.ports;
  const { stateDir, deployDir } = agent.config;
  const see = async (path: string): Promise<SeenPath> => ({ path, stat: await files.stat(path) });
  const state = await see(stateDir);
  const owned = [
    ...["state.json", "session.json", "lock"].map((name) => `${stateDir}/${name}`),
    ...["current", "releases", "project"].map((name) => `${deployDir}/${name}`),
  ];
  return judgeFolders({
    state,
    deploy: await see(deployDir),
    owned: await Promise.all(owned.map(see)),
    freeBytes: state.stat?.kind === "directory" ? await files.freeBytes(stateDir) : null,
  }, place);
}

/** state.json and session.json. */
export async function lookAtState({ agent, memory }: Lookout): Promise<Verdict> {
  const { warnings, state } = await memory();
  const { stateDir } = agent.config;
  if (warnings.length > 0) {
    const fix = `the next tick mends it: systemctl start ${UNITS.tick}; ${
      shellWords("ls", "-l", stateDir)
    }`;
    return warn(warnings.join("; "), fix);
  }
  const { applied } = state;
  return ok(
    applied === null ? "nothing was applied yet" : `${applied.sha.slice(0, 12)} is applied`,
  );
}

/** The identity file, as the bridge will read it. */
export async function lookAtIdentity({ agent, place }: Lookout): Promise<Verdict> {
  const { transport, identity } = agent.config;
  if (transport !== "sdk") {
    return notNeeded(`transport ${transport}: the tunneler has the identity, not the agent`);
  }
  const { exec, clock } = agent.ports;
  const acls = await readAcls(exec, {
    program: GETFACL,
    paths: [identity, folderOf(identity)],
  });
  const [file, folder] = acls ?? [];
  const seen = file === undefined || folder === undefined ? null : { file, folder };
  for (let reading = 1;; reading += 1) {
    const verdict = await readIdentityOnce({ agent, place }, seen);
    if (verdict.state !== "fail" || reading === IDENTITY_READINGS) return verdict;
    if (!/is not there$|is not JSON$/.test(verdict.detail)) return verdict;
    await clock.sleep(IDENTITY_PAUSE_MS);
  }
}

async function readIdentityOnce(
  { agent, place }: Pick<Lookout, "agent" | "place">,
  acls: IdentityFacts["acls"],
): Promise<Verdict> {
  const { identity } = agent.config;
  const { files, clock } = agent.ports;
  const wrong = (what: string, fix: string): Verdict =>
    fail("ZITI_IDENTITY", `the identity file ${identity} ${what}`, fix);
  try {
    const stat = await files.stat(identity);
    const bytes = await files.read(identity, MAX_IDENTITY_BYTES, { followLink: true });
    if (stat === null || bytes === null) return wrong("is not there", enrolAgain(identity));
    const text = new TextDecoder().decode(bytes);
    // A link's own mode says nothing.
    const mode = stat.kind === "file" ? stat.mode : 0;
    return judgeIdentity({ text, mode, acls, now: clock.now() }, place);
  } catch (thrown) {
    if (!hasCode(thrown, "FILE_UNREADABLE")) throw thrown;
    return wrong("cannot be read by this user", aclCommands(place));
  }
}

/** What starts the ticks. */
export async function lookAtUnits({ agent }: Lookout): Promise<Verdict> {
  const shown = await showUnits(agent.ports.exec, {
    program: SYSTEMCTL,
    units: Object.values(UNITS),
    properties: UNIT_PROPERTIES,
  });
  if (shown === "refused") return notChecked(`this process may not run ${SYSTEMCTL}`);
  if (shown === "absent") return notNeeded("no systemd runs here: something else starts ticks");
  return judgeUnits(parseUnits(shown.text), agent.config);
}

/** The proxy's ports. */
export function lookAtListeners({ agent, place }: Lookout): Promise<Verdict> {
  const { config, ports } = agent;
  const probes = listenerProbes(config);
  if (probes.length === 0) {
    return Promise.resolve(notNeeded(`transport ${config.transport} has no port on this box`));
  }
  const taken = probes.map((probe) => ports.box.isTaken(probe));
  if (taken.includes(null)) {
    return Promise.resolve(notChecked("this process may not try the proxy's ports"));
  }
  const addresses = [config.tenancy.proxyAddr, config.bao.proxyAddr];
  const seen = addresses.map((address, index) => ({
    address,
    takenElsewhere: taken[index] === true,
  }));
  return Promise.resolve(judgeListeners(seen, place.configPath));
}
