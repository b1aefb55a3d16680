/** Release servers in memory, as far as a release goes: they check every request, and can fail. */

/** A request that a server saw. */
export interface Seen {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Headers;
}

/** A running server. */
export interface Stub extends AsyncDisposable {
  readonly origin: string;
  readonly seen: readonly Seen[];
  /** File name → its contents, one for each upload that arrived. */
  readonly files: Map<string, Uint8Array<ArrayBuffer>[]>;
  /** Releases that were made, as they were asked for. */
  readonly releases: Record<string, unknown>[];
  /** From now on these uploads are answered 500 and lost. */
  readonly broken: Set<string>;
}

type Route = (request: Request, url: URL, stub: Stub) => Promise<Response>;

function serve(route: Route): Stub {
  const seen: Seen[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const url = new URL(request.url);
      const target = `${url.pathname}${url.search}`;
      seen.push({ method: request.method, target, headers: request.headers });
      return await route(request, url, stub);
    },
  );
  const stub: Stub = {
    origin: `http://127.0.0.1:${server.addr.port}`,
    seen,
    files: new Map(),
    releases: [],
    broken: new Set(),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return stub;
}

function keep(stub: Stub, name: string, bytes: Uint8Array<ArrayBuffer>): Response {
  if (stub.broken.has(name)) return Response.json({ message: "500 Internal" }, { status: 500 });
  stub.files.set(name, [...(stub.files.get(name) ?? []), bytes]);
  return Response.json({ message: "201 Created" }, { status: 201 });
}

const refused = (): Response => Response.json({ message: "401 Unauthorized" }, { status: 401 });

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** GitLab: project 69, with this header and value. */
export function serveGitlab(header: string, value: string): Stub {
  const base = "/api/v4/projects/69";
  return serve(async (request, url, stub) => {
    if (request.headers.get(header) !== value) return refused();
    const path = url.pathname;
    const put = new RegExp(`^${base}/packages/generic/monky-deployd/0\\.2\\.0/([^/]+)$`).exec(path);
    if (put?.[1] !== undefined && request.method === "PUT") {
      return keep(stub, put[1], await request.bytes());
    }
    if (request.method === "GET" && path === `${base}/packages`) {
      const other = { id: 1, name: "monky-deployd", version: "0.1.6" };
      const own = stub.files.size === 0 ? [] : [{ id: 7, name: "monky-deployd", version: "0.2.0" }];
      return Response.json([other, ...own]);
    }
    if (request.method === "GET" && path === `${base}/packages/7/package_files`) {
      const listed = await Promise.all(
        [...stub.files].flatMap(([file_name, all]) =>
          all.map(async (each) => ({ file_name, file_sha256: await sha256(each) }))
        ),
      );
      return Response.json(listed);
    }
    if (request.method === "GET" && path === `${base}/releases/v0.2.0`) {
      return Response.json({}, { status: stub.releases.length === 0 ? 404 : 200 });
    }
    if (request.method === "POST" && path === `${base}/releases`) {
      stub.releases.push(await request.json());
      return Response.json({}, { status: 201 });
    }
    return Response.json({ message: "404" }, { status: 404 });
  });
}

/** Gitea: repository `monky/monky-deployd`, with this token. */
export function serveGitea(token: string): Stub {
  const base = "/api/v1/repos/monky/monky-deployd/releases";
  return serve(async (request, url, stub) => {
    if (request.headers.get("authorization") !== `token ${token}`) return refused();
    const path = url.pathname;
    if (request.method === "GET" && path === base) return Response.json(giteaReleases(stub));
    if (request.method === "POST" && path === base) {
      stub.releases.push(await request.json());
      return Response.json(giteaReleases(stub)[0], { status: 201 });
    }
    if (request.method === "PATCH" && path === `${base}/5`) {
      Object.assign(stub.releases[0] ?? {}, await request.json());
      return Response.json({});
    }
    if (request.method === "POST" && path === `${base}/5/assets`) {
      const file = (await request.formData()).get("attachment");
      if (!(file instanceof File)) return Response.json({}, { status: 400 });
      return keep(stub, url.searchParams.get("name") ?? file.name, await file.bytes());
    }
    const [, name = ""] = /^\/download\/([^/]+)$/.exec(path) ?? [];
    const bytes = stub.files.get(name)?.at(-1);
    return bytes === undefined ? Response.json({}, { status: 404 }) : new Response(bytes);
  });
}

function giteaReleases(stub: Stub): readonly Record<string, unknown>[] {
  return stub.releases.map((each) => ({
    id: 5,
    ...each,
    assets: [...stub.files.keys()].map((name) => ({
      name,
      browser_download_url: `${stub.origin}/download/${name}`,
    })),
  }));
}
