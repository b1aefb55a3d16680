import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CATALOGUE, type Code } from "../../../src/catalogue.ts";
import { fixOf, fixOfConfig } from "../../../src/core/doctor/fixes.ts";
import { AgentError } from "../../../src/errors.ts";
import { placeOf } from "./box.ts";

/** A command, or a file: what the operator can type or open. */
const CONCRETE =
  /(?:^|[\s(:])(?:sh|monky-deployd|systemctl|journalctl|timedatectl|setfacl|chmod|chown|mv|df|ls|bao|docker|apt-get|openssl|usermod|node|getent) |\/etc\/monky-deployd\/config\.yaml/;

for (const transport of ["sdk", "proxy", "system"]) {
  Deno.test(`${transport}: the fix of every code is a command or names a file`, () => {
    const place = placeOf(`transport: ${transport}`);
    for (const code of Object.keys(CATALOGUE) as Code[]) {
      const fix = fixOf(new AgentError(code, "it broke"), place);
      assert(CONCRETE.test(fix), `${code}: ${fix}`);
      assert(!/undefined|null/.test(fix), `${code}: ${fix}`);
    }
  });
}

Deno.test("the way is mended where the transport has it", () => {
  const error = new AgentError("TENANCY_UNAVAILABLE", "away");
  const fix = (transport: string): string => fixOf(error, placeOf(`transport: ${transport}`));
  assertStringIncludes(fix("proxy"), "systemctl restart monky-deployd-proxy.service");
  assertStringIncludes(fix("system"), "systemctl restart ziti-edge-tunnel.service");
  assertEquals(
    fix("sdk"),
    "node /usr/lib/monky-deployd/ziti-bridge/check.cjs " +
      "/opt/openziti/etc/identities/monky-host.env-qa-02.json monky.tenancy.deploy openbao",
  );
  const ofServer = new AgentError("TENANCY_UNAVAILABLE", "502", {
    data: { status: 502, request_id: "r-1" },
  });
  assertStringIncludes(fixOf(ofServer, placeOf("transport: proxy")), "request r-1");
});

Deno.test("a grant that is gone is fetched with the kit's files, not with the file that is missing", () => {
  const place = placeOf("transport: proxy\nbootstrap_file: /etc/monky-deployd/gone.jwt");
  for (const code of ["GRANT_MISSING", "GRANT_INVALID", "GRANT_EXPIRED", "AGENT_UNAUTHENTICATED"]) {
    assertEquals(
      fixOf(new AgentError(code as Code, "x"), place),
      "reveal the kit in tenancy, then: sh install.sh --env env-qa-02 --site cbs " +
        "--token-file deploy.token --bootstrap-file bootstrap.jwt (the kit's files)",
    );
  }
});

Deno.test("a path with a space is quoted for the shell, and the failing path is the one named", () => {
  const place = placeOf('transport: proxy\nbootstrap_file: "/etc/my box\'s/b.jwt"');
  const grant = fixOf(new AgentError("GRANT_UNREADABLE", "x"), place);
  assertStringIncludes(grant, "chmod 600 '/etc/my box'\\''s/b.jwt'");
  const file = new AgentError("FILE_UNREADABLE", "x", { data: { path: "/some/where" } });
  assertEquals(fixOf(file, place), "ls -ld /some/where; chown -R 990: /some/where");
});

Deno.test("without a config there is still a file to write and a command to check it", () => {
  const fix = fixOfConfig(new AgentError("CONFIG_MISSING", "x"), "/etc/m.yaml");
  assertStringIncludes(fix, "config.example.yaml /etc/m.yaml");
  assertStringIncludes(fix, "monky-deployd config check --config /etc/m.yaml");
});
