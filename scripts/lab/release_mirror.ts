/**
 * Serves the files of a release on loopback, as a package registry would: behind a token when there
 * is one, with its failures on demand. Says what was asked for, without the token's value.
 */

/** What is served and to whom. */
export interface MirrorOptions {
  /** The files by name; looked at on each request, so they may change. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer> | string> | FolderOfFiles;
  /** The token that each request must bring, in whichever header; null: none is asked for. */
  readonly token?: string | null;
}

/** A folder whose files are served. */
export interface FolderOfFiles {
  readonly folder: string;
}

/** One request. */
export interface MirrorRequest {
  readonly path: string;
  /** The header that the right token came in; null when none did. */
  readonly tokenHeader: string | null;
  /** Names of all headers, lower case. */
  readonly headers: readonly string[];
}

/** A running mirror. */
export interface ReleaseMirror extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly requests: MirrorRequest[];
  /** Set it to answer every request with this status instead; null: serve. */
  status: number | null;
  /** Set it to send requests for a file on to this base address; null: serve. */
  redirect: string | null;
}

/**
 * Starts a mirror on a free port; whoever starts it disposes of it.
 *
 * @param options see `MirrorOptions`
 * @returns it, listening
 */
export function startReleaseMirror({ files, token = null }: MirrorOptions): ReleaseMirror {
  const requests: MirrorRequest[] = [];
  async function answer(request: Request): Promise<Response> {
    const path = decodeURIComponent(new URL(request.url).pathname);
    const tokenHeader = token === null ? null : headerOf(request.headers, token);
    requests.push({ path, tokenHeader, headers: [...request.headers.keys()] });
    if (mirror.status !== null) return new Response("no", { status: mirror.status });
    if (token !== null && tokenHeader === null) return new Response("no", { status: 401 });
    if (mirror.redirect !== null) {
      return new Response(null, {
        status: 302,
        headers: { location: `${mirror.redirect}${path}` },
      });
    }
    const body = await contentOf(files, path.slice(path.lastIndexOf("/") + 1));
    return body === null ? new Response("no such file", { status: 404 }) : new Response(body);
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  const mirror: ReleaseMirror = {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    status: null,
    redirect: null,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return mirror;
}

/** Where the token stands: GitLab's own header, or `Authorization: token …` as Gitea takes it. */
function headerOf(headers: Headers, token: string): string | null {
  if (headers.get("deploy-token") === token) return "deploy-token";
  return headers.get("authorization") === `token ${token}` ? "authorization" : null;
}

async function contentOf(
  files: MirrorOptions["files"],
  name: string,
): Promise<BodyInit | null> {
  if ("folder" in files) {
    return await Deno.readFile(`${files.folder}/${name}`).catch(() => null);
  }
  return files.get(name) ?? null;
}
