/**
 * Speaks to the Docker Engine over its socket (facts: docker §1, §9): no version prefix, so that
 * one agent fits every Engine. Classifies what comes back and decides nothing.
 */

import { hasCode } from "../errors.ts";
import type { Container, ContainerDetail } from "../model/containers.ts";
import {
  type EngineFacts,
  type EngineVersion,
  type HeldName,
  type HeldPort,
  type LocalImage,
  parseContainers,
  parseDetail,
  parseEngine,
  parseHealthOutput,
  parseHeldNames,
  parseHeldPorts,
  parseImage,
  parseVersion,
  parseVolumeNames,
} from "../model/docker_wire.ts";
import { type LocalNetwork, parseNetworks } from "../model/docker_networks.ts";
import { logText } from "../model/log_frames.ts";
import { lastLines, plainText } from "../model/plain_text.ts";
import type { Http, HttpReply, HttpRequest } from "../ports.ts";
import { badAnswer, engineMessage, readAnswer } from "./docker_answer.ts";

/** How a container's last lines are read. */
export interface LogOptions {
  /** Lines. */
  readonly tail: number;
  /** UTF-8 bytes of all lines together; the end of the text is kept. */
  readonly maxBytes: number;
  /** Hides secrets; called on the text as it came, and on each line once its escapes are gone. */
  readonly mask: (text: string) => string;
}

/**
 * The calls. Names and ids may be anything: they are escaped. Every call may throw
 * DOCKER_UNAVAILABLE, DOCKER_PERMISSION, DOCKER_TIMEOUT, ANSWER_TOO_LARGE (all of them Http's) and
 * DOCKER_BAD_ANSWER.
 */
export interface Docker {
  /** Gives every container with the project's label, one-offs and orphans included, in any state. */
  list(project: string): Promise<readonly Container[]>;
  /** Gives one container's detail, or null when it is gone. */
  inspect(id: string): Promise<ContainerDetail | null>;
  /** Gives the details of those that still exist. */
  inspectAll(ids: readonly string[]): Promise<readonly ContainerDetail[]>;
  /** Gives the last lines, cleaned, masked and bounded; none when the container is gone. */
  logs(id: string, options: LogOptions): Promise<readonly string[]>;
  /** Gives what its healthcheck's last look printed, in the same way; none when there is none. */
  healthOutput(id: string, options: LogOptions): Promise<readonly string[]>;
  /** Gives the Engine's version and data root. */
  engine(): Promise<EngineFacts>;
  /** Gives the versions of the Engine and of its API. */
  version(): Promise<EngineVersion>;
  /** Gives those references that are on the box; one that the Engine cannot read is absent. */
  images(refs: readonly string[]): Promise<ReadonlyMap<string, LocalImage>>;
  /** Gives the project's networks, by label, and how they were made. */
  networks(project: string): Promise<readonly LocalNetwork[]>;
  /** Gives the names of the project's volumes, by label. */
  volumes(project: string): Promise<readonly string[]>;
  /** Says whether a network of that name exists. */
  hasNetwork(name: string): Promise<boolean>;
  /** Says whether a volume of that name exists. */
  hasVolume(name: string): Promise<boolean>;
  /** Gives the host ports that running containers of any project hold. */
  heldPorts(): Promise<readonly HeldPort[]>;
  /** Gives the names of the containers of any project, in any state. */
  heldNames(): Promise<readonly HeldName[]>;
  /** Lets a paused container go on; one that is gone or not paused is no error. */
  unpause(id: string): Promise<void>;
  /** Gives a container another name; one that is gone, or a name that is taken, is no error. */
  rename(id: string, name: string): Promise<void>;
  /** Removes an image by reference or id, never by force. */
  removeImage(ref: string): Promise<"removed" | "absent" | "in use">;
}

/** Enough for some 10,000 containers. */
const MAX_LIST_BYTES = 16 << 20;
const MAX_BODY_BYTES = 4 << 20;
const MAX_LOG_BYTES = 1 << 20;

/** Makes the client; throws nothing. `timeoutMs` is the limit of one exchange. */
export function createDocker(http: Http, { timeoutMs }: { readonly timeoutMs: number }): Docker {
  const request = (
    method: HttpRequest["method"],
    target: string,
    maxBodyBytes = MAX_BODY_BYTES,
  ): HttpRequest => ({ peer: "docker", method, target, headers: {}, timeoutMs, maxBodyBytes });

  const get = (target: string, maxBodyBytes?: number): Promise<HttpReply> =>
    http.request(request("GET", target, maxBodyBytes));

  /** One GET for each target; gives null for each reply that `read` finds to be an absence. */
  async function getAll<T>(
    targets: readonly string[],
    read: (reply: HttpReply) => T | null,
  ): Promise<readonly (T | null)[]> {
    const replies = await http.many(targets.map((target) => request("GET", target)));
    return replies.map((reply) => {
      if (reply instanceof Error) throw reply;
      return read(reply);
    });
  }

  async function exists(target: string): Promise<boolean> {
    const reply = await get(target);
    if (reply.status === 200) return true;
    if (reply.status === 404) return false;
    throw badAnswer(reply, "an object of that name");
  }

  return {
    async list(project): Promise<readonly Container[]> {
      const target = `/containers/json?all=1&${ofProject(project)}`;
      return readAnswer(await get(target, MAX_LIST_BYTES), "container list", parseContainers);
    },

    async inspect(id): Promise<ContainerDetail | null> {
      return readDetail(await get(`/containers/${encodeURIComponent(id)}/json`));
    },

    async inspectAll(ids): Promise<readonly ContainerDetail[]> {
      const targets = ids.map((id) => `/containers/${encodeURIComponent(id)}/json`);
      const details = await getAll(targets, readDetail);
      return details.filter((each) => each !== null);
    },

    async logs(id, options): Promise<readonly string[]> {
      // A tail counts lines, not bytes: when the lines are huge, fewer of them are asked for.
      for (const tail of [options.tail, Math.ceil(options.tail / 10), 1]) {
        const query = `stdout=1&stderr=1&tail=${tail}`;
        const target = `/containers/${encodeURIComponent(id)}/logs?${query}`;
        try {
          const reply = await get(target, MAX_LOG_BYTES);
          if (reply.status === 404) return [];
          if (reply.status !== 200) throw badAnswer(reply, "a container's log");
          return readLines(logText(reply.body), options);
        } catch (error) {
          if (!hasCode(error, "ANSWER_TOO_LARGE")) throw error;
        }
      }
      return ["[the last line is too large to be read]"];
    },

    async healthOutput(id, options): Promise<readonly string[]> {
      const reply = await get(`/containers/${encodeURIComponent(id)}/json`);
      if (reply.status === 404) return [];
      return readLines(readAnswer(reply, "container", parseHealthOutput), options);
    },

    async engine(): Promise<EngineFacts> {
      return readAnswer(await get("/info"), "info", parseEngine);
    },

    async version(): Promise<EngineVersion> {
      return readAnswer(await get("/version"), "version", parseVersion);
    },

    async images(refs): Promise<ReadonlyMap<string, LocalImage>> {
      const found = await getAll(refs.map((ref) => `${imageTarget(ref)}/json`), (reply) => {
        const isAbsent = reply.status === 404 || reply.status === 400;
        return isAbsent ? null : readAnswer(reply, "image", parseImage);
      });
      return new Map(
        refs.flatMap((ref, at): readonly (readonly [string, LocalImage])[] => {
          const image = found[at] ?? null;
          return image === null ? [] : [[ref, image]];
        }),
      );
    },

    async networks(project): Promise<readonly LocalNetwork[]> {
      const reply = await get(`/networks?${ofProject(project)}`, MAX_LIST_BYTES);
      return readAnswer(reply, "network list", parseNetworks);
    },

    async volumes(project): Promise<readonly string[]> {
      const reply = await get(`/volumes?${ofProject(project)}`, MAX_LIST_BYTES);
      return readAnswer(reply, "volume list", parseVolumeNames);
    },

    hasNetwork: (name) => exists(`/networks/${encodeURIComponent(name)}`),
    hasVolume: (name) => exists(`/volumes/${encodeURIComponent(name)}`),

    async heldPorts(): Promise<readonly HeldPort[]> {
      const reply = await get("/containers/json", MAX_LIST_BYTES);
      return readAnswer(reply, "container list", parseHeldPorts);
    },

    async heldNames(): Promise<readonly HeldName[]> {
      const reply = await get("/containers/json?all=1", MAX_LIST_BYTES);
      return readAnswer(reply, "container list", parseHeldNames);
    },

    async unpause(id): Promise<void> {
      const target = `/containers/${encodeURIComponent(id)}/unpause`;
      const reply = await http.request(request("POST", target));
      if (reply.status < 300 || reply.status === 404 || reply.status === 409) return;
      if (reply.status === 500 && /is not paused/.test(engineMessage(reply))) return;
      throw badAnswer(reply, "an unpaused container");
    },

    async rename(id, name): Promise<void> {
      const query = `name=${encodeURIComponent(name)}`;
      const target = `/containers/${encodeURIComponent(id)}/rename?${query}`;
      const reply = await http.request(request("POST", target));
      if (reply.status < 300 || reply.status === 404 || reply.status === 409) return;
      throw badAnswer(reply, "a renamed container");
    },

    async removeImage(ref): Promise<"removed" | "absent" | "in use"> {
      const reply = await http.request(request("DELETE", imageTarget(ref)));
      if (reply.status === 404) return "absent";
      if (reply.status === 409) return "in use";
      if (reply.status !== 200) throw badAnswer(reply, "an image's removal");
      return "removed";
    },
  };
}

function ofProject(project: string): string {
  const filters = { label: [`com.docker.compose.project=${project}`] };
  return `filters=${encodeURIComponent(JSON.stringify(filters))}`;
}

function imageTarget(ref: string): string {
  return `/images/${encodeURIComponent(ref)}`;
}

function readDetail(reply: HttpReply): ContainerDetail | null {
  return reply.status === 404 ? null : readAnswer(reply, "container", parseDetail);
}

/** Masked before and after cleaning: a value may hold escapes, or have them strewn into it. */
function readLines(text: string, { tail, maxBytes, mask }: LogOptions): readonly string[] {
  const lines = mask(text).split(/\r?\n/).map((line) => mask(plainText(line)));
  return lastLines(lines.filter((line) => line !== "").slice(-tail), maxBytes);
}
