import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { promisify } from "node:util";
import { migrateToLatest } from "@belfry/database/migrate";
import { createTestPool } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { call, freshKey, startStack, trigger } from "../end-to-end/stack.ts";
import { POOL_SIZE, pgbouncer, startPgBouncer } from "./start-pgbouncer.ts";

const CLI = new URL("../../packages/cli/src/main.ts", import.meta.url).pathname;
const EVENTS = 100;
const PEOPLE = 200;
const skip = pgbouncer === undefined ? "BELFRY_WITHOUT_PGBOUNCER is set" : false;

test("migrations through PgBouncer leave no lock and no setting in its connections", {
  skip,
}, async (t) => {
  const { url } = await createTestDatabase(t, "template0");
  const pooler = await startPgBouncer(t, url);
  const migrate = () => migrateToLatest(`${pooler.url}?prepared_statements=false`);
  assert.notDeepEqual(await Promise.all([migrate(), migrate()]), [[], []]);
  const direct = createTestPool({ url });
  t.after(() => direct.end());
  assert.deepEqual(
    await direct.sql`select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`,
    [],
  );
  const pooled = createTestPool({ url: pooler.url, maxConnections: POOL_SIZE });
  t.after(() => pooled.end());
  const timeouts = await Promise.all(
    Array.from({ length: POOL_SIZE }, async () => {
      const client = await pooled.connect();
      await client.query("begin");
      return { client, shown: (await client.query("show lock_timeout")).rows[0] };
    }),
  );
  for (const { client } of timeouts) client.release(true);
  assert.deepEqual(
    timeouts.map(({ shown }) => shown),
    Array(POOL_SIZE).fill({ lock_timeout: "0" }),
  );
});

test("every service works through PgBouncer in transaction mode, by the settings that the error of a start asks for", {
  skip,
}, async (t) => {
  const { url } = await createTestDatabase(t);
  const pooler = await startPgBouncer(t, url);
  const databaseUrl = `${pooler.url}?prepared_statements=false`;
  // Another setting than ours, so that something is lacking behind any version of PgBouncer.
  const direct = createTestPool({ url });
  t.after(() => direct.end());
  await direct.query(`alter database ${new URL(url).pathname.slice(1)} set bytea_output = escape`);
  await pooler.reconnect();

  const key = `k1:${randomBytes(32).toString("base64")}`;
  const env = {
    DATABASE_URL: databaseUrl,
    NATS_URL: testNatsUrl(),
    NATS_PREFIX: testPrefix(t),
    SECRETS_KEYS: key,
    REALTIME_TOKEN_KEYS: key,
    ADMIN_PORT: String(await freePort()),
  };
  const main = new URL("../../services/admin/src/main.ts", import.meta.url);
  const refused = await startProcess(t, { main, env, waitUntilReady: false });
  assert.equal((await refused.exited).code, 1);
  const lacking = refused.lines.join("\n").match(/alter role .*? = '.*?'/g) ?? [];
  assert.match(lacking.join("\n"), /set bytea_output = 'hex'\n.*set statement_timeout = '30s'$/);
  for (const statement of lacking) await direct.query(statement.replaceAll("\\", ""));
  await pooler.reconnect();
  const admin = await startProcess(t, { main, env });
  const stack = await startStack(t, { databaseUrl });

  const receiver = await startRecordingServer(t);
  const tenant = await stack.createReadyTenant();
  const ask = (path: string, body: object) =>
    call(`${stack.apiUrls[0]}/api/v1/${path}`, { apiKey: tenant.apiKey, body });
  const webhook = await ask("webhooks", { url: receiver.url, types: ["delivery.accepted"] });
  assert.equal(webhook.status, 200, JSON.stringify(webhook.body));
  const answers = await Promise.all(
    Array.from({ length: EVENTS }, (_, n) =>
      trigger(stack.apiUrls[n % 2]!, tenant.apiKey, {}, freshKey()),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const broadcast = await ask("broadcasts", {
    userIds: Array.from({ length: PEOPLE }, (_, n) => `person-${n}`),
    eventType: "order.confirmed",
    channels: ["PUSH"],
    variables: { name: "Ann", orderId: "A-1" },
  });
  assert.equal(broadcast.status, 202, JSON.stringify(broadcast.body));

  await receiver.received(2 * EVENTS);
  await eventually(async () => {
    const [counts] = await direct.sql`select
      (select count(*)::integer from deliveries where status = 'accepted') as accepted,
      (select count(*)::integer from notifications) as pushed`;
    assert.deepEqual(counts, { accepted: 4 * EVENTS, pushed: EVENTS + PEOPLE });
  });
  const eventId = answers[0]?.headers.get("x-event-id") ?? "";
  const shown = await promisify(execFile)(process.execPath, [CLI, "event", "show", eventId], {
    env: stack.adminEnv,
  });
  assert.equal(JSON.parse(shown.stdout).tenantId, tenant.id);
  const faults = [admin, ...Object.values(stack.processes)].flatMap((process) =>
    process.logs().filter(({ err }) => err !== undefined),
  );
  assert.deepEqual(faults, []);
});
