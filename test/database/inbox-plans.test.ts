import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import {
  archiveAllNotifications,
  changeNotification,
  countUnread,
  inboxTabs,
  listNotifications,
  markAllNotificationsRead,
} from "@belfry/database/notifications";
import { connectedDatabase, databaseOver } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";
import {
  readChannelPage,
  readChannels,
  readTops,
} from "../../services/realtime-gateway/src/realtime-history.ts";

test("every query of the inbox and of recovery goes by an index, in a large database", async (t) => {
  const { pool, db } = await connectedDatabase(t);
  await pool.query(`
    insert into notifications
    select gen_random_uuid(), 'acme', (n % 500)::text, 'a.b', 't', 'b', 'personal', n / 500 + 1,
      timestamptz '2026-01-01' + n * interval '1 second', null
    from generate_series(0, 49999) n`);
  await pool.query(`
    insert into realtime_channels
    select 'acme', n::text, 'personal', 100 from generate_series(0, 499) n`);
  await pool.query(`
    update notifications
    set archived_at = case when channel_offset % 2 = 0 then now() end, read_at = case when channel_offset % 2 = 0 then now() end,
        snoozed_until = case when channel_offset % 4 = 1 then created_at end
    where user_id = '8'`);
  await pool.query("analyze notifications, realtime_channels");

  const owner = { tenantId: "acme", userId: "7" };
  const channel = { ...owner, name: "personal" };
  const [newest] = await listNotifications(db, { ...owner, limit: 50, offset: 20 });
  assert.ok(newest !== undefined);
  const reads = Array.from({ length: 50 }, (_, index) => ({
    ...{ ...channel, userId: String(index) },
    ...{ after: 90, limit: 300, partial: false },
  }));
  const works: [name: string, mostRows: number, work: (db: Database) => Promise<unknown>][] = [
    ["page", 25, (db) => listNotifications(db, { ...owner, limit: 20 })],
    ["deep page", 100, (db) => listNotifications(db, { ...owner, limit: 10, offset: 80 })],
    ["page before", 55, (db) => listNotifications(db, { ...owner, limit: 50, before: newest.id })],
    [
      "page with what was snoozed",
      105,
      async (db) =>
        assert.equal(
          (await listNotifications(db, { ...owner, userId: "8", limit: 20 })).length,
          20,
        ),
    ],
    [
      "page of a category",
      105,
      (db) => listNotifications(db, { ...owner, category: "x", limit: 9 }),
    ],
    ["tabs", 105, (db) => inboxTabs(db, owner)],
    ["unread", 105, async (db) => assert.equal(await countUnread(db, owner), 100)],
    [
      "mark",
      5,
      (db) => changeNotification(db, { ...owner, notificationId: newest.id }, { read: true }),
    ],
    [
      "mark all of a category",
      205,
      (db) => markAllNotificationsRead(db, { ...owner, category: "x" }),
    ],
    ["mark all", 300, (db) => markAllNotificationsRead(db, owner)],
    [
      "archive all of a category",
      205,
      (db) => archiveAllNotifications(db, { ...owner, category: "x" }),
    ],
    [
      ...(["archive all", 300] as const),
      async (db) => assert.equal(await archiveAllNotifications(db, owner), 100),
    ],
    [
      ...(["recovery", 550] as const),
      async (db) => assert.equal((await readChannels(db, reads))[49]?.publications.length, 10),
    ],
    ["channel page", 15, (db) => readChannelPage(db, { ...channel, limit: 10, reverse: true })],
    ["tops", 55, (db) => readTops(db, reads)],
  ];
  const tables = ["notifications", "realtime_channels"];
  for (const [name, mostRows, work] of works) {
    await readsAtMost(pool, mostRows, tables, (client) => work(databaseOver(client)), name);
  }
});
