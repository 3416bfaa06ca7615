import assert from "node:assert/strict";
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPool } from "@belfry/database/connection";
import { migrateToLatest } from "@belfry/database/migrate";
import { startGuarded } from "@belfry/local/guarded-process";
import { findNatsServer } from "@belfry/local/nats-server";
import { type PostgresServer, startPostgres } from "@belfry/local/postgres-server";
import { createLogger } from "@belfry/service/logger";
import { connectNats, type NatsFiles } from "@belfry/service/nats";
import { freePort } from "@belfry/testing/free-port";
import { startProcess } from "@belfry/testing/processes";
import pg from "pg";
import { type Certificates, makeCertificates } from "./certificates.ts";

const USER = "belfry";
const PASSWORD = "p:w/@rd";
const log = createLogger({ service: "test", level: "silent", destination: { write: () => {} } });

const resources = new AsyncDisposableStack();
let certificates: Certificates;
let natsPort: number;
let postgres: PostgresServer;

before(async () => {
  const directory = await mkdtemp(join(tmpdir(), "belfry-tls-"));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o755);
  certificates = await makeCertificates(directory);
  await Promise.all([startNatsWithTls(directory), startPostgresWithTls(directory)]);
});
after(() => resources.disposeAsync());

async function startNatsWithTls(directory: string): Promise<void> {
  natsPort = await freePort();
  const file = join(directory, "nats.conf");
  await writeFile(
    file,
    `host: "127.0.0.1"
port: ${natsPort}
jetstream { store_dir: ${JSON.stringify(join(directory, "nats"))}, max_file_store: 64GB }
authorization { user: "${USER}", password: "${PASSWORD}" }
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
  resources.defer(() => server.kill());
}

async function startPostgresWithTls(directory: string): Promise<void> {
  const dataDir = join(directory, "postgres");
  await mkdir(dataDir);
  postgres = await startPostgres({
    dataDir,
    port: await freePort(),
    log: () => {},
    durable: false,
  });
  resources.defer(async () => {
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
}

const files = (caFile: string): NatsFiles => ({
  caFile,
  certFile: "",
  keyFile: "",
  credentialsFile: "",
});
const natsUrl = (scheme: string) =>
  `${scheme}://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${natsPort}`;
const databaseUrl = (query: string) => `${postgres.url}?${query}`;

test("NATS is reached by TLS, with a password that holds every sign an address gives a meaning", async () => {
  for (const scheme of ["tls", "nats"]) {
    await using nats = await connectNats({
      url: natsUrl(scheme),
      files: files(certificates.caFile),
      name: "tls",
      log,
    });
    await nats.nc.flush();
  }
});

test("a NATS server whose certificate is from another authority is not talked to", async () => {
  for (const caFile of [certificates.otherCaFile, ""]) {
    await assert.rejects(
      connectNats({
        url: natsUrl("tls"),
        files: files(caFile),
        name: "tls",
        log,
        signal: AbortSignal.timeout(1200),
      }),
    );
  }
});

test("Postgres is reached by TLS, and one with a certificate from another authority is not", async () => {
  const isEncrypted = async (query: string) => {
    const pool = createPool({ url: databaseUrl(query), applicationName: "tls" });
    try {
      const { rows } = await pool.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
      return rows[0]?.ssl;
    } finally {
      await pool.end();
    }
  };
  const verified = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.caFile)}`;
  for (let tries = 0; tries < 50; tries += 1) {
    const encrypted = await isEncrypted(verified).catch(() => false);
    if (encrypted) break;
    await sleep(100);
  }
  assert.equal(await isEncrypted(verified), true);
  const other = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.otherCaFile)}`;
  await assert.rejects(isEncrypted(other), /certificate/);
  await assert.rejects(isEncrypted("sslmode=verify-full"), /certificate/);
});

test("a service runs with TLS to both by nothing but its environment", async (t) => {
  const url = databaseUrl(
    `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.caFile)}`,
  );
  await migrateToLatest(url);
  const dispatcher = await startProcess(t, {
    main: new URL("../../services/dispatcher/main.ts", import.meta.url),
    env: {
      DATABASE_URL: url,
      NATS_URL: natsUrl("tls"),
      NATS_TLS_CA_FILE: certificates.caFile,
    },
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select bool_and(ssl) as all from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'belfry-dispatcher'",
  );
  await client.end();
  assert.equal(rows[0].all, true);
  assert.ok(!dispatcher.lines.join("\n").includes(PASSWORD));
  assert.equal(await dispatcher.stop(), 0);
});
