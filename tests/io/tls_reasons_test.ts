/** What is wrong between TLS and no TLS, told by what an operator mends: certificates, and the scheme. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { createServer, type TlsOptions } from "node:tls";
import { AgentError } from "../../src/errors.ts";
import { lateAlert } from "../../src/io/tls_faults.ts";
import { faultsOf } from "../../src/io/wire_faults.ts";
import { testHttp, testRequest } from "./http_setup.ts";
import { testCerts } from "./tls_setup.ts";

/** A self-signed certificate, as a guide's one line of openssl makes it. */
async function selfSigned(extensions: readonly string[]): Promise<{ key: string; cert: string }> {
  const folder = await Deno.makeTempDir();
  try {
    const args = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30".split(" ");
    const { success } = await new Deno.Command("openssl", {
      args: [
        ...args,
        ...["-keyout", "key", "-out", "cert", "-subj", "/CN=vault.internal"],
        ...extensions.flatMap((each) => ["-addext", each]),
      ],
      cwd: folder,
      stderr: "null",
    }).output();
    assertEquals(success, true);
    const [key, cert] = await Promise.all(
      ["key", "cert"].map((name) => Deno.readTextFile(`${folder}/${name}`)),
    );
    return { key: key ?? "", cert: cert ?? "" };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Asks a server with these options once; gives the failure. */
async function failureOver(options: TlsOptions, caPem: string): Promise<AgentError> {
  const server = createServer(options, (socket) => socket.on("error", () => {}));
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const baoPort = typeof address === "object" && address !== null ? address.port : 0;
  try {
    await testHttp({ baoPort, caPem }).request(testRequest({ peer: "bao" }));
    throw new Error("it was answered");
  } catch (thrown) {
    if (thrown instanceof AgentError) return thrown;
    throw thrown;
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

Deno.test("field: a server that wants a client certificate is told so, whenever its alert comes", async () => {
  const { caPem, pair } = await testCerts();
  const wants = { ...pair("good"), requestCert: true, rejectUnauthorized: true, ca: caPem };
  for (const maxVersion of ["TLSv1.3", "TLSv1.2"] as const) {
    const failure = await failureOver({ ...wants, maxVersion }, caPem);
    assertEquals(failure.code, "TLS_REFUSED", maxVersion);
    assertStringIncludes(failure.message, "it wants a client certificate, and the agent has none");
  }
});

Deno.test("an alert in the middle of an exchange is a matter of TLS only when it is about certificates", () => {
  const code = (alert: string): string | undefined =>
    lateAlert(new Error(`received fatal alert: ${alert}`), faultsOf("bao"))?.code;
  const about = ["CertificateRequired", "BadCertificate", "UnknownCA", "AccessDenied"].map(code);
  assertEquals(about, about.map(() => "TLS_REFUSED"));
  assertEquals(["InternalError", "BadRecordMac"].map(code), [undefined, undefined]);
});

Deno.test("field: a certificate that is its own CA, or names no host, is told as what it is", async () => {
  const ownCa = await selfSigned(["subjectAltName=DNS:vault.internal"]);
  const asCa = await failureOver(ownCa, ownCa.cert);
  assertEquals(asCa.code, "TLS_REFUSED");
  assertStringIncludes(asCa.message, "the certificate is that of a CA, which no server may show");
  const nameless = await selfSigned(["basicConstraints=CA:FALSE"]);
  const named = await failureOver(nameless, nameless.cert);
  assertEquals(named.code, "TLS_REFUSED");
  assertStringIncludes(named.message, "the certificate names no host in its subjectAltName");
});

Deno.test("an old proxy's own 400 is not taken for a port that speaks TLS", async () => {
  const answer = "HTTP/1.0 400 Bad request\r\nContent-Type: text/html\r\n\r\n<html></html>\n";
  const thrown = await failureOfAnswer(answer);
  assertEquals(thrown.code, "TENANCY_BAD_ANSWER");
  assertStringIncludes(thrown.message, "does not tell its length");
});

Deno.test("field: a port that speaks TLS and is asked in plain HTTP is told as such", async () => {
  // The alert of OpenSSL and its kin, and what Go's servers answer.
  const alert = "\x15\x03\x01\x00\x02\x02\x46";
  const answer =
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
  for (const text of [alert, answer]) {
    const thrown = await failureOfAnswer(text);
    assertEquals(thrown.code, "TENANCY_BAD_ANSWER");
    assertStringIncludes(thrown.message, "speaks TLS");
    assertStringIncludes(thrown.message, "plain HTTP");
  }
});

/** What a plain request comes to when it is answered with these bytes. */
async function failureOfAnswer(text: string): Promise<AgentError> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async (): Promise<void> => {
    const connection = await listener.accept();
    await connection.read(new Uint8Array(4096));
    await connection.write(Uint8Array.from(text, (char) => char.charCodeAt(0)));
    connection.close();
  })();
  try {
    await testHttp({ tenancyPort: listener.addr.port }).request(testRequest());
    throw new Error("it was answered");
  } catch (thrown) {
    if (!(thrown instanceof AgentError)) throw thrown;
    return thrown;
  } finally {
    await serving;
    listener.close();
  }
}
