/** The Docker Engine's unix socket: each way not to reach it has its own code. */

import { assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { testHttp, testRequest } from "./http_setup.ts";

const ASK = testRequest({ peer: "docker", target: "/containers/json?all=1", headers: {} });

async function failureAt(socket: string, timeoutMs = ASK.timeoutMs): Promise<AgentError> {
  const failure = await testHttp({ socket }).request({ ...ASK, timeoutMs }).catch((e) => e);
  assertInstanceOf(failure, AgentError);
  return failure;
}

/** Listens on a socket that answers each connection with the text; gives what it was asked. */
async function withSocket(reply: string, body: (path: string) => Promise<void>): Promise<string> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/docker.sock`;
  const listener = Deno.listen({ transport: "unix", path });
  let seen = "";
  const serving = (async (): Promise<void> => {
    for await (const conn of listener) {
      const chunk = new Uint8Array(4096);
      const count = await conn.read(chunk) ?? 0;
      seen += new TextDecoder().decode(chunk.subarray(0, count));
      if (reply !== "") await conn.write(new TextEncoder().encode(reply));
      await conn.read(chunk).catch(() => null);
      conn.close();
    }
  })();
  try {
    await body(path);
  } finally {
    listener.close();
    await serving.catch(() => {});
    await Deno.remove(folder, { recursive: true });
  }
  return seen;
}

Deno.test("the Engine is asked over its socket with a Host that no resolver sees", async () => {
  const seen = await withSocket(
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]",
    async (socket) => {
      const reply = await testHttp({ socket }).request(ASK);
      assertEquals([reply.status, new TextDecoder().decode(reply.body)], [200, "[]"]);
    },
  );
  assertEquals(seen.split("\r\n").slice(0, 2), [
    "GET /containers/json?all=1 HTTP/1.1",
    "host: docker",
  ]);
});

Deno.test("no socket is DOCKER_UNAVAILABLE and names the path", async () => {
  const failure = await failureAt("/nonexistent/docker.sock");
  assertEquals([failure.code, failure.data["phase"]], ["DOCKER_UNAVAILABLE", "dial"]);
  assertStringIncludes(failure.message, 'there is no socket "/nonexistent/docker.sock"');
});

Deno.test("a socket that nobody listens on is DOCKER_UNAVAILABLE", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/s`;
  const listener = Deno.listen({ transport: "unix", path });
  listener.close();
  const failure = await failureAt(path);
  await Deno.remove(folder, { recursive: true });
  assertEquals(failure.code, "DOCKER_UNAVAILABLE");
});

Deno.test("a socket of another group is DOCKER_PERMISSION", async () => {
  if (Deno.uid() === 0) {
    // Root may open every socket: look as somebody else.
    await withSocket("", async (socket) => {
      await Deno.chmod(socket.replace(/\/[^/]+$/, ""), 0o755);
      await Deno.chmod(socket, 0o600);
      const code = `
        import { testHttp, testRequest } from "./http_setup.ts";
        const ask = testRequest({ peer: "docker", target: "/x", headers: {} });
        const failure = await testHttp({ socket: "${socket}" }).request(ask).catch((e) => e);
        console.log(failure.code);`;
      assertEquals(await asNobody(code), "DOCKER_PERMISSION\n");
    });
    return;
  }
  await withSocket("", async (socket) => {
    await Deno.chmod(socket, 0);
    assertEquals((await failureAt(socket)).code, "DOCKER_PERMISSION");
  });
});

Deno.test("an Engine that takes the request and says nothing is DOCKER_TIMEOUT", async () => {
  await withSocket("", async (socket) => {
    const failure = await failureAt(socket, 1_200);
    assertEquals([failure.code, failure.data["phase"]], ["DOCKER_TIMEOUT", "headers"]);
  });
});

Deno.test("something else on the socket is DOCKER_BAD_ANSWER", async () => {
  await withSocket("220 smtp\r\n", async (socket) => {
    assertEquals((await failureAt(socket)).code, "DOCKER_BAD_ANSWER");
  });
});

/** Runs code beside a copy of src/ as uid 65534, who may read nothing of this checkout. */
async function asNobody(code: string): Promise<string> {
  const folder = await Deno.makeTempDir();
  const root = new URL("../..", import.meta.url).pathname;
  await new Deno.Command("cp", { args: ["-r", `${root}/src`, folder] }).output();
  await Deno.mkdir(`${folder}/tests/io`, { recursive: true });
  await Deno.copyFile(`${root}/tests/io/http_setup.ts`, `${folder}/tests/io/http_setup.ts`);
  await Deno.writeTextFile(`${folder}/tests/io/main.ts`, code);
  await Deno.copyFile(Deno.execPath(), `${folder}/deno`);
  await new Deno.Command("chmod", { args: ["-R", "a+rX", folder] }).output();
  const ran = await new Deno.Command(`${folder}/deno`, {
    args: ["run", "-A", "--no-check", "--no-config", "--no-lock", `${folder}/tests/io/main.ts`],
    uid: 65534,
    gid: 65534,
    env: { HOME: "/nonexistent", DENO_NO_UPDATE_CHECK: "1" },
    cwd: folder,
  }).output();
  await Deno.remove(folder, { recursive: true });
  const text = new TextDecoder();
  return text.decode(ran.stdout) || text.decode(ran.stderr);
}
