/**
 * Where the three remotes are and what they are called on the wire, read off the config. Says
 * nothing about how they are dialled (dialer.ts).
 */

/** A remote behind the mesh: the name and port that its URL has, and its ziti service. */
export interface MeshEndpoint {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  readonly service: string;
}

/** The Docker Engine: an absolute path of its unix socket. */
export interface SocketEndpoint {
  readonly socket: string;
}

/** All remotes. */
export interface Endpoints {
  readonly tenancy: MeshEndpoint;
  readonly bao: MeshEndpoint;
  readonly docker: SocketEndpoint;
}
