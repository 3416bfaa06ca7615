import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPool } from "@belfry/database/connection";
import { migrateToLatest } from "@belfry/database/migrate";
import { createLogger } from "@belfry/service/logger";
import { connectNats, type NatsFiles } from "@belfry/service/nats";
import { startProcess } from "@belfry/testing/processes";
import { testServerUrl } from "@belfry/testing/test-server-url";
import pg from "pg";
import { CERTIFIED_ROLE, NATS_PASSWORD, startTlsServers, type TlsServers } from "./tls-servers.ts";

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

/** Returns whether the connection is encrypted. */
async function isEncrypted(url: string): Promise<boolean> {
  const pool = createPool({ url, applicationName: "tls" });
  try {
    const { rows } = await pool.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
    return rows[0]?.ssl;
  } finally {
    await pool.end();
  }
}

/** A form of 127.0.0.1 that the server's certificate does not name. */
const ANOTHER_NAME = "127.1";
const NOT_NAMED = /does not match certificate's altnames/;

test("each sslmode encrypts and verifies Postgres as documented", async () => {
  const { caFile, otherCaFile } = servers.certificates;
  const by = (query: string, file?: string) =>
    file === undefined ? query : `${query}&sslrootcert=${encodeURIComponent(file)}`;
  const url = (mode: string, file?: string, hostname?: string) =>
    servers.databaseUrl(by(`sslmode=${mode}`, file), { hostname });
  // An empty or misspelt mode verifies the certificate, too.
  for (const mode of [
    "verify-full",
    "verify-ca",
    "require",
    "prefer",
    "allow",
    "verify_full",
    "",
  ]) {
    assert.equal(await isEncrypted(url(mode, caFile)), true, mode);
    await assert.rejects(isEncrypted(url(mode, otherCaFile)), /certificate/, mode);
    await assert.rejects(isEncrypted(url(mode, caFile, ANOTHER_NAME)), NOT_NAMED, mode);
    if (mode === "") continue;
    await assert.rejects(isEncrypted(url(mode)), /certificate/, mode);
    const withoutTls = `${testServerUrl("TEST_DATABASE_URL")}?sslmode=${mode}`;
    await assert.rejects(isEncrypted(withoutTls), /does not support SSL/, mode);
  }
  assert.equal(await isEncrypted(url("no-verify", otherCaFile, ANOTHER_NAME)), true);
  assert.equal(await isEncrypted(url("disable", caFile)), false);
});

test("Postgres accepts a client certificate of its authority in place of a password, and no other", async () => {
  const { caFile, client, otherClient } = servers.certificates;
  const login = (files?: { certFile: string; keyFile: string }) => {
    const query = new URLSearchParams({ sslmode: "verify-full", sslrootcert: caFile });
    if (files !== undefined) query.set("sslcert", files.certFile);
    if (files !== undefined) query.set("sslkey", files.keyFile);
    return isEncrypted(servers.databaseUrl(`${query}`, { username: CERTIFIED_ROLE }));
  };
  assert.equal(await login(client), true);
  await assert.rejects(login(), /requires a valid client certificate/);
  await assert.rejects(login(otherClient));
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
