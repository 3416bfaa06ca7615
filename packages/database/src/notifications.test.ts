import assert from "node:assert/strict";
import { test } from "node:test";
import type { InboxView } from "@belfry/contracts/notification";
import { assertEach } from "@belfry/testing/assert-each";
import { connectedDatabase } from "@belfry/testing/database";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { Database } from "./connection.ts";
import {
  archiveAllNotifications,
  changeNotification,
  countUnread,
  inboxTabs,
  listNotifications,
  markAllNotificationsRead,
  type NotificationChange,
  type Owner,
  readUnread,
} from "./notifications.ts";

/** An integer below `most`, the same in every run. */
function randomOf(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
}

const change = (db: Database, owner: Owner, notificationId: string, wanted: NotificationChange) =>
  changeNotification(db, { ...owner, notificationId }, wanted);

async function store(
  db: Database,
  tenantId: string,
  userId: string,
  count: number,
  at: Date,
  after = 0,
) {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: uuidv7(),
    tenant_id: tenantId,
    user_id: userId,
    event_type: "order.confirmed",
    title: `title ${index}`,
    body: "body",
    channel_name: "personal",
    channel_offset: String(after + index + 1),
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
    changeNotification(db, { ...owner, notificationId: first!, ...change }, { read: true });
  assert.equal(await mark({ userId: "43" }), "unknown");
  assert.equal(await mark({ tenantId: "other" }), "unknown");
  assert.equal(await countUnread(db, owner), 3);
  assert.equal(await mark(), "changed");
  assert.equal(await mark(), "already");
  assert.equal(await mark({ notificationId: uuidv7() }), "unknown");
  assert.equal(await countUnread(db, owner), 2);
  assert.equal(await markAllNotificationsRead(db, { ...owner, userId: "43" }), 0);
  assert.equal(await markAllNotificationsRead(db, owner), 2);
  assert.equal(await markAllNotificationsRead(db, owner), 0);
  assert.equal(await countUnread(db, owner), 0);
});

test("the unread count and every view say the same after 1,000 random changes, whoever else has an inbox", async (t) => {
  const { db } = await connectedDatabase(t);
  const owner = { tenantId: "acme", userId: "42" };
  const start = Date.now() - 3_600_000;
  const ids: string[] = [];
  for (let at = 0; at < 12; at += 1) {
    ids.push(...(await store(db, "acme", "42", 1, new Date(start + at), at)));
  }
  const [foreign] = await store(db, "acme", "43", 1, new Date());
  /** The expected state of each item; `at`: the time by which it is listed. */
  interface Item {
    id: string;
    at: number;
    read: boolean;
    archived: boolean;
    readByArchive: boolean;
    snoozed: "no" | "yes" | "back";
  }
  const items = new Map(
    ids.map((id, at): [string, Item] => [
      id,
      { id, at: start + at, read: false, archived: false, readByArchive: false, snoozed: "no" },
    ]),
  );
  const created = new Map([...items.values()].map(({ id, at }) => [id, at]));
  const archive = (item: Item) => ({
    ...item,
    ...{ archived: true, read: true, snoozed: "no" as const, at: created.get(item.id)! },
    readByArchive: item.archived ? item.readByArchive : !item.read,
  });
  const operations: Record<string, (item: Item) => [NotificationChange, Item]> = {
    read: (item) => [{ read: true }, { ...item, read: true }],
    unread: (item) => [{ read: false }, { ...item, read: false, archived: false }],
    archive: (item) => [{ archived: true }, archive(item)],
    unarchive(item) {
      const read = item.archived ? !item.readByArchive : item.read;
      return [{ archived: false }, { ...item, read, archived: false }];
    },
    snooze(item) {
      const at = Date.now() + 3_600_000;
      const next = { ...item, at, read: false, archived: false, snoozed: "yes" as const };
      return [{ snoozedUntil: new Date(at) }, next];
    },
    wake: (item) => [{ snoozedUntil: null }, { ...item, snoozed: "no", at: created.get(item.id)! }],
  };
  const names = Object.keys(operations);
  const random = randomOf(36);
  for (let turn = 0; turn < 1000; turn += 1) {
    const item = items.get(ids[random(ids.length)]!);
    const name = names[random(names.length)]!;
    if (turn % 250 === 249) {
      const listed = [...items.values()].filter((one) => !one.archived && one.snoozed !== "yes");
      assert.equal(await archiveAllNotifications(db, owner), listed.length);
      for (const one of listed) items.set(one.id, archive(one));
    } else if (turn % 200 === 199 && item !== undefined) {
      assert.equal(await change(db, owner, item.id, { deleted: true }), "changed");
      items.delete(item.id);
      assert.equal(await change(db, owner, item.id, { read: false }), "unknown");
    } else if (turn % 50 === 49) {
      await markAllNotificationsRead(db, owner);
      for (const one of items.values()) {
        if (one.snoozed !== "yes") items.set(one.id, { ...one, read: true });
      }
    } else if (item?.snoozed === "yes" && turn % 3 === 0) {
      // Its time has come.
      const at = Date.now() - 1;
      await sql`update notifications set snoozed_until = ${new Date(at)} where id = ${item.id}`.execute(
        db,
      );
      items.set(item.id, { ...item, at, snoozed: "back" });
    } else if (item !== undefined) {
      const [wanted, next] = operations[name]!(item);
      assert.notEqual(await change(db, owner, item.id, wanted), "unknown", name);
      items.set(item.id, next);
    }
    const newestFirst = [...items.values()].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
    const views: Record<InboxView, Item[]> = {
      inbox: newestFirst.filter((one) => !one.archived && one.snoozed !== "yes"),
      archived: newestFirst.filter((one) => one.archived),
      snoozed: newestFirst.filter((one) => one.snoozed === "yes"),
      all: newestFirst,
    };
    for (const [view, expected] of Object.entries(views) as [InboxView, Item[]][]) {
      if (view !== "inbox" && turn % 20 > 0) continue;
      const listed = await listNotifications(db, { ...owner, view, limit: 50 });
      assert.deepEqual(
        listed.map(({ id, status }) => [id, status]),
        expected.map(({ id, read }) => [id, read ? "READ" : "UNREAD"]),
        `${view} after ${name}, turn ${turn}`,
      );
      const unread = listed.filter(({ status }) => status === "UNREAD").length;
      if (view === "inbox") assert.equal(await countUnread(db, owner), unread);
      else {
        const page = { ...owner, view, limit: 4, before: listed[1]?.id };
        if (listed.length > 1)
          assert.deepEqual(await listNotifications(db, page), listed.slice(2, 6));
      }
    }
  }
  assert.ok(items.size < ids.length && items.size > 0);
  assert.equal(await change(db, owner, foreign!, { archived: true }), "unknown");
});

test("what is deleted leaves no text behind, counts as read, and is told of once", async (t) => {
  const { db } = await connectedDatabase(t);
  const owner = { tenantId: "acme", userId: "42" };
  const [first = ""] = await store(db, "acme", "42", 1, new Date());
  await sql`update notifications set url = '/secret', actions = '[]'`.execute(db);
  assert.equal(await change(db, owner, first, { deleted: true }), "changed");
  assert.equal(await change(db, owner, first, { deleted: true }), "unknown");
  const { title, body, url, actions, read_at } = await db
    .selectFrom("notifications")
    .selectAll()
    .executeTakeFirstOrThrow();
  assert.deepEqual([title, body, url, actions, read_at !== null], ["", "", null, null, true]);
});

/** Categories of two tenants, and a user of the first who has two orders and a notification of no category. */
async function storeCategories(db: Database) {
  await sql`insert into tenants (id, name, per_minute) values ('acme', 'Acme', 1), ('other', 'O', 1)`.execute(
    db,
  );
  await sql`
    insert into categories (tenant_id, key, label, description, position)
    values ('acme', 'none', '{"": "None"}', '{}', 0), ('acme', 'orders', '{"": "Orders"}', '{}', 1),
           ('other', 'theirs', '{"": "Theirs"}', '{}', 0)`.execute(db);
  await sql`
    insert into event_type_categories values
      ('acme', 'order.confirmed', 'orders'), ('acme', 'x', 'none'), ('other', 'order.confirmed', 'theirs')`.execute(
    db,
  );
  const owner = { tenantId: "acme", userId: "42" };
  const [first = "", second = ""] = await store(db, "acme", "42", 2, new Date());
  await store(db, "acme", "42", 1, new Date(), 2);
  await sql`update notifications set event_type = 'free' where channel_offset = 3`.execute(db);
  return { owner, first, second };
}

test("the tabs are those categories that have something in the inbox, each with how much of it is unread", async (t) => {
  const { db } = await connectedDatabase(t);
  const { owner, first, second } = await storeCategories(db);
  const orders = (unread: number) => ({ key: "orders", label: { "": "Orders" }, unread });
  const none = { archived: false, snoozed: false };
  assert.deepEqual(await inboxTabs(db, owner), { categories: [orders(2)], ...none });
  const listed = { ...owner, limit: 9 };
  assert.equal((await listNotifications(db, { ...listed, category: "orders" })).length, 2);
  assert.deepEqual(await listNotifications(db, { ...listed, category: "none" }), []);
  assert.deepEqual(await listNotifications(db, { ...listed, category: "theirs" }), []);
  await change(db, owner, first, { read: true });
  assert.deepEqual(await inboxTabs(db, owner), { categories: [orders(1)], ...none });
  await change(db, owner, second, { snoozedUntil: new Date(Date.now() + 60_000) });
  const { returnsInMs } = await readUnread(db, owner);
  assert.ok(returnsInMs !== null && returnsInMs > 0 && returnsInMs <= 60_000);
  assert.deepEqual(await inboxTabs(db, owner), { ...none, categories: [orders(0)], snoozed: true });
  await change(db, owner, first, { archived: true });
  const away = { archived: true, snoozed: true };
  assert.deepEqual(await inboxTabs(db, owner), { categories: [], ...away });
  // Its time has come.
  await sql`update notifications set snoozed_until = now() where id = ${second}`.execute(db);
  const back = { categories: [orders(1)], archived: true, snoozed: false };
  assert.deepEqual(await inboxTabs(db, owner), back);
  await change(db, owner, second, { deleted: true });
  await change(db, owner, first, { deleted: true });
  assert.deepEqual(await inboxTabs(db, owner), { categories: [], ...none });
  assert.deepEqual(await inboxTabs(db, { ...owner, userId: "43" }), { categories: [], ...none });
});

test("what is marked or archived at once is the inbox, or what it has of a category, and nobody else's", async (t) => {
  const { db } = await connectedDatabase(t);
  const { owner, first, second } = await storeCategories(db);
  await change(db, owner, second, { snoozedUntil: new Date(Date.now() + 60_000) });
  for (const all of [markAllNotificationsRead, archiveAllNotifications]) {
    for (const category of ["none", "theirs", "gone", "' or true --"]) {
      assert.equal(await all(db, { ...owner, category }), 0, category);
    }
    assert.equal(await all(db, { ...owner, userId: "43" }), 0);
    assert.equal(await all(db, { ...owner, tenantId: "other", category: "theirs" }), 0);
  }
  const orders = { ...owner, category: "orders" };
  assert.equal(await countUnread(db, owner), 2);
  assert.equal(await markAllNotificationsRead(db, orders), 1);
  assert.equal(await countUnread(db, owner), 1);
  assert.equal(await archiveAllNotifications(db, orders), 1);
  assert.equal(await archiveAllNotifications(db, orders), 0, "what is snoozed stays");
  const ids = async (view: InboxView) =>
    (await listNotifications(db, { ...owner, view, limit: 9 })).map(({ id }) => id);
  assert.deepEqual([await ids("archived"), await ids("snoozed")], [[first], [second]]);
  assert.equal(await archiveAllNotifications(db, owner), 1);
  assert.deepEqual([await ids("inbox"), await countUnread(db, owner)], [[], 0]);
  const [free = ""] = (await ids("archived")).filter((id) => id !== first);
  await change(db, owner, free, { archived: false });
  assert.equal(await countUnread(db, owner), 1, "out of the archive it is unread again");
});

for (const [name, changeAll] of [
  ["marked", markAllNotificationsRead],
  ["archived", archiveAllNotifications],
] as const)
  test(`a whole inbox is ${name}, however long it is, and each item is told of once`, async (t) => {
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
    const [read = ""] = await store(db, "acme", "42", 1, new Date(), 5001);
    await sql`update notifications set read_at = now() where id = ${read}`.execute(db);
    const isArchived = name === "archived";
    assert.equal(await changeAll(db, owner), isArchived ? 5002 : 5001);
    assert.equal(await countUnread(db, owner), 0);
    const { rows } = await sql<{ told: number }>`
    select count(distinct event_id)::integer as told from webhook_messages where type = 'notification.read'`.execute(
      db,
    );
    assert.equal(rows[0]!.told, 5001, "what was read already is not told of again");
  });

test("archiving all races with itself, with marking all and with what arrives: each item counts and is told of once", async (t) => {
  const { db } = await connectedDatabase(t, { maxConnections: 8 });
  const owner = { tenantId: "acme", userId: "42" };
  await sql`insert into tenants (id, name, per_minute, uses_webhooks) values ('acme', 'Acme', 0, true)`.execute(
    db,
  );
  await sql`insert into webhooks (id, tenant_id, url, secret) values (gen_random_uuid(), 'acme', 'https://a.example', '')`.execute(
    db,
  );
  const arrived: string[] = [];
  let archived = 0;
  for (let round = 0; round < 5; round += 1) {
    const counts = await Promise.all([
      archiveAllNotifications(db, owner),
      store(db, "acme", "42", 200, new Date(), arrived.length).then((ids) => {
        arrived.push(...ids);
        return 0;
      }),
      archiveAllNotifications(db, owner),
      markAllNotificationsRead(db, owner).then(() => 0),
      archiveAllNotifications(db, owner),
    ]);
    archived += counts.reduce((all, count) => all + count, 0);
  }
  archived += await archiveAllNotifications(db, owner);
  assert.equal(archived, arrived.length);
  assert.deepEqual(await readUnread(db, owner), { unread: 0, returnsInMs: null });
  const { rows } = await sql<{ told: number; events: number }>`
    select count(*)::integer as told, count(distinct event_id)::integer as events
    from webhook_messages where type = 'notification.read'`.execute(db);
  assert.deepEqual(rows, [{ told: arrived.length, events: arrived.length }]);
});
