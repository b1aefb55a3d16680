/** A private CA and server certificates, made by openssl in a temporary folder. */

/** Which certificate: right, of another name, out of date on either side, of an unknown issuer, of an address. */
export type CertName = "good" | "other" | "expired" | "future" | "stranger" | "address";

/** The PEM texts. */
export interface TestCerts {
  readonly caPem: string;
  /** The CA of the "stranger". */
  readonly otherCaPem: string;
  readonly pair: (name: CertName) => { readonly key: string; readonly cert: string };
}

const CA_CONFIG = `[ca]
default_ca=c
[c]
database=index.txt
serial=serial
new_certs_dir=.
default_md=sha256
policy=p
unique_subject=no
[p]
commonName=supplied
`;
const NAMES: readonly CertName[] = [
  "good",
  "other",
  "expired",
  "future",
  "stranger",
  "address",
];

let made: Promise<TestCerts> | null = null;

/** Gives the certificates; makes them once per process. Fails with a message when there is no openssl. */
export function testCerts(): Promise<TestCerts> {
  made ??= makeCerts();
  return made;
}

async function makeCerts(): Promise<TestCerts> {
  const folder = await Deno.makeTempDir({ prefix: "tls_" });
  try {
    await Deno.writeTextFile(`${folder}/ca.cnf`, CA_CONFIG);
    await Deno.writeTextFile(`${folder}/index.txt`, "");
    await Deno.writeTextFile(`${folder}/serial`, "10");
    for (const ca of ["ca", "ca2"]) {
      await openssl(folder, [
        ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30".split(" "),
        ...["-keyout", `${ca}.key`, "-out", `${ca}.pem`, "-subj", `/CN=${ca}`],
      ]);
    }
    for (const name of NAMES) await makePair(folder, name);
    const texts = new Map<string, string>();
    for await (const { name } of Deno.readDir(folder)) {
      texts.set(name, await Deno.readTextFile(`${folder}/${name}`));
    }
    const text = (name: string): string => texts.get(name) ?? "";
    return {
      caPem: text("ca.pem"),
      otherCaPem: text("ca2.pem"),
      pair: (name) => ({ key: text(`${name}.key`), cert: text(`${name}.pem`) }),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function makePair(folder: string, name: CertName): Promise<void> {
  const names: Readonly<Record<string, string>> = {
    other: "DNS:other.internal",
    address: "IP:127.0.0.1",
  };
  const ca = name === "stranger" ? "ca2" : "ca";
  const dates: Readonly<Record<string, readonly [string, string]>> = {
    expired: ["20200101000000Z", "20200201000000Z"],
    future: ["20400101000000Z", "20410101000000Z"],
  };
  const [from, to] = dates[name] ?? ["20200101000000Z", "20450101000000Z"];
  await Deno.writeTextFile(
    `${folder}/${name}.ext`,
    `subjectAltName=${names[name] ?? "DNS:vault.internal"}\nbasicConstraints=CA:FALSE\n`,
  );
  await openssl(folder, [
    ..."req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes".split(" "),
    ...["-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`],
  ]);
  await openssl(folder, [
    ..."ca -batch -notext -config ca.cnf".split(" "),
    ...["-cert", `${ca}.pem`, "-keyfile", `${ca}.key`, "-in", `${name}.csr`],
    ...["-out", `${name}.pem`, "-extfile", `${name}.ext`, "-startdate", from, "-enddate", to],
  ]);
}

async function openssl(folder: string, args: readonly string[]): Promise<void> {
  const ran = await new Deno.Command("openssl", { args: [...args], cwd: folder }).output()
    .catch(() => {
      throw new Error("these tests need the program openssl: install it");
    });
  if (!ran.success) throw new Error(new TextDecoder().decode(ran.stderr));
}
