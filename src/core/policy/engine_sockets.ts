/** The names under which the Engine is reached on a box: who binds one of them owns the box. */

import { normalise } from "./bind_place.ts";

/** Where Engines listen by default, and the containerd below them. */
const USUAL = ["/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"];

/**
 * Takes the path that docker.host names and what it links to (null: it is no link); gives every name
 * of every socket. `/var/run` is `/run` on every distribution of today.
 */
export function engineSockets(socket: string, link: string | null): readonly string[] {
  const folder = socket.slice(0, socket.lastIndexOf("/"));
  const target = link === null || link.startsWith("/") ? link : `${folder}/${link}`;
  const all = [socket, ...USUAL, ...(target === null ? [] : [target])].flatMap((each) => {
    const path = normalise(each);
    return path === null ? [] : namesOf(path);
  });
  return [...new Set(all)].sort();
}

function namesOf(path: string): readonly string[] {
  if (path.startsWith("/var/run/")) return [path, path.slice("/var".length)];
  return path.startsWith("/run/") ? [path, `/var${path}`] : [path];
}
