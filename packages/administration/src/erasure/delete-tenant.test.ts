import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import { acceptEvents } from "@belfry/database/functions/accept-events";
import { assertEach } from "@belfry/testing/assert-each";
import { connectedDatabase } from "@belfry/testing/database";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { sql } from "kysely";
import { actsIn } from "../../test/acts.ts";
import { testDatabase } from "../../test/database.ts";
import { ADA, storeEvent } from "../../test/person.ts";
import { putTemplate } from "../../test/templates.ts";
import { NotFound } from "../input-error.ts";
import { prepareTemplate, savePreparedTemplate } from "../templates/put-template.ts";
import { holdOwner } from "../templates/template-rows.ts";
import { allTenants, deleteLimits, deleteTenantRow } from "../tenants/tenant-rows.ts";
import { createTenant, setTenantActive } from "../tenants/tenants.ts";
import { putUser } from "../users/users.ts";
import { deleteTenant, deleteTenantData } from "./delete-tenant.ts";
import { erasedUser } from "./erase-user.ts";

const ACTOR = { personId: null, person: "command line (root)", address: "host" };
const TABLES = [
  "events",
  "undispatched_events",
  "deliveries",
  "attempts",
  "notifications",
  "outbox",
  "receipts",
  "realtime_channels",
  "dedup_keys",
  "recipients",
  "preferences",
  "webhook_messages",
] as const;

test("a deleted tenant leaves nothing behind, and another tenant loses nothing", async (t) => {
  const db = await testDatabase(t);
  const gone = await createTenant(db, { name: "Gone" });
  const stays = await createTenant(db, { name: "Stays" });
  for (const { id } of [gone, stays]) {
    await storeTraces(db, id);
    await putTemplate(db, { tenantId: id, eventType: "a", channel: "SMS", content: "Hi" });
    await storeFigures(db, id);
  }
  const before = await counts(db);
  const report = await deleteTenant(db, gone.id, ACTOR);
  const deleted = { events: 2, deliveries: 2, notifications: 1, outboxMessages: 2 };
  assert.deepEqual(report.deleted, deleted);
  const halves = Object.fromEntries(Object.entries(before).map(([table, n]) => [table, n / 2]));
  assert.deepEqual(await counts(db), halves);
  assertEach(await allTenants(db), (tenant) => tenant.id, [stays.id]);
  const templates = await db
    .selectFrom("templates")
    .select("tenant_id")
    .where("tenant_id", "!=", "platform")
    .execute();
  assert.deepEqual(templates, [{ tenant_id: stays.id }]);
  const figures = await db.selectFrom("activity_sums").select(["tenant_id", "name"]).execute();
  const left = figures.map((row) => `${row.tenant_id} ${row.name}`).sort();
  assert.deepEqual(left, [`${stays.id} EMAIL`, `platform ${stays.id}`].sort());
  await assert.rejects(deleteTenant(db, gone.id, ACTOR), NotFound);
});

/** Its own, and its part of those of all tenants. */
async function storeFigures(db: Database, tenantId: string): Promise<void> {
  const bar = { bar_seconds: 300, starts_at: new Date("2026-01-01T00:00:00Z"), sent: 1 };
  await db
    .insertInto("activity_sums")
    .values([
      { ...bar, tenant_id: tenantId, grouped_by: "channel", name: "EMAIL" },
      { ...bar, tenant_id: "platform", grouped_by: "tenant", name: tenantId },
    ])
    .execute();
}

test("the audit log says that a tenant was deleted, and holds nothing of its users", async (t) => {
  const db = await testDatabase(t);
  const { id } = await createTenant(db, { name: "Gone" });
  await actsIn(db, id)(putUser, { userId: "ann", email: "ann@example.com" });
  await deleteTenant(db, id, ACTOR);
  const rows = await db
    .selectFrom("audit_log")
    .select(["action", "target", "after"])
    .where("tenant_id", "=", id)
    .orderBy("id")
    .execute();
  assert.deepEqual(rows, [
    {
      ...{ action: "user.create", after: null },
      target: erasedUser({ tenantId: id, userId: "ann" }),
    },
    { action: "tenant.delete", target: "Gone", after: null },
  ]);
});

test("what is published while its tenant's row is deleted does not stay behind", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  const { id: tenantId } = await createTenant(db, { name: "Gone" });
  const input = { tenantId, channel: "SMS", content: "Hi" } as const;
  await putTemplate(db, { ...input, eventType: "a" });
  const again = await prepareTemplate(db, { ...input, eventType: "a", content: "New" });
  const other = await prepareTemplate(db, { ...input, eventType: "b" });
  const deleting = Promise.withResolvers<boolean>();
  await db.transaction().execute(async (publishing) => {
    await holdOwner(publishing, tenantId);
    const deleted = db
      .transaction()
      .execute((transaction) => deleteTenantRow(transaction, tenantId));
    deleted.then(deleting.resolve, deleting.reject);
    await untilBlocked(pool);
    await savePreparedTemplate(publishing, again);
    await savePreparedTemplate(publishing, other);
  });
  assert.equal(await deleting.promise, true);
  const left = await db
    .selectFrom("templates")
    .select("event_type")
    .where("tenant_id", "=", tenantId)
    .execute();
  assert.deepEqual(left, []);
  await assert.rejects(savePreparedTemplate(db, other), NotFound);
});

test("while a tenant's row is deleted, the events of others in the same batch are accepted", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  const [gone, other] = [
    await createTenant(db, { name: "Gone" }),
    await createTenant(db, { name: "Other" }),
  ].map(({ id }) => id);
  const batch = [gone!, other!].toSorted().map((tenantId) => ({
    ...{ tenantId, dedupKey: hash("sha256", randomUUID()), id: randomUUID(), eventType: "a" },
    ...{ userId: "u", reference: null, recipientEmail: null, recipientPhone: null },
    ...{ variables: null, traceId: "t", options: null },
  }));
  const outcomes = async () => {
    const results = await acceptEvents(pool, batch);
    return Object.fromEntries(results.map(({ outcome }, at) => [batch[at]!.tenantId, outcome]));
  };
  await setTenantActive(db, gone!, false);
  await deleteLimits(db, gone!);
  await db.transaction().execute(async (deleting) => {
    await deleteTenantRow(deleting, gone!);
    assert.deepEqual(await outcomes(), { [gone!]: "inactive", [other!]: "accepted" });
    await sql`rollback`.execute(deleting);
  });
  // An interrupted deletion: an operator may activate the tenant again.
  await setTenantActive(db, gone!, true);
  assert.deepEqual(await outcomes(), { [gone!]: "accepted", [other!]: "replayed" });
});

test("a tenant's data goes in batches until none is left", async (t) => {
  const db = await testDatabase(t);
  await db.insertInto("tenants").values({ id: "many", name: "Many", per_minute: 1 }).execute();
  for (let event = 0; event < 5; event += 1) {
    await storeTraces(db, "many");
    const of = { tenant_id: "many", user_id: `u${event}` };
    await db.insertInto("recipients").values(of).execute();
    await db
      .insertInto("preferences")
      .values({ ...of, category: "*", channel: "*", enabled: false, source: "api" })
      .execute();
  }
  const deleted = await deleteTenantData(db, "many", { batchRows: 2 });
  assert.deepEqual(deleted, { events: 10, deliveries: 10, notifications: 5, outboxMessages: 10 });
  assert.ok(Object.values(await counts(db)).every((rows) => rows === 0));
});

/** Stores the rows of events of both kinds, and of a webhook message. */
async function storeTraces(db: Database, tenantId: string): Promise<void> {
  await storeEvent(db, tenantId, ADA);
  await storeEvent(db, tenantId, ADA, { dispatched: false });
  const id = randomUUID();
  await sql`
    with m as (
      insert into webhook_messages (id, webhook_id, tenant_id, type, payload)
      values (${id}, gen_random_uuid(), ${tenantId}, 'webhook.test', '{}')),
    d as (
      insert into deliveries (id, event_id, tenant_id, channel)
      values (${id}, ${id}, ${tenantId}, 'WEBHOOK'))
    insert into attempts (delivery_id, number, provider_kind, started_at)
    values (${id}, 1, 'webhook', now())`.execute(db);
}

async function counts(db: Database): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of TABLES) {
    const { n } = await db
      .selectFrom(table)
      .select((select) => select.fn.countAll<string>().as("n"))
      .executeTakeFirstOrThrow();
    found[table] = Number(n);
  }
  return found;
}
