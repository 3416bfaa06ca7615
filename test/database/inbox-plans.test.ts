import assert from "node:assert/strict";
import { test } from "node:test";
import { createPool } from "@belfry/database/connection";
import {
  countUnread,
  listNotifications,
  markAllNotificationsRead,
  markNotificationRead,
} from "@belfry/database/notifications";
import type { Schema } from "@belfry/database/schema";
import { createTestDatabase } from "@belfry/testing/postgres";
import { type CompiledQuery, Kysely, PostgresDialect } from "kysely";
import {
  readChannelPage,
  readChannels,
  readTops,
} from "../../services/realtime-gateway/feed/realtime-history.ts";

test("every query of the inbox and of recovery goes by an index, in a large database", async (t) => {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, applicationName: "test" });
  const asked: CompiledQuery[] = [];
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: (event) => void asked.push(event.query),
  });
  t.after(async () => {
    await db.destroy();
    await database[Symbol.asyncDispose]();
  });
  await pool.query(`
    insert into notifications
    select gen_random_uuid(), 'acme', (n % 500)::text, 'a.b', 't', 'b', 'personal', n / 500 + 1,
      timestamptz '2026-01-01' + n * interval '1 second', null
    from generate_series(0, 49999) n`);
  await pool.query(`
    insert into realtime_channels
    select 'acme', n::text, 'personal', 100 from generate_series(0, 499) n`);
  await pool.query("analyze notifications, realtime_channels");

  const owner = { tenantId: "acme", userId: "7" };
  const channel = { ...owner, name: "personal" };
  const [newest] = await listNotifications(db, { ...owner, limit: 50, offset: 20 });
  assert.ok(newest !== undefined);
  await listNotifications(db, { ...owner, limit: 50, before: newest.id });
  assert.equal(await countUnread(db, owner), 100);
  await markNotificationRead(db, { ...owner, notificationId: newest.id });
  await markAllNotificationsRead(db, owner);
  const reads = Array.from({ length: 50 }, (_, index) => ({
    ...channel,
    userId: String(index),
    after: 90,
    limit: 300,
    partial: false,
  }));
  assert.equal((await readChannels(db, reads))[49]?.publications.length, 10);
  await readChannelPage(db, { ...channel, limit: 10, reverse: true });
  await readTops(db, reads);

  for (const { sql, parameters } of asked.slice()) {
    const { rows } = await pool.query(`explain ${sql}`, [...parameters]);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    assert.doesNotMatch(plan, /Seq Scan on (notifications|realtime_channels)/, `${sql}\n${plan}`);
  }
});
