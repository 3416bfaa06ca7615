import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { connectedDatabase } from "@belfry/testing/database";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { Database } from "./connection.ts";
import {
  countUnread,
  listNotifications,
  markAllNotificationsRead,
  markNotificationRead,
} from "./notifications.ts";

async function store(db: Database, tenantId: string, userId: string, count: number, at: Date) {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: uuidv7(),
    tenant_id: tenantId,
    user_id: userId,
    event_type: "order.confirmed",
    title: `title ${index}`,
    body: "body",
    channel_name: "personal",
    channel_offset: String(index + 1),
    created_at: at,
    read_at: null,
  }));
  await db.insertInto("notifications").values(rows).execute();
  return rows.map((row) => row.id).sort();
}

test("history is newest first, ties by id, in pages that neither repeat nor leave out", async (t) => {
  const { db } = await connectedDatabase(t);
  const ids = await store(db, "acme", "42", 5, new Date("2026-01-02T03:04:05.678Z"));
  await store(db, "acme", "43", 1, new Date());
  await store(db, "other", "42", 1, new Date());
  const owner = { tenantId: "acme", userId: "42" };
  const whole = await listNotifications(db, { ...owner, limit: 50 });
  assertEach(whole, (item) => item.id, ids.toReversed());
  assert.deepEqual(Object.keys(whole[0]!), ["id", "type", "title", "body", "status", "created_at"]);
  assert.equal(whole[0]!.created_at, "2026-01-02T03:04:05.678Z");
  const second = await listNotifications(db, { ...owner, limit: 2, offset: 2 });
  assert.deepEqual(second, whole.slice(2, 4));
  const older = await listNotifications(db, { ...owner, limit: 2, before: second[1]!.id });
  assert.deepEqual(older, whole.slice(4));
  const [foreign] = await listNotifications(db, { ...owner, tenantId: "other", limit: 1 });
  assert.deepEqual(await listNotifications(db, { ...owner, limit: 9, before: foreign!.id }), []);
});

test("an item is marked once, and only by its own user of its own tenant", async (t) => {
  const { db } = await connectedDatabase(t);
  const [first] = await store(db, "acme", "42", 3, new Date());
  const owner = { tenantId: "acme", userId: "42" };
  const mark = (change: object = {}) =>
    markNotificationRead(db, { ...owner, notificationId: first!, ...change });
  assert.equal(await mark({ userId: "43" }), "unknown");
  assert.equal(await mark({ tenantId: "other" }), "unknown");
  assert.equal(await countUnread(db, owner), 3);
  assert.equal(await mark(), "marked");
  assert.equal(await mark(), "already");
  assert.equal(await mark({ notificationId: uuidv7() }), "unknown");
  assert.equal(await countUnread(db, owner), 2);
  assert.equal(await markAllNotificationsRead(db, { ...owner, userId: "43" }), 0);
  assert.equal(await markAllNotificationsRead(db, owner), 2);
  assert.equal(await markAllNotificationsRead(db, owner), 0);
  assert.equal(await countUnread(db, owner), 0);
});

test("a whole inbox is marked, however long it is, and each item is told of once", async (t) => {
  const { db } = await connectedDatabase(t);
  const owner = { tenantId: "acme", userId: "42" };
  await sql`insert into tenants (id, name, per_minute, uses_webhooks) values ('acme', 'Acme', 0, true)`.execute(
    db,
  );
  await sql`insert into webhooks (id, tenant_id, url, secret) values (gen_random_uuid(), 'acme', 'https://a.example', '')`.execute(
    db,
  );
  await sql`
    insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset, created_at)
    select id_of_now(), 'acme', '42', 't', 't', 'b', 'personal', n, now() from generate_series(1, 5001) n`.execute(
    db,
  );
  assert.equal(await markAllNotificationsRead(db, owner), 5001);
  assert.equal(await countUnread(db, owner), 0);
  const { rows } = await sql<{ told: number }>`
    select count(distinct event_id)::integer as told from webhook_messages where type = 'notification.read'`.execute(
    db,
  );
  assert.equal(rows[0]!.told, 5001);
});
