import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { createDocker, type LogOptions } from "../../src/clients/docker.ts";
import { AgentError } from "../../src/errors.ts";
import type { Http, HttpReply, HttpRequest } from "../../src/ports.ts";
import { caseFile } from "../fakes/docker_values.ts";

type Answer = { status?: number; body: string | Uint8Array } | AgentError;

/** An Engine that gives the same answers to whatever is asked, and keeps the requests. */
function engineOf(...answers: readonly Answer[]): { http: Http; requests: HttpRequest[] } {
  const requests: HttpRequest[] = [];
  const answer = (request: HttpRequest): HttpReply => {
    requests.push(request);
    const next = answers[Math.min(requests.length, answers.length) - 1];
    if (next === undefined || next instanceof AgentError) throw next ?? new Error("no answer");
    const body = typeof next.body === "string" ? new TextEncoder().encode(next.body) : next.body;
    return { status: next.status ?? 200, headers: {}, body };
  };
  return {
    requests,
    http: {
      request: (request) => Promise.try(() => answer(request)),
      many: (all) => Promise.try(() => all.map(answer)),
    },
  };
}

function dockerOf(...answers: readonly Answer[]): ReturnType<typeof createDocker> {
  return createDocker(engineOf(...answers).http, { timeoutMs: 5_000 });
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => call, AgentError)).code;
}

const ELEMENT = {
  Id: "a1",
  Names: ["/p-web-1"],
  Image: "lab/bb:1",
  ImageID: "sha256:aa",
  State: "running",
  Status: "Up 3 seconds (healthy)",
  Labels: {
    "com.docker.compose.project": "p",
    "com.docker.compose.service": "web",
    "com.docker.compose.config-hash": "h1",
    "com.docker.compose.oneoff": "False",
  },
};

Deno.test("list asks once, by label, in every state, without a version in the path", async () => {
  const { http, requests } = engineOf({ body: "[]" });
  assertEquals(await createDocker(http, { timeoutMs: 5_000 }).list("p-1"), []);
  assertEquals(requests.map(({ peer, method, target }) => ({ peer, method, target })), [{
    peer: "docker",
    method: "GET",
    target: "/containers/json?all=1&filters=" +
      encodeURIComponent('{"label":["com.docker.compose.project=p-1"]}'),
  }]);
});

Deno.test("state, health and exit code are read from the list's texts", async () => {
  const table: readonly [string, string, string | null, number | null][] = [
    ["running", "Up 3 seconds", null, null],
    ["running", "Up 3 seconds (healthy)", "healthy", null],
    ["running", "Up About a minute (unhealthy)", "unhealthy", null],
    ["running", "Up Less than a second (health: starting)", "starting", null],
    ["restarting", "Restarting (4) 25 seconds ago", null, 4],
    ["exited", "Exited (0) 2 minutes ago", null, 0],
    ["exited", "Exited (137) 2 minutes ago", null, 137],
    ["paused", "Up 5 seconds (Paused)", null, null],
    ["created", "Created", null, null],
    ["removing", "Removal In Progress", null, null],
    ["dead", "Dead", null, null],
    ["dead", "", null, null],
  ];
  for (const [State, Status, health, exitCode] of table) {
    const docker = dockerOf({ body: JSON.stringify([{ ...ELEMENT, State, Status }]) });
    const [container] = await docker.list("p");
    assertEquals([container?.state, container?.health, container?.exitCode], [
      State,
      health,
      exitCode,
    ]);
  }
});

Deno.test("labels, names and one-offs are taken as they are; what is missing is empty", async () => {
  const odd = { ...ELEMENT, Id: "b2", Names: null, Labels: null, Ports: null };
  const oneoff = { ...ELEMENT, Labels: { ...ELEMENT.Labels, "com.docker.compose.oneoff": "True" } };
  const docker = dockerOf({ body: JSON.stringify([ELEMENT, odd, oneoff]) });
  const [plain, bare, run] = await docker.list("p");
  assertEquals([plain?.name, plain?.service, plain?.configHash], ["p-web-1", "web", "h1"]);
  assertEquals([bare?.name, bare?.service, bare?.configHash], ["b2", "", ""]);
  assertEquals([plain?.oneoff, bare?.oneoff, run?.oneoff], [false, false, true]);
});

Deno.test("case 18: an answer of another shape is an error, never an empty list", async () => {
  const bodies = [
    caseFile("18-ps-ndjson-or-array/array.json"),
    caseFile("18-ps-ndjson-or-array/lines.ndjson"),
    caseFile("18-ps-ndjson-or-array/one.ndjson"),
    caseFile("18-ps-ndjson-or-array/truncated.ndjson"),
    caseFile("18-ps-ndjson-or-array/null.json"),
    caseFile("18-ps-ndjson-or-array/empty.txt"),
    "{}",
    '"x"',
    "[1]",
    "<html>502</html>",
    JSON.stringify([ELEMENT]).slice(0, -9),
    JSON.stringify([{ ...ELEMENT, State: 7 }]),
    JSON.stringify([{ ...ELEMENT, Status: undefined }]),
    JSON.stringify([{ ...ELEMENT, Labels: [] }]),
    JSON.stringify([{ ...ELEMENT, Id: "" }]),
  ];
  for (const body of bodies) {
    assertEquals(await codeOf(dockerOf({ body }).list("p")), "DOCKER_BAD_ANSWER", body);
  }
  const empty = caseFile("18-ps-ndjson-or-array/empty-array.json");
  assertEquals(await dockerOf({ body: empty }).list("p"), []);
});

Deno.test("a failure carries status and the Engine's own words, cleaned and bounded", async () => {
  const message = `boom \x1b[31mred\x1b[0m ${"x".repeat(2_000)}`;
  const docker = dockerOf({ status: 500, body: JSON.stringify({ message }) });
  const error = await assertRejects(() => docker.list("p"), AgentError);
  assertEquals(error.code, "DOCKER_BAD_ANSWER");
  assertStringIncludes(
    error.message,
    "the Docker Engine answered 500 instead of container list: boom red xxx",
  );
  assertEquals(error.message.length < 400, true);
  for (const body of ["<html>", "", "[]", '{"message":5}']) {
    const odd = await assertRejects(() => dockerOf({ status: 502, body }).list("p"), AgentError);
    assertEquals(odd.message, "the Docker Engine answered 502 instead of container list");
  }
});

Deno.test("errors of the connection pass through as they are", async () => {
  for (const code of ["DOCKER_UNAVAILABLE", "DOCKER_PERMISSION", "DOCKER_TIMEOUT"] as const) {
    assertEquals(await codeOf(dockerOf(new AgentError(code, "x")).list("p")), code);
    assertEquals(await codeOf(dockerOf(new AgentError(code, "x")).images(["a"])), code);
  }
});

Deno.test("the detail reads restarts, policy, times and the healthcheck in milliseconds", async () => {
  const body = {
    Id: "a1",
    RestartCount: 10,
    State: {
      Status: "restarting",
      ExitCode: 4,
      OOMKilled: true,
      StartedAt: "2026-01-01T00:00:00.5Z",
    },
    HostConfig: { RestartPolicy: { Name: "always", MaximumRetryCount: 0 } },
    Config: {
      Labels: { "com.docker.compose.service": "web" },
      Healthcheck: { Test: ["CMD", "x"], Interval: 1_000_000_000, Retries: 2, StartPeriod: 6e9 },
    },
  };
  assertEquals(await dockerOf({ body: JSON.stringify(body) }).inspect("a1"), {
    id: "a1",
    service: "web",
    state: "restarting",
    health: null,
    exitCode: 4,
    restarts: 10,
    oomKilled: true,
    startedAt: Date.UTC(2026, 0, 1) + 500,
    restartPolicy: "always",
    healthcheck: {
      intervalMs: 1_000,
      timeoutMs: 30_000,
      retries: 2,
      startPeriodMs: 6_000,
      startIntervalMs: 5_000,
    },
  });
  const never = {
    ...body,
    State: { ...body.State, StartedAt: "0001-01-01T00:00:00Z" },
    HostConfig: { RestartPolicy: { Name: "" } },
    Config: { Labels: null, Healthcheck: { Test: ["NONE"] } },
  };
  const detail = await dockerOf({ body: JSON.stringify(never) }).inspect("a1");
  assertEquals([detail?.startedAt, detail?.restartPolicy, detail?.healthcheck], [null, "no", null]);
});

Deno.test("ids and references cannot leave their place in the target", async () => {
  const { http, requests } = engineOf({ status: 404, body: "{}" });
  const docker = createDocker(http, { timeoutMs: 5_000 });
  await docker.inspect("../info?x");
  await docker.images(["r:5/a/b:1?x#y"]);
  await docker.hasVolume("a/../b");
  assertEquals(requests.map((each) => each.target), [
    "/containers/..%2Finfo%3Fx/json",
    "/images/r%3A5%2Fa%2Fb%3A1%3Fx%23y/json",
    "/volumes/a%2F..%2Fb",
  ]);
});

const LOG: LogOptions = { tail: 50, maxBytes: 1_000, mask: (text) => text };

/** Gives the frames of a log without a terminal. */
function frames(...parts: readonly (readonly [1 | 2, string | Uint8Array])[]): Uint8Array {
  const bytes: number[] = [];
  for (const [stream, part] of parts) {
    const content = typeof part === "string" ? new TextEncoder().encode(part) : part;
    const size = [24, 16, 8, 0].map((shift) => (content.length >> shift) & 255);
    bytes.push(stream, 0, 0, 0, ...size, ...content);
  }
  return new Uint8Array(bytes);
}

Deno.test("logs are read from frames of both streams, and from a terminal's plain bytes", async () => {
  const framed = frames([1, "out 1\nou"], [2, "err\n"], [1, "t 2\n\n"], [1, "é".slice(0, 1)]);
  assertEquals(await dockerOf({ body: framed }).logs("a1", LOG), ["out 1", "ouerr", "t 2", "é"]);
  assertEquals(await dockerOf({ body: "a\r\nb\r\n" }).logs("a1", LOG), ["a", "b"]);
  assertEquals(await dockerOf({ body: "" }).logs("a1", LOG), []);
  const cut = framed.slice(0, framed.length - 1);
  assertEquals((await dockerOf({ body: cut }).logs("a1", LOG)).length > 0, true);
  assertEquals(await dockerOf({ status: 404, body: "{}" }).logs("a1", LOG), []);
});

Deno.test("a character that two frames share stays whole", async () => {
  const [first, second] = new TextEncoder().encode("é");
  const body = frames([1, new Uint8Array([first ?? 0])], [1, new Uint8Array([second ?? 0])]);
  assertEquals(await dockerOf({ body }).logs("a1", LOG), ["é"]);
});

Deno.test("case 41: log lines are masked, without escapes and controls, and valid UTF-8", async () => {
  const raw = await Deno.readFile(
    new URL("../cases/41-stdout-stderr-and-escapes/logs-raw.txt", import.meta.url),
  );
  const { PW } = JSON.parse(caseFile("41-stdout-stderr-and-escapes/secrets.json"));
  const mask = (text: string): string => text.replaceAll(PW, "***");
  const lines = await dockerOf({ body: raw }).logs("a1", { ...LOG, mask });
  assertEquals(lines, ["line 19999 pw=***", "red", "��bin"]);
});

Deno.test("case 41: a secret is masked although escapes are strewn into it", async () => {
  const mask = (text: string): string => text.replaceAll("s3cr3t", "***");
  const lines = await dockerOf({ body: "pw=s3\x1b[1mcr\x1b[0m3t\n" }).logs("a1", { ...LOG, mask });
  assertEquals(lines, ["pw=***"]);
});

Deno.test("case 41: the end of a long log is kept, in whole lines and whole characters", async () => {
  const many = Array.from({ length: 200 }, (_, at) => `line ${at}`).join("\n");
  const short = await dockerOf({ body: many }).logs("a1", { ...LOG, maxBytes: 30 });
  assertEquals(short, ["line 197", "line 198", "line 199"]);
  const wide = await dockerOf({ body: "é".repeat(500) }).logs("a1", { ...LOG, maxBytes: 21 });
  assertEquals(wide, [`…${"é".repeat(8)}`]);
});

Deno.test("a healthcheck's last words are masked and bounded like a log", async () => {
  const inspected = (health: unknown): string =>
    JSON.stringify({
      Id: "a1",
      RestartCount: 0,
      State: { Status: "running", ExitCode: 0, Health: health },
      HostConfig: {},
      Config: {},
    });
  const looks = [{ Output: "first" }, { Output: "pw=s3cr3t\n\x1b[31mrefused\x1b[0m\n" }];
  const mask = (text: string): string => text.replaceAll("s3cr3t", "***");
  const said = dockerOf({ body: inspected({ Status: "unhealthy", Log: looks }) });
  assertEquals(await said.healthOutput("a1", { ...LOG, mask }), ["pw=***", "refused"]);
  for (const health of [null, { Status: "starting", Log: null }, { Status: "healthy", Log: [] }]) {
    assertEquals(await dockerOf({ body: inspected(health) }).healthOutput("a1", LOG), []);
  }
  assertEquals(await dockerOf({ status: 404, body: "{}" }).healthOutput("a1", LOG), []);
  assertEquals(await codeOf(dockerOf({ body: "[]" }).healthOutput("a1", LOG)), "DOCKER_BAD_ANSWER");
});

Deno.test("a log of huge lines is asked for again with fewer of them", async () => {
  const large = new AgentError("ANSWER_TOO_LARGE", "x");
  const { http, requests } = engineOf(large, large, { body: "end" });
  const docker = createDocker(http, { timeoutMs: 5_000 });
  assertEquals(await docker.logs("a1", LOG), ["end"]);
  assertEquals(requests.map((each) => /tail=(\d+)/.exec(each.target)?.[1]), ["50", "5", "1"]);
  assertEquals(await dockerOf(large).logs("a1", LOG), ["[the last line is too large to be read]"]);
});

Deno.test("an unpause and a removal tolerate what is over, and nothing else", async () => {
  const message = (text: string): string => JSON.stringify({ message: text });
  await dockerOf({ status: 500, body: message("Container a is not paused") }).unpause("a");
  await dockerOf({ status: 404, body: message("No such container: a") }).unpause("a");
  const other = dockerOf({ status: 500, body: message("boom") });
  assertEquals(await codeOf(other.unpause("a")), "DOCKER_BAD_ANSWER");
  await dockerOf({ status: 409, body: message("Conflict") }).rename("a", "b");
  assertEquals(await codeOf(other.rename("a", "b")), "DOCKER_BAD_ANSWER");
  const table = [[200, "removed"], [404, "absent"], [409, "in use"]] as const;
  for (const [status, ended] of table) {
    assertEquals(await dockerOf({ status, body: "[]" }).removeImage("a:1"), ended);
  }
  assertEquals(await codeOf(other.removeImage("a:1")), "DOCKER_BAD_ANSWER");
});
