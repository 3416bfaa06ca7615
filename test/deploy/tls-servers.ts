import { execFile } from "node:child_process";
import { chmod, chown, copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
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
/** A role of Postgres that logs in by a client certificate. */
export const CERTIFIED_ROLE = "certified";
/** A password with every character that has a meaning in URLs. */
export const NATS_PASSWORD = "p:w/@rd";

/** Starts a nats-server with a password and a Postgres, both with TLS, for one test file. */
export async function startTlsServers(t: Cleanup) {
  const directory = await temporaryFolder(t, "tls");
  await chmod(directory, 0o755);
  const certificates = await makeCertificates(directory);
  const { certFile, keyFile } = certificates;
  const [{ port: natsPort }, postgresUrl] = await Promise.all([
    startNatsOf(
      t,
      directory,
      `authorization { user: "${USER}", password: "${NATS_PASSWORD}" }
tls { cert_file: "${certFile}", key_file: "${keyFile}" }`,
    ),
    startPostgresWithTls(t, directory, certificates),
  ]);
  const verify = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.caFile)}`;
  return {
    certificates,
    /** The NATS URL with the password; `scheme` is `tls` or `nats`. */
    natsUrl: (scheme: string) =>
      `${scheme}://${USER}:${encodeURIComponent(NATS_PASSWORD)}@127.0.0.1:${natsPort}`,
    /** The URL of an empty database; `query` selects how clients check the certificate. */
    databaseUrl: (query: string, { hostname = "127.0.0.1", username = USER } = {}) =>
      `${Object.assign(new URL(postgresUrl), { hostname, username }).href}?${query}`,
    /** The database URL with full certificate verification. */
    verifiedDatabaseUrl: `${postgresUrl}?${verify}`,
  };
}

export type TlsServers = Awaited<ReturnType<typeof startTlsServers>>;

/** Starts a nats-server with JetStream whose configuration has these lines. `lines` is its log. */
export async function startNatsOf(t: Cleanup, directory: string, configuration: string) {
  const port = await freePort();
  const lines: string[] = [];
  const file = join(directory, "nats.conf");
  await writeFile(
    file,
    `host: "127.0.0.1"
port: ${port}
jetstream { store_dir: ${JSON.stringify(join(directory, "nats"))}, max_file_store: 64GB }
${configuration}
`,
  );
  const command = await findNatsServer({ mayInstall: true, log: () => {} });
  const server = startGuarded({
    command,
    args: ["-c", file],
    env: {},
    stopSignal: "TERM",
    onLine: (line) => lines.push(line),
  });
  t.after(() => server.kill());
  return { port, lines };
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
  const cluster = join(postgres.directory, "cluster");
  const owner = await stat(cluster);
  for (const [from, name] of [
    [certificates.certFile, "server.crt"],
    [certificates.keyFile, "server.key"],
    [certificates.caFile, "clients.crt"],
  ] as const) {
    const to = join(cluster, name);
    await copyFile(from, to);
    await chown(to, owner.uid, owner.gid);
    await chmod(to, 0o600);
  }
  const rules = join(cluster, "pg_hba.conf");
  const others = await readFile(rules, "utf8");
  await writeFile(rules, `hostssl all ${CERTIFIED_ROLE} 127.0.0.1/32 cert\n${others}`);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`create role ${CERTIFIED_ROLE} login`);
  await client.query("alter system set ssl = on");
  await client.query("alter system set ssl_ca_file = 'clients.crt'");
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

/** Creates certificate authorities, and certificates of a server and of clients with openssl, valid for two days. */
export async function makeCertificates(directory: string) {
  const at = (name: string) => join(directory, name);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const authority = async (name: string) => {
    const files = ["-keyout", at(`${name}.key`), "-out", at(`${name}.pem`)];
    await openssl("req", "-x509", ...newKey, "-days", "2", "-subj", `/CN=${name}`, ...files);
  };
  const issue = async (name: string, commonName: string, by: string) => {
    const request = ["-keyout", at(`${name}.key`), "-out", at(`${name}.csr`)];
    await openssl("req", ...newKey, "-subj", `/CN=${commonName}`, ...request);
    const authorityFiles = ["-CA", at(`${by}.pem`), "-CAkey", at(`${by}.key`), "-CAcreateserial"];
    const given = ["-in", at(`${name}.csr`), "-days", "2", "-extfile", at("names")];
    await openssl("x509", "-req", ...given, ...authorityFiles, "-out", at(`${name}.pem`));
    return { certFile: at(`${name}.pem`), keyFile: at(`${name}.key`) };
  };
  await writeFile(at("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  await Promise.all([authority("ca"), authority("other-ca")]);
  return {
    /** The authority's certificate. */
    caFile: at("ca.pem"),
    /** The certificate and key of a server on 127.0.0.1. */
    ...(await issue("server", "127.0.0.1", "ca")),
    /** An unrelated authority. */
    otherCaFile: at("other-ca.pem"),
    /** A client certificate of `CERTIFIED_ROLE`, and the same by the unrelated authority. */
    client: await issue("client", CERTIFIED_ROLE, "ca"),
    otherClient: await issue("other-client", CERTIFIED_ROLE, "other-ca"),
  };
}

export type Certificates = Awaited<ReturnType<typeof makeCertificates>>;

async function openssl(...args: string[]): Promise<void> {
  await run("openssl", args);
}
