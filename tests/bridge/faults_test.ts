/**
 * Every fault of the addon, and of what stands around it, comes back as a code of SPEC §7 in bounded
 * time, and leaves no process, no zombie and no socket (the bench insists on that). Each row says
 * where the fault was seen: §1 the addon's source, §9 a real overlay.
 */

import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { identityText } from "./install.ts";
import { type Bench, type BenchOptions, onBench } from "./bench.ts";

interface Row {
  readonly fault: string;
  readonly options?: BenchOptions;
  readonly before?: (bench: Bench) => Promise<void>;
  readonly service?: string;
  readonly code: string;
  readonly says: string;
  /** It does not wait for an identity that may come back: a second, twice (bridge_identity.ts). */
  readonly atOnce?: true;
}

/** Its own deadlines are short; that of the exchange is a minute, and a code of its own. */
const WITHIN_MS = 20_000;

const OLD = { api: "dial" } as const;
const SHORT = { loginTimeoutMs: 400, dialTimeoutMs: 400 };
const CLOSED_PORT = { gone: { port: 1 } };

const ROWS: readonly Row[] = [
  {
    fault: "§9 the login never settles: controller away, identity deleted",
    options: { ...SHORT, login: { never: true } },
    code: "ZITI_TIMEOUT",
    says: "the login did not end within 400 ms",
  },
  {
    fault: "the login holds the main thread for ever",
    options: { ...SHORT, login: { block: true } },
    code: "ZITI_BRIDGE_FAILED",
    says: "the bridge to the mesh says nothing",
  },
  {
    fault: "§9 a bad key: rejected without a number, and the process hangs",
    options: { login: { reject: "key is invalid" } },
    code: "ZITI_IDENTITY",
    says: "the mesh does not accept the identity",
  },
  {
    fault: "§9 a revoked certificate: rejected with a number",
    options: { login: { reject: "x", code: -14 } },
    code: "ZITI_IDENTITY",
    says: "(status -14)",
  },
  {
    fault: "§1 an old addon resolves with the failure's number",
    options: { ...OLD, login: { resolve: -16 } },
    code: "ZITI_UNAVAILABLE",
    says: "the controller or a router cannot be reached (status -16)",
  },
  {
    fault: "the addon throws where nobody can catch it",
    options: { login: { throwLater: true } },
    code: "ZITI_BRIDGE_FAILED",
    says: "the addon threw where nobody could catch it",
  },
  {
    fault: "the addon crashes in the login",
    options: { login: { crash: true } },
    code: "ZITI_BRIDGE_FAILED",
    says: "ended by SIGSEGV",
  },
  ...[{}, OLD].flatMap((api): readonly Row[] => {
    const over = api === OLD ? "dial()" : "connect()";
    return [
      {
        fault: `§9 ${over}: an unknown service, or no policy at login`,
        options: { ...api },
        service: "nowhere",
        code: "ZITI_SERVICE_UNAVAILABLE",
        says: "the service is not there",
      },
      {
        fault:
          `§9 ${over}: no terminator, upstream down: a text without a number, or no word at all`,
        options: { ...api, services: CLOSED_PORT },
        service: "gone",
        code: "ZITI_SERVICE_UNAVAILABLE",
        says: api === OLD ? "the addon does not say why" : "may not dial it",
      },
      {
        fault: `§9 ${over}: the callback never comes: router down`,
        options: { ...api, ...SHORT, services: { mute: { fault: "never" } } },
        service: "mute",
        code: "ZITI_TIMEOUT",
        says: "the dial did not end within 400 ms",
      },
      {
        fault: `${over}: the addon crashes in a dial`,
        options: { ...api, services: { bad: { fault: "crash" } } },
        service: "bad",
        code: "ZITI_BRIDGE_FAILED",
        says: "the bridge let the connection go",
      },
    ];
  }),
  {
    fault: "the addon throws in a dial where nobody can catch it",
    options: { services: { bad: { fault: "throw" } } },
    service: "bad",
    code: "ZITI_BRIDGE_FAILED",
    says: "the bridge let the connection go",
  },
  ...([
    ["a line", "hello\n"],
    ["JSON of another kind", '{"say":"ready!"}\n'],
    ["an unknown code", '{"say":"failed","code":"INTERNAL","what":"x"}\n'],
    ["a mebibyte without a newline", "x".repeat(1 << 20)],
    ["bytes that are no UTF-8", "\xff\xfe\n"],
  ] as const).map(([what, garbage]): Row => ({
    fault: `garbage on the bridge's pipe: ${what}`,
    options: { garbage },
    code: "ZITI_BRIDGE_FAILED",
    says: "it said what no bridge says",
  })),
  {
    fault: "the addon is not installed",
    before: (bench) => Deno.remove(`${bench.folder}/bridge/node_modules`, { recursive: true }),
    code: "ZITI_BRIDGE_FAILED",
    says: "the package @openziti/ziti-sdk-nodejs is not installed beside the bridge",
  },
  {
    fault: "the addon's binary is for another Node",
    before: ({ folder }) =>
      Deno.writeTextFile(
        `${folder}/bridge/node_modules/@openziti/ziti-sdk-nodejs/index.js`,
        'throw Object.assign(new Error("/x.node: wrong ELF class"), {code: "ERR_DLOPEN_FAILED"});',
      ),
    code: "ZITI_BRIDGE_FAILED",
    says: "does not load here",
  },
  {
    fault: "the package is something else",
    before: ({ folder }) =>
      Deno.writeTextFile(
        `${folder}/bridge/node_modules/@openziti/ziti-sdk-nodejs/index.js`,
        "module.exports = {};",
      ),
    code: "ZITI_BRIDGE_FAILED",
    says: "has neither connect nor dial",
  },
  {
    fault: "Node is not there",
    options: { node: "/nonexistent/node" },
    code: "ZITI_BRIDGE_FAILED",
    says: 'there is no program "/nonexistent/node"',
  },
  {
    fault: "what sdk.node names is no Node",
    options: { node: "/bin/true" },
    code: "ZITI_BRIDGE_FAILED",
    says: "the bridge to the mesh ended with code 0",
  },
  {
    fault: "the bridge is not there",
    before: ({ folder }) => Deno.remove(`${folder}/bridge`, { recursive: true }),
    code: "ZITI_BRIDGE_FAILED",
    says: "there is no bridge to the mesh at",
  },
  {
    fault: "the identity is missing, and stays so",
    before: ({ identity }) => Deno.remove(identity),
    code: "ZITI_IDENTITY",
    says: "identity.json is not there",
  },
  {
    fault: "the identity is half written, and stays so",
    before: async ({ identity }) =>
      await Deno.writeTextFile(identity, (await identityText()).slice(0, 200)),
    code: "ZITI_IDENTITY",
    says: "identity.json is not JSON",
  },
  {
    fault: "the identity has expired",
    before: async ({ identity }) =>
      await Deno.writeTextFile(identity, await identityText("expired")),
    code: "ZITI_IDENTITY",
    says: "expired at 2020-02-01T00:00:00.000Z",
    atOnce: true,
  },
  {
    fault: "the identity is not valid yet",
    before: async ({ identity }) =>
      await Deno.writeTextFile(identity, await identityText("future")),
    code: "ZITI_IDENTITY",
    says: "begins at 2040-01-01T00:00:00.000Z",
    atOnce: true,
  },
];

for (const { fault, options = {}, before, service, code, says, atOnce } of ROWS) {
  Deno.test(`bridge: ${fault}: ${code}`, async () => {
    await onBench(options, async (bench) => {
      await before?.(bench);
      const took: number[] = [];
      // What is told at once is told again at once: a machine that stood still once has not three times.
      for (let asks = atOnce === true ? 3 : 1; asks > 0; asks -= 1) {
        const from = performance.now();
        const failure = await bench.ask(service);
        took.push(performance.now() - from);
        assertInstanceOf(failure, AgentError, String(failure));
        assertEquals([failure.code, failure.data["phase"]], [code, "dial"], failure.message);
        assertStringIncludes(failure.message, says);
        assert(!failure.message.includes("secret of the addon"));
      }
      assert(Math.min(...took) < (atOnce === true ? 1_000 : WITHIN_MS), `${took.join(", ")} ms`);
    });
  });
}
