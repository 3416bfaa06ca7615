import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPool } from "@belfry/database/connection";
import { migrateToLatest } from "@belfry/database/migrate";
import { createLogger } from "@belfry/service/logger";
import { connectNats, type NatsFiles } from "@belfry/service/nats";
import { startProcess } from "@belfry/testing/processes";
import pg from "pg";
import { NATS_PASSWORD, startTlsServers, type TlsServers } from "./tls-servers.ts";

const log = createLogger({ service: "test", level: "silent", destination: { write: () => {} } });

const resources = new AsyncDisposableStack();
let servers: TlsServers;
before(async () => {
  servers = await startTlsServers({ after: (end) => resources.defer(end) });
});
after(() => resources.disposeAsync());

const files = (caFile: string): NatsFiles => ({
  NATS_TLS_CA_FILE: caFile,
  NATS_TLS_CERT_FILE: "",
  NATS_TLS_KEY_FILE: "",
  NATS_CREDENTIALS_FILE: "",
});

test("NATS is reached by TLS, with a password that holds every sign an address gives a meaning", async () => {
  for (const scheme of ["tls", "nats"]) {
    await using nats = await connectNats({
      url: servers.natsUrl(scheme),
      files: files(servers.certificates.caFile),
      name: "tls",
      log,
    });
    await nats.nc.flush();
  }
});

test("a NATS server whose certificate is from another authority is not talked to", async () => {
  for (const caFile of [servers.certificates.otherCaFile, ""]) {
    const refused = new AbortController();
    const write = (line: string) => refused.abort(new Error(line));
    await assert.rejects(
      connectNats({
        url: servers.natsUrl("tls"),
        files: files(caFile),
        name: "tls",
        log: createLogger({ service: "test", level: "info", destination: { write } }),
        signal: refused.signal,
      }),
      /certificate/,
    );
  }
});

test("Postgres is reached by TLS, and one with a certificate from another authority is not", async () => {
  const isEncrypted = async (url: string) => {
    const pool = createPool({ url, applicationName: "tls" });
    try {
      const { rows } = await pool.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
      return rows[0]?.ssl;
    } finally {
      await pool.end();
    }
  };
  assert.equal(await isEncrypted(servers.verifiedDatabaseUrl), true);
  const other = encodeURIComponent(servers.certificates.otherCaFile);
  for (const mode of ["verify-full", "verify-ca", "require", "prefer"]) {
    for (const query of [`sslmode=${mode}&sslrootcert=${other}`, `sslmode=${mode}`]) {
      await assert.rejects(isEncrypted(servers.databaseUrl(query)), /certificate/, query);
    }
  }
  assert.equal(await isEncrypted(servers.databaseUrl("sslmode=no-verify")), true);
});

test("a service runs with TLS to both by nothing but its environment", async (t) => {
  const { verifiedDatabaseUrl: url, certificates } = servers;
  await migrateToLatest(url);
  const dispatcher = await startProcess(t, {
    main: new URL("../../services/dispatcher/src/main.ts", import.meta.url),
    env: {
      DATABASE_URL: url,
      NATS_URL: servers.natsUrl("tls"),
      NATS_TLS_CA_FILE: certificates.caFile,
    },
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select bool_and(ssl) as all from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'belfry-dispatcher/%'",
  );
  await client.end();
  assert.equal(rows[0].all, true);
  assert.ok(!dispatcher.lines.join("\n").includes(NATS_PASSWORD));
  assert.equal(await dispatcher.stop(), 0);
});
