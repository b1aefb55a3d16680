// What `--help` says, and which options each command takes.

import { FAULT_KINDS } from "../faults.ts";

/** One command: its help, the options that take a value, and the ones that do not. */
export interface CommandHelp {
  readonly summary: string;
  readonly usage: string;
  readonly details: string;
  readonly values: readonly string[];
  readonly switches: readonly string[];
}

const FAULTS = Object.entries(FAULT_KINDS)
  .map(([kind, effect]) => `  ${kind.padEnd(19)}${effect}`).join("\n");

/** Every command by its name. `--dir` and `--help` belong to all. */
export const COMMANDS: Readonly<Record<string, CommandHelp>> = {
  serve: {
    summary: "run a tenancy in the foreground, against the lab or another OpenBao",
    usage: "serve [--port N] [--bao-addr URL --bao-ca FILE --bao-token-file FILE --key FILE]",
    details: `Without --bao-addr it takes OpenBao, keys and tokens from the running lab.
  --port N               port for agents; default: the one used last, else a free one
  --host HOST:PORT       the Host that agents must send; default monky.tenancy.deploy:443
  --interval S           interval_s of check-in replies; default: none
  --bao-addr URL         OpenBao, https
  --bao-ca FILE          PEM of the CA that signed OpenBao's certificate
  --bao-token-file FILE  tenancy's own OpenBao token; read again for every request
  --key FILE             ES256 key that signs grants, PKCS#8 PEM
  --bundle-key FILE      ES256 key that signs bundles; default: --key
  --issuer ISS           iss of grants; default https://tenancy.test`,
    values: [
      "port",
      "host",
      "interval",
      "bao-addr",
      "bao-ca",
      "bao-token-file",
      "key",
      "bundle-key",
      "issuer",
    ],
    switches: [],
  },
  config: {
    summary: "print the config of a box on this machine, over the lab and this tenancy",
    usage: "config --env ENV [--out FILE [--force]]",
    details: `  --out FILE   write it there; the box's folders lie beside it
  --force      overwrite a file that says something else`,
    values: ["env", "out"],
    switches: ["force"],
  },
  publish: {
    summary: "publish a folder as a bundle and make it desired",
    usage: "publish FOLDER --env ENV [--serial N|none] [--sign]",
    details: `  --serial N   default: one more than the highest; "none" leaves it out
  --sign       sign the bundle`,
    values: ["env", "serial"],
    switches: ["sign"],
  },
  desired: {
    summary: "show what an environment should run, or go back to an older bundle",
    usage: "desired --env ENV [--sha SHA]",
    details: `  --sha SHA    make this bundle, published before, desired again; agents refuse
               to go back unless its meta.json allows it`,
    values: ["env", "sha"],
    switches: [],
  },
  absent: {
    summary: "say that an environment should run nothing",
    usage: "absent --env ENV",
    details: "Its agent then takes the services down.",
    values: ["env"],
    switches: [],
  },
  grant: {
    summary: "reveal the kit: write a new bootstrap grant into a file (0600)",
    usage: "grant --env ENV --out FILE",
    details: "Every earlier grant of the environment is superseded, every known token revoked.",
    values: ["env", "out"],
    switches: [],
  },
  retire: {
    summary: "supersede every grant of an environment and refuse its tokens",
    usage: "retire --env ENV",
    details: "A new grant lets it in again.",
    values: ["env"],
    switches: [],
  },
  fault: {
    summary: "let requests fail: arm, list or clear faults",
    usage: "fault --kind KIND [--env ENV] [--call CALL] [--times N] | --list | --clear",
    details: `  --call CALL  checkin, bundle, lease, report; default any
  --times N    how many requests; default: until --clear
  --status N, --code CODE, --ms N, --bytes N, --field NAME, --location URL
               parameters of the kinds that take them:
${FAULTS}`,
    values: [
      "kind",
      "env",
      "call",
      "times",
      "status",
      "code",
      "ms",
      "bytes",
      "field",
      "location",
    ],
    switches: ["list", "clear"],
  },
  record: {
    summary: "show what agents sent since the tenancy started",
    usage: "record [--env ENV] [--json]",
    details: "  --json       everything, as JSON",
    values: ["env"],
    switches: ["json"],
  },
};

/** The help of all commands together. */
export function generalHelp(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) =>
    `  ${name.padEnd(9)}${summary}`
  );
  return `The development tenancy.

Usage: deno task tenancy COMMAND [OPTIONS]

${lines.join("\n")}

"COMMAND --help" says more. A deployment from a laptop:
  deno task lab up
  deno task tenancy serve                                  (leave it running)
  deno task tenancy grant --env ENV --out FILE             (bootstrap_file of the agent's config)
  deno task tenancy publish FOLDER --env ENV
  deno task tick --config config.yaml`;
}

/** The help of one command. */
export function commandHelp(name: string, help: CommandHelp): string {
  return `deno task tenancy ${name}: ${help.summary}.

Usage: deno task tenancy ${help.usage}

${help.details}
  --dir FOLDER           folder of the tenancy; default: "tenancy" in the lab's folder`;
}
