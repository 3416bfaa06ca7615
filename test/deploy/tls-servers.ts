import { execFile } from "node:child_process";
import { chmod, chown, copyFile, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { startGuarded } from "@belfry/local/servers/guarded-process";
import { findNatsServer } from "@belfry/local/servers/nats-server";
import { startPostgres } from "@belfry/local/servers/postgres-server";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import pg from "pg";

const USER = "belfry";
/** A password with every character that has a meaning in URLs. */
export const NATS_PASSWORD = "p:w/@rd";

/** Starts a nats-server with a password and a Postgres, both with TLS, for one test file. */
export async function startTlsServers(t: Cleanup) {
  const directory = await temporaryFolder(t, "tls");
  await chmod(directory, 0o755);
  const certificates = await makeCertificates(directory);
  const [natsPort, postgresUrl] = await Promise.all([
    startNatsWithTls(t, directory, certificates),
    startPostgresWithTls(t, directory, certificates),
  ]);
  const verify = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.caFile)}`;
  return {
    certificates,
    /** The NATS URL with the password; `scheme` is `tls` or `nats`. */
    natsUrl: (scheme: string) =>
      `${scheme}://${USER}:${encodeURIComponent(NATS_PASSWORD)}@127.0.0.1:${natsPort}`,
    /** The URL of an empty database; `query` selects how clients check the certificate. */
    databaseUrl: (query: string) => `${postgresUrl}?${query}`,
    /** The database URL with full certificate verification. */
    verifiedDatabaseUrl: `${postgresUrl}?${verify}`,
  };
}

export type TlsServers = Awaited<ReturnType<typeof startTlsServers>>;

async function startNatsWithTls(t: Cleanup, directory: string, certificates: Certificates) {
  const port = await freePort();
  const file = join(directory, "nats.conf");
  await writeFile(
    file,
    `host: "127.0.0.1"
port: ${port}
jetstream { store_dir: ${JSON.stringify(join(directory, "nats"))}, max_file_store: 64GB }
authorization { user: "${USER}", password: "${NATS_PASSWORD}" }
tls { cert_file: "${certificates.certFile}", key_file: "${certificates.keyFile}" }
`,
  );
  const command = await findNatsServer({ mayInstall: true, log: () => {} });
  const server = startGuarded({
    command,
    args: ["-c", file],
    env: {},
    stopSignal: "TERM",
    onLine() {},
  });
  t.after(() => server.kill());
  return port;
}

async function startPostgresWithTls(
  t: Cleanup,
  directory: string,
  certificates: Certificates,
): Promise<string> {
  const dataDir = join(directory, "postgres");
  await mkdir(dataDir);
  const postgres = await startPostgres({
    dataDir,
    port: await freePort(),
    log: () => {},
    durable: false,
  });
  t.after(async () => {
    await postgres.stop();
    await rm(postgres.directory, { recursive: true, force: true });
  });
  const owner = await stat(join(postgres.directory, "cluster"));
  for (const [from, name] of [
    [certificates.certFile, "server.crt"],
    [certificates.keyFile, "server.key"],
  ] as const) {
    const to = join(postgres.directory, "cluster", name);
    await copyFile(from, to);
    await chown(to, owner.uid, owner.gid);
    await chmod(to, 0o600);
  }
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("alter system set ssl = on");
  await client.query("select pg_reload_conf()");
  await client.end();
  await untilEncrypted(postgres.url, certificates.caFile);
  return postgres.url;
}

/** Postgres reloads its configuration asynchronously. */
async function untilEncrypted(url: string, caFile: string): Promise<void> {
  const connectionString = `${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(caFile)}`;
  await eventually(async () => {
    const client = new pg.Client({ connectionString });
    client.on("error", () => undefined);
    await client.connect();
    await client.end();
  });
}

const run = promisify(execFile);

/** Creates a certificate authority and a server certificate with openssl, valid for two days. */
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
    /** The authority's certificate. */
    caFile: at("ca.pem"),
    /** The certificate and key of a server on 127.0.0.1. */
    certFile: at("server.pem"),
    keyFile: at("server.key"),
    /** An unrelated authority. */
    otherCaFile: at("other-ca.pem"),
  };
}

export type Certificates = Awaited<ReturnType<typeof makeCertificates>>;

async function openssl(...args: string[]): Promise<void> {
  await run("openssl", args);
}
