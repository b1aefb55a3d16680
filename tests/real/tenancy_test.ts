// The development tenancy against the lab's OpenBao: real logins, lookups and revocations.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  adminRequest,
  BaoClient,
  type LabInfo,
  listAccessors,
  readLab,
} from "../../scripts/lab/mod.ts";
import { readAdminInfo } from "../../scripts/tenancy/admin_file.ts";
import { runTenancy } from "../../scripts/tenancy/cli/main.ts";
import { baoTokenLookup, startTenancy, type TenancyHandle } from "../../scripts/tenancy/mod.ts";
import { sendRequest } from "../../scripts/tenancy/raw_client.ts";
import { goodRequest, jsonOf, verdict } from "../../scripts/tenancy/test_agent.ts";
import type { Call } from "../../scripts/tenancy/terms.ts";

const lab = await readLab();

interface RealBench {
  readonly lab: LabInfo;
  readonly tenancy: TenancyHandle;
  readonly env: string;
  /** Logs in with a grant and gives the token and its accessor. */
  login(grant: string): Promise<{ token: string; accessor: string }>;
  /** Sends a good request and gives its status and error code. */
  ask(token: string, call?: Call): Promise<string>;
  /** What tenancy's own OpenBao token is from now on. */
  useToken(token: string): void;
}

function realTest(name: string, run: (bench: RealBench) => Promise<void>): void {
  Deno.test({
    name: `tenancy on OpenBao: ${name}${lab === null ? " (needs the lab)" : ""}`,
    ignore: lab === null,
    fn: async () => {
      assert(lab !== null);
      let own = lab.bao.tenancyToken;
      const caPem = await Deno.readTextFile(lab.bao.caFile);
      const tenancy = await startTenancy({
        keyPem: await Deno.readTextFile(lab.keys.grantKey),
        issuer: lab.keys.issuer,
        lookup: baoTokenLookup({ addr: lab.bao.address, caPem, token: () => own }),
      });
      const env = `env-t-${crypto.randomUUID().slice(0, 8)}`;
      try {
        await tenancy.setAbsent(env);
        await run({
          lab,
          tenancy,
          env,
          login: (grant) => login(lab, grant),
          ask: async (token, call = "checkin") =>
            verdict(
              await sendRequest(tenancy.port, goodRequest(call, token, { json: { env_id: env } })),
            ),
          useToken: (token) => {
            own = token;
          },
        });
      } finally {
        await tenancy.close();
      }
    },
  });
}

async function login(at: LabInfo, grant: string): Promise<{ token: string; accessor: string }> {
  using client = await BaoClient.open(at.bao);
  const { body } = await client.request("POST", "auth/jwt-tenancy/login", {
    body: { role: "see-env", jwt: grant },
  });
  const { client_token: token, accessor } = body.auth ?? {};
  return { token: String(token), accessor: String(accessor) };
}

realTest("a grant logs in, and its token and that of a lease are let through", async (bench) => {
  const { tenancy, env } = bench;
  const { grant } = await tenancy.issueBootstrapGrant(env);
  const { token } = await bench.login(grant);
  assertEquals(await bench.ask(token), "200");
  const lease = await sendRequest(
    tenancy.port,
    goodRequest("lease", token, { json: { env_id: env } }),
  );
  const leased = await bench.login(String(jsonOf(lease)?.["grant"]));
  assertEquals(await bench.ask(leased.token), "200");
  assertEquals(tenancy.record.violations, []);
});

realTest("a revoked or unknown token is 401", async (bench) => {
  const { grant } = await bench.tenancy.issueBootstrapGrant(bench.env);
  const { token, accessor } = await bench.login(grant);
  assertEquals(await bench.ask(token), "200");
  await adminRequest(bench.lab, "POST", "auth/token/revoke-accessor", { accessor });
  assertEquals(await bench.ask(token), "401 AGENT_UNAUTHENTICATED");
  assertEquals(await bench.ask("s.doesnotexistdoesnotexist"), "401 AGENT_UNAUTHENTICATED");
});

realTest("tenancy's own broken token is 503, never 401", async (bench) => {
  const { grant } = await bench.tenancy.issueBootstrapGrant(bench.env);
  const { token } = await bench.login(grant);
  bench.useToken("s.doesnotexistdoesnotexist");
  assertEquals(await bench.ask(token), "503 TENANCY_UNAVAILABLE");
  // An agent's token lacks the policy for lookups: another text of OpenBao, the same answer.
  bench.useToken(token);
  assertEquals(await bench.ask(token), "503 TENANCY_UNAVAILABLE");
  bench.useToken(bench.lab.bao.tenancyToken);
  assertEquals(await bench.ask(token), "200");
});

realTest(
  "a superseded grant logs in, and its token is 401; known tokens are revoked",
  async (bench) => {
    const { tenancy, env, lab } = bench;
    const old = await tenancy.issueBootstrapGrant(env);
    const seen = await bench.login(old.grant);
    assertEquals(await bench.ask(seen.token), "200");
    const fresh = await tenancy.issueBootstrapGrant(env);
    assert(!(await listAccessors(lab)).includes(seen.accessor), "the known token lives on");
    const late = await bench.login(old.grant);
    assertEquals(await bench.ask(late.token), "401 AGENT_UNAUTHENTICATED");
    assertEquals(await bench.ask((await bench.login(fresh.grant)).token), "200");
    await tenancy.retire(env);
    const retired = await bench.login(fresh.grant);
    assertEquals(await bench.ask(retired.token), "401 AGENT_UNAUTHENTICATED");
  },
);

realTest("tokens that are of another environment, or of none, are 403", async (bench) => {
  const { tenancy, lab } = bench;
  const other = await tenancy.issueBootstrapGrant(`${bench.env}-x`);
  assertEquals(await bench.ask((await bench.login(other.grant)).token), "403 AGENT_ENV_MISMATCH");
  assertEquals(await bench.ask(lab.bao.rootToken), "403 AGENT_ENV_MISMATCH");
});

realTest("an OpenBao that cannot be reached, or has another CA, is 503", async ({ lab, env }) => {
  const keyPem = await Deno.readTextFile(lab.keys.grantKey);
  for (const addr of ["https://127.0.0.1:1", lab.bao.address]) {
    const lookup = baoTokenLookup({ addr, token: () => lab.bao.tenancyToken });
    const tenancy = await startTenancy({ keyPem, lookup });
    try {
      const request = goodRequest("checkin", "s.whatever", { json: { env_id: env } });
      const answer = verdict(await sendRequest(tenancy.port, request));
      assertEquals(answer, "503 TENANCY_UNAVAILABLE", addr);
    } finally {
      await tenancy.close();
    }
  }
});

Deno.test({
  name: `tenancy serve: runs on the lab, keeps its port and state${
    lab === null ? " (needs the lab)" : ""
  }`,
  ignore: lab === null,
  fn: async () => {
    const dir = await Deno.makeTempDir();
    try {
      const ports: (number | undefined)[] = [];
      for (let round = 0; round < 2; round++) {
        const stop = new AbortController();
        const out: string[] = [];
        const started = Promise.withResolvers<void>();
        const serving = runTenancy(["serve", "--dir", dir], {
          out: (line) => {
            out.push(line);
            if (line.includes("Ctrl-C")) started.resolve();
          },
          err: (line) => started.reject(new Error(line)),
          stop: stop.signal,
        });
        await started.promise;
        ports.push((await readAdminInfo(dir))?.port);
        assertStringIncludes(out.join("\n"), `tenancy listens on 127.0.0.1:${ports[0]}`);
        const lines: string[] = [];
        const terminal = {
          out: (line: string) => lines.push(line),
          err: (line: string) => lines.push(line),
          stop: stop.signal,
        };
        assertEquals(await runTenancy(["serve", "--dir", dir], terminal), 1);
        assertStringIncludes(lines.join("\n"), "runs in");
        assertEquals(await runTenancy(["config", "--env", "env-s", "--dir", dir], terminal), 0);
        assertStringIncludes(lines.join("\n"), `proxy_addr: 127.0.0.1:${ports[0]}`);
        const first = round === 0 ? "absent" : "desired";
        assertEquals(await runTenancy([first, "--env", "env-s", "--dir", dir], terminal), 0);
        assertEquals(lines.at(-1), "env-s should run nothing");
        stop.abort();
        assertEquals(await serving, 0);
      }
      assertEquals(ports[0], ports[1]);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
