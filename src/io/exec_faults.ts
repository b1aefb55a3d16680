/**
 * Why a child could not be started, as AgentErrors that name the program. Arguments and environment
 * are never named: the runtime's text for them is dropped.
 */

import { AgentError } from "../errors.ts";
import type { Command } from "../ports.ts";
import { osCode } from "./file_faults.ts";

/** Gives COMPOSE_MISSING, PERMISSION_MISSING, FILE_UNREADABLE (the working folder), ENV_TOO_LARGE or SPAWN_FAILED. */
export function spawnFault(thrown: unknown, { program, cwd }: Command): AgentError {
  const options = { cause: thrown, data: { program } };
  if (thrown instanceof Deno.errors.NotCapable) {
    return new AgentError(
      "PERMISSION_MISSING",
      `the agent was not started with the permission to run "${program}"`,
      options,
    );
  }
  if (thrown instanceof Error && /no such cwd/i.test(thrown.message)) {
    return new AgentError("FILE_UNREADABLE", `"${program}" needs the folder "${cwd}"`, options);
  }
  switch (osCode(thrown)) {
    case "ENOENT":
    case "ENOTDIR":
      return new AgentError("COMPOSE_MISSING", `there is no program "${program}"`, options);
    case "EACCES":
    case "EPERM":
      return new AgentError("PERMISSION_MISSING", `this user may not run "${program}"`, {
        ...options,
        hint: "Check owner and mode of the named program (ls -ld), and noexec of its file system.",
      });
    case "ENOEXEC":
      return new AgentError("COMPOSE_MISSING", `"${program}" is no program for this box`, options);
    case "E2BIG":
      return new AgentError(
        "ENV_TOO_LARGE",
        `the environment for "${program}" is larger than the kernel takes`,
        options,
      );
    case "EINVAL":
      return new AgentError(
        "INTERNAL",
        `an argument or a variable for "${program}" holds a NUL byte`,
        { data: { program } },
      );
    default:
      return new AgentError("SPAWN_FAILED", `"${program}" could not be started`, options);
  }
}
