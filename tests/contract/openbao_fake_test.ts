/** The stand-in of OpenBao against the contract list, and the list against a stand-in that lies. */

import { assert, assertEquals } from "@std/assert";
import type { HttpReply, HttpRequest } from "../../src/ports.ts";
import { createFakeBao, type Tamper } from "../fakes/openbao.ts";
import { stillClock } from "../fakes/openbao_clock.ts";
import { CONTRACT } from "./openbao.ts";

for (const check of CONTRACT) {
  Deno.test(`OpenBao (stand-in): ${check.name}`, async () => {
    await check.run(await createFakeBao(stillClock()));
  });
}

/** Gives the names of the checks that fail when every answer passes the change. */
async function redChecks(change: Tamper): Promise<readonly string[]> {
  const red: string[] = [];
  for (const check of CONTRACT) {
    const bao = await createFakeBao(stillClock());
    bao.tamper(change);
    await check.run(bao).catch(() => red.push(check.name));
  }
  return red;
}

/** Changes the JSON of the answers whose target matches. */
function edit(
  target: RegExp,
  change: (text: string, reply: HttpReply) => { readonly text?: string; readonly status?: number },
): Tamper {
  return (request: HttpRequest, reply: HttpReply): HttpReply => {
    if (!target.test(request.target)) return reply;
    const before = new TextDecoder().decode(reply.body);
    const { text = before, status = reply.status } = change(before, reply);
    return { ...reply, status, body: new TextEncoder().encode(text) };
  };
}

const LIES: readonly { readonly name: string; readonly lie: Tamper; readonly red: RegExp }[] = [
  {
    name: "logins without the grant's jti",
    lie: edit(/\/login$/, (text) => ({ text: text.replaceAll("grant_jti", "jti") })),
    red: /a login answers/,
  },
  {
    name: "401 instead of 400 for bad grants",
    lie: edit(/\/login$/, (_, { status }) => ({ status: status === 400 ? 401 : status })),
    red: /login with garbage/,
  },
  {
    name: "404 instead of 403 at a wrong mount",
    lie: edit(/jwt-nowhere/, () => ({ status: 404 })),
    red: /wrong mount/,
  },
  {
    name: "a dead token told in the words of a policy's denial",
    lie: edit(/lookup-self$/, (text) => ({
      text: text.replace(
        '"permission denied"',
        JSON.stringify("1 error occurred:\n\t* permission denied\n\n"),
      ),
    })),
    red: /in other words/,
  },
  {
    name: "deleted versions without metadata",
    lie: edit(/\/data\//, (text, { status }) => ({
      text: status === 404 ? '{"errors":[]}' : text,
    })),
    red: /deleted version/,
  },
  {
    name: "404 for a version that deletes itself later",
    lie: edit(/\/data\//, (text) => ({ status: /"deletion_time":"2/.test(text) ? 404 : 200 })),
    red: /delete itself later/,
  },
  {
    name: "numbers as strings",
    lie: edit(/\/data\//, (text) => ({ text: text.replace("5432", '"5432"') })),
    red: /no strings/,
  },
  {
    name: "renewals that are never capped",
    lie: edit(/renew-self$/, (text) => ({ text: text.replace(/"lease_duration":1\d\d,/, "") })),
    red: /capped/,
  },
  {
    name: "500 instead of 503 while sealed",
    lie: edit(/^/, (_, { status }) => ({ status: status === 503 ? 500 : status })),
    red: /sealed: 503/,
  },
];

for (const { name, lie, red } of LIES) {
  Deno.test(`OpenBao's contract list turns red on ${name}`, async () => {
    const found = await redChecks(lie);
    assert(found.some((check) => red.test(check)), `red: ${found.join("; ") || "nothing"}`);
  });
}

Deno.test("OpenBao's contract list is green when an answer passes unchanged", async () => {
  assertEquals(await redChecks((_, reply) => reply), []);
});
