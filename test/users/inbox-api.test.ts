import assert from "node:assert/strict";
import { test } from "node:test";
import { actsIn } from "@belfry/administration/test/acts";
import { assignCategory, putCategory } from "@belfry/administration/users/categories";
import { createClient } from "@belfry/client";
import { assertEach } from "@belfry/testing/assert-each";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { type Asked, ask } from "../openapi/ask.ts";

const ingest = await startIngest(wholeFile());
const TOMORROW = "2999-01-01T09:00:00+01:00";
const NOBODYS = "0198c0de-0000-7000-8000-000000000000";

/** A tenant with a user who has two notifications; `first` is the older one. */
async function setUp() {
  const [tenant, other] = [await ingest.createTenant(), await ingest.createTenant()];
  const client = createClient({
    ...{ baseUrl: ingest.url, apiKey: tenant.apiKey, tenantId: tenant.id },
  });
  await ingest.pool.query(
    `insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset, created_at)
     select gen_random_uuid(), $1, 'ann', 'order.confirmed', 'n' || n, 'b', 'personal', n, now() - (3 - n) * interval '1 minute'
     from generate_series(1, 2) n`,
    [tenant.id],
  );
  const [second, first] = (await client.history("ann")).map(({ id }) => id) as [string, string];
  const path = `/api/v1/notifications/${tenant.id}/ann`;
  const send = (asked: Omit<Asked, "key">, key: string = tenant.apiKey) =>
    ask(ingest.url, { ...asked, key });
  const titles = async (view?: "inbox" | "archived" | "snoozed" | "all") =>
    (await client.history("ann", view === undefined ? {} : { view })).map(({ title }) => title);
  /** Refused of another user, another tenant, and of no item at all. */
  const isScoped = async (method: string, body?: object) => {
    const of = (at: string) => ({ method, path: at, body });
    assert.equal((await send(of(`${path}/${NOBODYS}`))).status, 404);
    assert.equal((await send(of(`${path}/no-id`))).status, 404);
    assert.equal((await send(of(`${path.replace("ann", "bob")}/${first}`))).status, 404);
    assert.equal((await send(of(`${path}/${first}`), other.apiKey)).status, 403);
    const theirs = `${path.replace(tenant.id, other.id)}/${first}`;
    assert.equal((await send(of(theirs), other.apiKey)).status, 404);
  };
  return { tenant, other, client, first, second, path, send, titles, isScoped };
}

test("PATCH archives, and gives back what was unread as unread", async () => {
  const { client, first, titles, isScoped } = await setUp();
  for (const _ of [1, 2]) await client.changeNotification("ann", first, { archived: true });
  assert.deepEqual([await titles(), await titles("archived")], [["n2"], ["n1"]]);
  assert.equal(await client.unreadCount("ann"), 1);
  const [archived] = await client.history("ann", { view: "archived" });
  assert.equal(archived?.status, "READ");
  assert.ok(Date.parse(archived?.archived_at ?? "") > 0);
  await client.changeNotification("ann", first, { archived: false });
  assert.deepEqual([await titles(), await titles("archived")], [["n2", "n1"], []]);
  assert.equal(await client.unreadCount("ann"), 2);
  await isScoped("PATCH", { archived: true });
});

test("PATCH snoozes until a time, and null or a time that is past brings it back on top", async () => {
  const { client, first, path, send, titles } = await setUp();
  await client.markRead("ann", first);
  await client.changeNotification("ann", first, { snoozedUntil: TOMORROW });
  assert.deepEqual([await titles(), await titles("snoozed")], [["n2"], ["n1"]]);
  assert.equal(await client.unreadCount("ann"), 1);
  const past = new Date(Date.now() - 1).toISOString();
  await client.changeNotification("ann", first, { snoozedUntil: past });
  assert.deepEqual([await titles(), await titles("snoozed")], [["n1", "n2"], []]);
  assert.equal(await client.unreadCount("ann"), 2, "it is unread again");
  for (const far of ["9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59"]) {
    await client.changeNotification("ann", first, { snoozedUntil: far });
    assert.equal((await titles("all")).length, 2, far);
  }
  await client.changeNotification("ann", first, { snoozedUntil: null });
  assert.deepEqual(await titles(), ["n2", "n1"]);
  const bad: [unknown, RegExp][] = [
    [{}, /exactly one of read, archived, snoozedUntil/],
    [{ read: true, archived: true }, /exactly one of/],
    [{ deleted: true }, /exactly one of/],
    [{ archived: "yes" }, /archived must be true or false/],
    [{ snoozedUntil: "tomorrow" }, /snoozedUntil must be a time/],
    [[], /must be an object/],
  ];
  for (const [body, message] of bad) {
    const answer = await send({ method: "PATCH", path: `${path}/${first}`, body });
    assert.equal(answer.status, 422, JSON.stringify(body));
    assert.match(String(answer.body.message), message);
  }
});

test("PATCH marks unread, as PUT marks read", async () => {
  const { client, first, path, send } = await setUp();
  await client.markRead("ann", first);
  assert.equal(await client.unreadCount("ann"), 1);
  await client.changeNotification("ann", first, { read: false });
  assert.equal(await client.unreadCount("ann"), 2);
  const body = { read: true };
  assert.equal((await send({ method: "PATCH", path: `${path}/${first}`, body })).status, 200);
  assert.equal(await client.unreadCount("ann"), 1);
});

test("DELETE takes an item out of every list", async () => {
  const { client, first, titles, isScoped } = await setUp();
  await client.deleteNotification("ann", first);
  for (const view of ["inbox", "archived", "snoozed"] as const) {
    assert.equal((await titles(view)).includes("n1"), false, view);
  }
  assert.deepEqual(await titles("all"), ["n2"]);
  assert.equal(await client.unreadCount("ann"), 1);
  await assert.rejects(client.deleteNotification("ann", first), { status: 404 });
  await assert.rejects(client.changeNotification("ann", first, { read: false }), { status: 404 });
  await isScoped("DELETE");
});

test("GET unread-count and PUT read concern the whole inbox of this user, and what is snoozed stays unread", async () => {
  const { other, client, first, path, send } = await setUp();
  await client.changeNotification("ann", first, { snoozedUntil: TOMORROW });
  assert.equal(await client.markAllRead("bob"), 0);
  assert.equal(await client.unreadCount("ann"), 1);
  assert.equal(await client.markAllRead("ann"), 1);
  assert.equal(await client.markAllRead("ann"), 0);
  const [snoozed] = await client.history("ann", { view: "snoozed" });
  assert.equal(snoozed?.status, "UNREAD");
  for (const [method, at] of [
    ["GET", `${path}/unread-count`],
    ["GET", `${path}/tabs`],
    ["PUT", `${path}/read`],
    ["PUT", `${path}/archived`],
  ] as const) {
    assert.equal((await send({ method, path: at }, other.apiKey)).status, 403);
    assert.equal((await send({ method, path: at }, "bf_wrong")).status, 401);
  }
});

test("GET tabs counts what is unread by category; PUT read and PUT archived take one category, or everything", async () => {
  const { tenant, client, first, second, path, send, titles } = await setUp();
  const run = actsIn(ingest.db, tenant.id);
  await run(putCategory, { key: "orders", label: { "": "Orders" } });
  await run(putCategory, { key: "offers", label: { "": "Offers" } });
  await run(assignCategory, { eventType: "order.confirmed", category: "orders" });
  await run(assignCategory, { eventType: "offer", category: "offers" });
  await ingest.pool.query("update notifications set event_type = 'offer' where id = $1", [first]);
  const tabs = async () => {
    const { categories, ...rest } = await client.inboxTabs("ann");
    return { ...rest, unread: categories.map(({ key, unread }) => `${key} ${unread}`) };
  };
  const none = { archived: false, snoozed: false };
  assert.deepEqual(await tabs(), { ...none, unread: ["offers 1", "orders 1"] });
  assert.equal(await client.markAllRead("ann", { category: "offers" }), 1);
  assert.deepEqual(await tabs(), { ...none, unread: ["offers 0", "orders 1"] });
  assert.equal(await client.archiveAll("bob"), 0);
  assert.equal(await client.archiveAll("ann", { category: "offers" }), 1);
  assert.deepEqual(await tabs(), { archived: true, snoozed: false, unread: ["orders 1"] });
  assert.equal(await client.archiveAll("ann"), 1);
  assert.equal(await client.archiveAll("ann"), 0);
  assert.deepEqual([await titles(), await titles("archived")], [[], ["n2", "n1"]]);
  assert.equal(await client.unreadCount("ann"), 0);
  await client.changeNotification("ann", second, { archived: false });
  assert.equal(await client.unreadCount("ann"), 1);
  for (const at of ["read", "archived"]) {
    const bad = await send({ method: "PUT", path: `${path}/${at}?category=%00` });
    assert.equal(bad.status, 422);
    assert.match(String(bad.body.message), /category must be 1 to 64 of/);
    assert.equal(
      (await send({ method: "PUT", path: `${path}/${at}?category=nobodys` })).status,
      200,
    );
  }
  assert.equal(await client.unreadCount("ann"), 1);
});

test("GET lists by view and by category; an unknown view or category is no list of everything", async () => {
  const { tenant, client, path, send } = await setUp();
  const run = actsIn(ingest.db, tenant.id);
  await run(putCategory, { key: "orders", label: { "": "Orders" } });
  await run(putCategory, { key: "offers", label: { "": "Offers" } });
  await run(assignCategory, { eventType: "order.confirmed", category: "orders" });
  const orders = await client.history("ann", { category: "orders" });
  assertEach(orders, ({ title }) => title, ["n2", "n1"]);
  assert.deepEqual(await client.history("ann", { category: "offers" }), []);
  assert.deepEqual(await client.history("ann", { category: "none" }), []);
  for (const query of ["view=trash", "category=A%00B", "view=inbox&view=all"]) {
    assert.equal((await send({ method: "GET", path: `${path}?${query}` })).status, 422, query);
  }
});
