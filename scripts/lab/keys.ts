/** Keys and certificates of a lab, made anew by openssl for every `lab up`. */

import type { TenancyKeys } from "./info.ts";
import { runChecked } from "./process.ts";

/** The private CA and the certificate it signed for the OpenBao servers; PEM files. */
export interface ServerCertificate {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const SERVER_NAMES = "DNS:bao.cbs.tikali.net,DNS:localhost,IP:127.0.0.1";
const ISSUER = "https://tenancy.test";

/**
 * Makes the private CA, the OpenBao server's certificate and tenancy's two ES256 pairs.
 *
 * @param dir an existing folder, 0700
 * @returns where everything is
 * @throws Error when openssl is missing or fails
 */
export async function makeKeys(
  dir: string,
): Promise<{ certificate: ServerCertificate; keys: TenancyKeys }> {
  const [certificate, grantKey, bundleKey] = await Promise.all([
    makeCertificate(dir),
    makePair(dir, "tenancy"),
    makePair(dir, "bundle"),
  ]);
  return {
    certificate,
    keys: {
      issuer: ISSUER,
      grantKey,
      grantPublicKey: `${dir}/tenancy.pub`,
      bundleKey,
      bundlePublicKey: `${dir}/bundle.pub`,
    },
  };
}

/**
 * Makes an ES256 key pair: `<dir>/<name>.p8` (PKCS#8) and `<dir>/<name>.pub` (SPKI), PEM.
 *
 * @param dir an existing folder
 * @param name file name without ending
 * @returns the private key's path
 * @throws Error when openssl fails
 */
export async function makePair(dir: string, name: string): Promise<string> {
  const key = `${dir}/${name}.p8`;
  await makePrivateKey(key);
  await runChecked(["openssl", "pkey", "-in", key, "-pubout", "-out", `${dir}/${name}.pub`]);
  return key;
}

async function makePrivateKey(file: string): Promise<void> {
  // openssl creates private keys 0600 by itself.
  const curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
  await runChecked(["openssl", "genpkey", ...curve, "-out", file]);
}

async function makeCertificate(dir: string): Promise<ServerCertificate> {
  const [caKey, caFile] = [`${dir}/ca.key`, `${dir}/ca.pem`];
  const [keyFile, certFile] = [`${dir}/server.key`, `${dir}/server.pem`];
  await Promise.all([makePrivateKey(caKey), makePrivateKey(keyFile)]);
  const days = ["-days", "30"];
  const ca = ["req", "-x509", "-new", "-key", caKey, "-subj", "/CN=monky lab CA", "-out", caFile];
  await runChecked(["openssl", ...ca, ...days]);
  const request = ["req", "-new", "-key", keyFile, "-subj", "/CN=bao.cbs.tikali.net"];
  await runChecked(["openssl", ...request, "-out", `${dir}/server.csr`]);
  await Deno.writeTextFile(
    `${dir}/server.ext`,
    `subjectAltName=${SERVER_NAMES}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n`,
  );
  const signing = ["x509", "-req", "-in", `${dir}/server.csr`, "-CA", caFile, "-CAkey", caKey];
  const extensions = ["-CAcreateserial", "-extfile", `${dir}/server.ext`];
  await runChecked(["openssl", ...signing, ...extensions, ...days, "-out", certFile]);
  return { caFile, certFile, keyFile };
}
