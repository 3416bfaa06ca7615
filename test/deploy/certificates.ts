import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** An authority and a server's certificate from it, by openssl, good for two days. */
export async function makeCertificates(directory: string) {
  const at = (name: string) => join(directory, name);
  const authority = (name: string) =>
    openssl(
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "2", "-subj", `/CN=${name}`, "-keyout", at(`${name}.key`)],
      ...["-out", at(`${name}.pem`)],
    );
  await Promise.all([authority("ca"), authority("other-ca")]);
  await openssl(
    ...["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-subj", "/CN=127.0.0.1", "-keyout", at("server.key"), "-out", at("server.csr")],
  );
  await writeFile(at("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  await openssl(
    ...["x509", "-req", "-in", at("server.csr"), "-CA", at("ca.pem"), "-CAkey", at("ca.key")],
    ...["-CAcreateserial", "-days", "2", "-extfile", at("names"), "-out", at("server.pem")],
  );
  return {
    /** Of the authority. */
    caFile: at("ca.pem"),
    /** Of a server on 127.0.0.1. */
    certFile: at("server.pem"),
    keyFile: at("server.key"),
    /** An authority that signed nothing here. */
    otherCaFile: at("other-ca.pem"),
  };
}

export type Certificates = Awaited<ReturnType<typeof makeCertificates>>;

async function openssl(...args: string[]): Promise<void> {
  await run("openssl", args);
}
