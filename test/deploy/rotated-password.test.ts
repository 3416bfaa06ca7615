import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { createDatabase } from "@belfry/database/connection";
import { migrateToLatest } from "@belfry/database/migrate";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createTestPool } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { ownPostgresServer } from "@belfry/testing/postgres-server";
import { startProcess } from "@belfry/testing/processes";
import { freshKey, trigger } from "../end-to-end/stack.ts";

const NAMES = ["ingest-api", "dispatcher", "email-sender"];

test("a second role replaces the first without a refused trigger; a password changed under running services stops them, and a restart with the new one sends what waited", async (t) => {
  const postgres = await ownPostgresServer(t);
  const urlOf = (username: string, password: string) =>
    Object.assign(new URL(postgres.url), { username, password }).href;
  const pool = createTestPool({ url: postgres.url });
  const db = createDatabase(pool);
  t.after(() => db.destroy());
  await pool.query("create role belfry_a login password 'one'");
  await pool.query("alter schema public owner to belfry_a");
  await pool.query("grant create on database postgres to belfry_a");
  await migrateToLatest(urlOf("belfry_a", "one"));

  const secret = `k1:${randomBytes(32).toString("base64")}`;
  const keys = parseSecretKeys(secret);
  const tenant = await createTenant(db, { name: "Acme" }, keys);
  const provider = {
    tenantId: tenant.id,
    channel: "EMAIL",
    kind: "sandbox",
    settings: {},
  } as const;
  await putActiveProvider(db, provider, { keys });
  const template = { tenantId: tenant.id, eventType: "order.confirmed", channel: "EMAIL" } as const;
  await putTemplate(db, { ...template, subject: "Hello", content: "<p>Hello</p>" });

  const prefix = testPrefix(t);
  const startAll = async (databaseUrl: string) => {
    const port = await freePort();
    const env = {
      DATABASE_URL: databaseUrl,
      NATS_URL: testNatsUrl(),
      NATS_PREFIX: prefix,
      SECRETS_KEYS: secret,
      REALTIME_TOKEN_KEYS: secret,
      INGEST_API_PORT: String(port),
    };
    const processes = await Promise.all(
      NAMES.map((name) => {
        const main = new URL(`../../services/${name}/src/main.ts`, import.meta.url);
        return startProcess(t, { main, env });
      }),
    );
    return { apiUrl: `http://127.0.0.1:${port}`, processes };
  };
  const triggerAt = async ({ apiUrl }: { apiUrl: string }) =>
    (await trigger(apiUrl, tenant.apiKey, {}, freshKey())).status;
  const sent = (count: number) =>
    eventually(async () => {
      const rows = await pool.sql`select status from deliveries where channel = 'EMAIL'`;
      assert.deepEqual(rows, Array(count).fill({ status: "accepted" }));
    });

  // The steps of docs/operations/key-rotation.md.
  const first = await startAll(urlOf("belfry_a", "one"));
  assert.equal(await triggerAt(first), 200);
  await pool.query("create role belfry_b login password 'two' in role belfry_a");
  await pool.query("alter role belfry_b set role to belfry_a");
  const second = await startAll(urlOf("belfry_b", "two"));
  assert.deepEqual([await triggerAt(first), await triggerAt(second)], [200, 200]);
  assert.deepEqual(await Promise.all(first.processes.map((one) => one.stop())), [0, 0, 0]);
  await pool.query("alter role belfry_a nologin");
  assert.equal(await triggerAt(second), 200);
  await sent(4);
  const byB = createTestPool({ url: urlOf("belfry_b", "two") });
  await byB.query("create table made_by_b ()").finally(() => byB.end());
  assert.deepEqual(await pool.sql`select tableowner from pg_tables where tablename = 'made_by_b'`, [
    { tableowner: "belfry_a" },
  ]);

  // With one role alone, open connections outlive the change, but no new one comes about.
  const [, dispatcher] = second.processes;
  dispatcher?.signal("SIGSTOP");
  assert.equal(await triggerAt(second), 200);
  await pool.query("alter role belfry_b password 'three'");
  assert.equal(await triggerAt(second), 200);
  await pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'belfry_b'",
  );
  dispatcher?.signal("SIGCONT");
  await Promise.all(second.processes.map((one) => one.waitUntilReady(false)));
  assert.equal(await triggerAt(second), 500);
  assert.match(dispatcher?.lines.join("\n") ?? "", /password authentication failed/);
  await startAll(urlOf("belfry_b", "three"));
  await sent(6);
});
