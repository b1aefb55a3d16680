/**
 * Cases 54 and 69 to 75 of the field, on real sockets: every call of both remotes' clients meets what
 * others met. There is no case 69 and no case 74.
 */

import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { readSecrets } from "../../src/clients/secrets.ts";
import { AgentError, type Code } from "../../src/errors.ts";
import { createClock } from "../../src/io/clock.ts";
import { createHttp, type HttpOptions } from "../../src/io/http.ts";
import { createRandom } from "../../src/io/random.ts";
import type { Report } from "../../src/model/state.ts";
import { testHttpOptions, testRequest } from "./http_setup.ts";
import { type RawServer, rawServer } from "./raw_server.ts";
import { BAO_CONFIG, baoOver, checkIn, tenancyOver, TOKEN } from "./remote_clients.ts";
import { inOwnProcess } from "../support/own_process.ts";
import { testCerts } from "./tls_setup.ts";

type Calls = Readonly<Record<string, (options: HttpOptions) => Promise<unknown>>>;

const SHA = "a".repeat(64);
const BAO_CALLS: Calls = {
  login: (options) => baoOver(options).login(TOKEN),
  "lookup-self": (options) => baoOver(options).lookupSelf(TOKEN),
  "renew-self": (options) => baoOver(options).renewSelf(TOKEN),
  "revoke-self": (options) => baoOver(options).revokeSelf(TOKEN),
  "a read": (options) =>
    readSecrets({ http: createHttp(options), clock: createClock(), random: createRandom() }, {
      config: BAO_CONFIG,
      token: TOKEN,
      entries: [{ var: "A", path: "a", key: "value", version: 1 }],
      timeoutMs: 20_000,
      confirmToken: false,
      mask: () => {},
    }),
};
const TENANCY_CALLS: Calls = {
  "a check-in": (options) => checkIn(options),
  "a bundle": (options) => tenancyOver(options).bundle(TOKEN, SHA),
  "a lease": (options) => tenancyOver(options).lease(TOKEN, "apply"),
  "a report": (options) => tenancyOver(options).report(TOKEN, { report_id: "r" } as Report),
};

/** Gives a file of tests/cases as it was kept. */
async function caseText(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(`../cases/${path}`, import.meta.url));
}

/** Gives a case's reply as it would come over the wire: CRLF, and a length. */
function onWire(text: string): string {
  const at = text.indexOf("\n\n");
  const head = at < 0 ? text.trim() : text.slice(0, at);
  const body = at < 0 ? "" : text.slice(at + 2);
  const lines = head.split("\n").filter((line) => !/^content-length/i.test(line));
  return [...lines, `content-length: ${body.length}`, "", body].join("\r\n");
}

/** Serves one reply to every request, over TLS for OpenBao, while the test asks. */
async function withReply(
  peer: "bao" | "tenancy",
  reply: string,
  ask: (options: HttpOptions, server: RawServer) => Promise<void>,
): Promise<void> {
  const { caPem, pair } = await testCerts();
  const at = { hostname: "127.0.0.1", port: 0 };
  const server = rawServer(async (wire) => {
    await wire.request();
    await wire.send(reply);
    await wire.drain();
  }, peer === "bao" ? Deno.listenTls({ ...at, ...pair("good") }) : Deno.listen(at));
  const port = peer === "bao" ? { baoPort: server.port, caPem } : { tenancyPort: server.port };
  try {
    await ask(testHttpOptions(port), server);
  } finally {
    await server.close();
  }
}

async function failureOf(name: string, asking: Promise<unknown>): Promise<AgentError> {
  const failure = await asking.then(() => null, (thrown: unknown) => thrown);
  assertInstanceOf(failure, AgentError, `${name} was believed`);
  const shown = Deno.inspect(failure, { depth: 20 }) + JSON.stringify(failure.data) + failure.hint;
  for (const secret of ["TOPSECRET", "hunter2", "state=abc", "/kv/", "csrf"]) {
    assert(!shown.includes(secret), `${name} tells ${secret}: ${shown}`);
  }
  return failure;
}

/** Every redirecting status, to the host of the case and to one that is there and watched. */
async function assertNobodyFollows(
  peer: "bao" | "tenancy",
  { file, calls, code }: { readonly file: string; readonly calls: Calls; readonly code: Code },
): Promise<void> {
  const elsewhere = rawServer(() => Promise.resolve());
  const text = await caseText(file);
  const host = new URL(/location: (\S+)/.exec(text)?.[1] ?? "").hostname;
  const near = `http://127.0.0.1:${elsewhere.port}/v1/kv/x?state=abc`;
  const moved = text.replace(/location: \S+/, `location: ${near}`);
  const replies = [
    [text, host] as const,
    ...[301, 302, 303, 307, 308].map((status) =>
      [moved.replace(/ 30\d /, ` ${status} `), "127.0.0.1"] as const
    ),
  ];
  for (const [reply, named] of replies) {
    await withReply(peer, onWire(reply), async (options, server) => {
      for (const [name, call] of Object.entries(calls)) {
        const failure = await failureOf(name, call(options));
        assertEquals(failure.code, code, name);
        assertStringIncludes(failure.message, `redirect to ${named}, which is not followed`);
      }
      assertEquals(server.requests.length, Object.keys(calls).length);
    });
  }
  assertEquals(elsewhere.connections, 0, "a redirect was followed");
  await elsewhere.close();
}

// SPEC §5 overrules the case's "follow at most one": no redirect is ever followed.
Deno.test("case 54: no redirect carries a token of OpenBao's elsewhere, whatever its status and the call", async () => {
  await assertNobodyFollows("bao", {
    file: "54-redirect-carries-vault-token/1.http",
    calls: BAO_CALLS,
    code: "BAO_REDIRECTED",
  });
});

Deno.test("case 73: no redirect turns a POST to tenancy into a GET: it is an error that names the host", async () => {
  await assertNobodyFollows("tenancy", {
    file: "73-redirect-turns-post-into-get/1.http",
    calls: TENANCY_CALLS,
    code: "TENANCY_REDIRECTED",
  });
});

/**
 * The codes of each file for tenancy and OpenBao. A 5xx is the server's state whatever its body is; JSON
 * of another shape has a code of its own (SPEC §3), or tells of another mount (SPEC §5).
 */
const PAGES: readonly (readonly [number, Code, Code, Code?])[] = [
  [1, "TENANCY_BAD_ANSWER", "BAO_BAD_ANSWER"],
  [2, "TENANCY_UNAVAILABLE", "BAO_UNAVAILABLE"],
  [3, "TENANCY_BAD_ANSWER", "BAO_BAD_ANSWER"],
  [4, "TENANCY_BAD_ANSWER", "BAO_BAD_ANSWER"],
  [5, "TENANCY_PROTOCOL", "BAO_BAD_ANSWER", "BAO_BAD_PATH"],
  [6, "TENANCY_PROTOCOL", "BAO_BAD_ANSWER", "BAO_BAD_PATH"],
  [7, "TENANCY_BAD_ANSWER", "BAO_BAD_ANSWER"],
];

for (const [number, ofTenancy, ofBao, ofRead = ofBao] of PAGES) {
  Deno.test(`case 70: the answer ${number}.http is ${ofTenancy} or ${ofBao}, and not a word of it is told`, async () => {
    const text = await caseText(`70-html-instead-of-json/${number}.http`);
    const expected = (name: string, code: Code): Code => name === "a read" ? ofRead : code;
    for (const peer of ["tenancy", "bao"] as const) {
      const code = peer === "bao" ? ofBao : ofTenancy;
      const { login, "lookup-self": lookup, "a read": read } = BAO_CALLS;
      const calls: Readonly<Record<string, Calls[string] | undefined>> = peer === "bao"
        ? { login, lookup, "a read": read }
        : { "a check-in": TENANCY_CALLS["a check-in"] };
      await withReply(peer, onWire(text), async (options) => {
        for (const [name, call] of Object.entries(calls)) {
          const failure = await failureOf(name, (call ?? checkIn)(options));
          assertEquals(failure.code, expected(name, code), `${name}: ${failure.message}`);
        }
      });
      // As it was kept: lines that end in LF, no length. No client may guess what was meant.
      await withReply(peer, text, async (options) => {
        for (const [name, call] of Object.entries(calls)) {
          const failure = await failureOf(name, (call ?? checkIn)(options));
          assertEquals(failure.code, peer === "bao" ? "BAO_BAD_ANSWER" : "TENANCY_BAD_ANSWER");
        }
      });
    }
  });
}

/** Starts a case's server in a process of its own; gives its port and a way to read its lines. */
async function withCaseServer(
  path: string,
  test: (port: number, line: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const program = new URL(`../cases/${path}`, import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", "--no-lock", "--no-config", program],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const line = async (): Promise<string> => {
    while (!text.includes("\n")) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`${path} ended`);
      text += value;
    }
    const at = text.indexOf("\n");
    const first = text.slice(0, at);
    text = text.slice(at + 1);
    return first;
  };
  try {
    await test(Number(await line()), line);
  } finally {
    child.kill("SIGKILL");
    await reader.cancel();
    await child.status;
  }
}

Deno.test("case 71: 200 MB, packed or plain, are left unread, and cost no memory", async () => {
  await withCaseServer("71-huge-or-compressed-body/server.ts", async (port) => {
    const rows: readonly (readonly [string, number, Code])[] = [
      ["/gzip", 1 << 20, "TENANCY_BAD_ANSWER"],
      ["/plain", 1 << 20, "ANSWER_TOO_LARGE"],
      ["/plain", 24 << 20, "ANSWER_TOO_LARGE"],
    ];
    const asks = rows.map(([target, maxBodyBytes]) => [target, maxBodyBytes]);
    const { codes, grown } = await inOwnProcess<
      { readonly codes: readonly string[]; readonly grown: number }
    >(new URL("huge_answers.ts", import.meta.url), { port, asks });
    assertEquals(codes, rows.map(([_target, _max, code]) => code));
    assert(grown < 64 << 20, `${grown >> 20} MiB more`);
  });
});

Deno.test("case 72: a request whose connection dies under it is sent once, whatever its method", async () => {
  await withCaseServer("72-reset-and-double-post/server.ts", async (port, line) => {
    const options = testHttpOptions({ tenancyPort: port });
    const http = createHttp(options);
    const seen: string[] = [];
    let expected = 0;
    for (const method of ["GET", "POST", "PUT", "DELETE"] as const) {
      const failure = await failureOf(method, http.request(testRequest({ method, target: "/x" })));
      assertEquals(failure.code, "TENANCY_UNAVAILABLE");
      expected += 1;
      seen.push(await line());
    }
    for (const [name, call] of Object.entries(TENANCY_CALLS)) {
      assertEquals((await failureOf(name, call(options))).code, "TENANCY_UNAVAILABLE");
      expected += 1;
      seen.push(await line());
    }
    // The server numbers what it sees: one sent twice would have moved all numbers behind it.
    assertEquals(seen.map((each) => Number(each.split(" ")[0])), seen.map((_, at) => at + 1));
    assertEquals(seen.length, expected);
    assertEquals(seen.filter((each) => each.includes("POST")).length, 4);
  });
});

Deno.test("case 75: whatever goes wrong on the way, no error tells a query, a header or its cause's URL", async () => {
  const word = (await caseText("75-url-and-cause-leaks/must-not-appear.txt")).trim();
  assertEquals(word, "TOPSECRET");
  const { caPem, pair } = await testCerts();
  const request = testRequest({ target: `/v1/x?token=${word}` });
  const refused = testHttpOptions({ tenancyPort: 1 });
  const ways: Readonly<Record<string, readonly [HttpOptions, Code]>> = {
    "nobody listens": [refused, "TENANCY_UNAVAILABLE"],
    "a name that is not mapped": [{
      ...refused,
      endpoints: {
        ...refused.endpoints,
        tenancy: { ...refused.endpoints.tenancy, host: "elsewhere.example" },
      },
    }, "TRANSPORT_UNMAPPED"],
  };
  for (const [name, [options, code]] of Object.entries(ways)) {
    const failure = await failureOf(name, createHttp(options).request(request));
    assertEquals([failure.code, failure.data["request"]], [code, "GET /v1/x"]);
  }
  const answers: readonly (readonly [string, Code])[] = [
    ["", "TENANCY_TIMEOUT"],
    [`HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n${word}`, "TENANCY_BAD_ANSWER"],
    [`HTTP/1.1 200 OK\r\nx: ${word}\r\ncontent-length: 5000\r\n\r\n`, "ANSWER_TOO_LARGE"],
    [`HTTP/1.1 200 OK\r\n${word}\r\n\r\n`, "TENANCY_BAD_ANSWER"],
  ];
  for (const [answer, code] of answers) {
    await withReply("tenancy", answer, async (options) => {
      const timeoutMs = answer === "" ? 300 : request.timeoutMs;
      const asking = createHttp(options).request({ ...request, timeoutMs });
      assertEquals((await failureOf(answer, asking)).code, code);
    });
  }
  const at = { hostname: "127.0.0.1", port: 0 };
  const stranger = rawServer(
    (wire) => wire.drain(),
    Deno.listenTls({ ...at, ...pair("stranger") }),
  );
  const overTls = testHttpOptions({ baoPort: stranger.port, caPem });
  const failure = await failureOf("TLS", createHttp(overTls).request({ ...request, peer: "bao" }));
  assertEquals(failure.code, "TLS_REFUSED");
  await stranger.close();
});
