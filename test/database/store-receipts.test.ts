import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import {
  countReplayable,
  deadGroups,
  requeueDead,
} from "@belfry/administration/dead-letters/dead-letter-rows";
import type { Pool } from "@belfry/database/connection";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { settleDeliveries } from "@belfry/database/functions/settle-deliveries";
import { storeReceipts } from "@belfry/database/functions/store-receipts";
import { connectedDatabase, databaseOver } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";
import { receipt, settlement } from "./settlement.ts";

/**
 * So many that reading a whole table costs several times what reading 200 rows by index does: at 20,000 the two
 * cost about the same, and the planner may rightly take either.
 */
const ROWS = 80_000;
const ORIGIN = { tenantId: "a", channels: ["EMAIL"], providerKind: "sendgrid" } as const;

async function filled(t: TestContext, rows: number, status: string): Promise<Pool> {
  const { pool } = await connectedDatabase(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 600)");
  await pool.query(
    `with e as (
       insert into events (id, tenant_id, event_type, user_id, recipient_email, variables, trace_id, accepted_at, dispatched_at)
       select gen_random_uuid(), 'a', 'x', 'u', 'user' || n || '@example.com', '{}', 't', now(), now()
       from generate_series(1, $1::integer) n returning id, recipient_email)
     insert into deliveries (id, event_id, tenant_id, channel, recipient, status, template_version_id, due_at, released_at, settled_at)
     select gen_random_uuid(), e.id, 'a', 'EMAIL', e.recipient_email, $2, (select min(id) from template_versions),
            case when $2 = 'queued' then now() end, case when $2 = 'queued' then now() end, now() from e`,
    [rows, status],
  );
  await pool.query("analyze");
  return pool;
}

async function someIds(pool: Pool, count: number): Promise<string[]> {
  const { rows } = await pool.query("select id from deliveries order by id limit $1", [count]);
  return rows.map((row) => row.id);
}

test("receipts of many deliveries read their own rows by index", async (t) => {
  const pool = await filled(t, ROWS, "accepted");
  const ids = await someIds(pool, 200);
  const receipts = ids.map((id) => receipt(id, { kind: "bounced", suppress: "bounced" }));
  const tables = ["deliveries", "events", "receipts", "suppressions"];
  await readsAtMost(pool, 2000, tables, async (client) => {
    assert.deepEqual(await storeReceipts(client, ORIGIN, receipts), { fresh: 200, moved: 200 });
  });
});

test("the same receipts from several replicas in any order are stored once, without a deadlock", async (t) => {
  const pool = await filled(t, 40, "accepted");
  const ids = await someIds(pool, 40);
  const receipts = ids.flatMap((id) => [
    receipt(id),
    receipt(id, { kind: "bounced", suppress: "bounced" }),
  ]);
  const stored = await Promise.all(
    Array.from({ length: 8 }, (_, at) => {
      const order = at % 2 === 0 ? receipts : receipts.toReversed();
      return storeReceipts(pool, ORIGIN, order);
    }),
  );
  assert.deepEqual(stored.map(({ fresh }) => fresh).toSorted(), [0, 0, 0, 0, 0, 0, 0, 40]);
  const count = async (text: string) => (await pool.query(text)).rows[0].n;
  assert.equal(await count("select count(*)::integer as n from receipts"), 80);
  assert.equal(await count("select count(*)::integer as n from suppressions"), 40);
  assert.equal(
    await count("select count(*)::integer as n from deliveries where status = 'bounced'"),
    40,
  );
});

test("a receipt that comes before the sender has written the answer down ends the delivery, once", async (t) => {
  const pool = await filled(t, 1, "queued");
  const { rows } = await pool.query(
    `with template as (insert into templates (id, tenant_id, event_type, channel)
       values (gen_random_uuid(), 'a', 'x', 'EMAIL') returning id),
     version as (insert into template_versions (template_id, version, content, compiled)
       select id, 1, 'x', '{}' from template returning id)
     update deliveries set template_version_id = version.id from version returning deliveries.id`,
  );
  const id = rows[0].id as string;
  const provider = { id: randomUUID(), kind: "sendgrid" };
  const options = { channel: "EMAIL", leaseMs: 30_000, maxRetries: 7 } as const;
  const [claimed] = await claimDeliveries(pool, [{ id, tenantId: "a", provider }], options);
  assert.equal(claimed?.becomes, "sending");
  await storeReceipts(pool, ORIGIN, [receipt(id)]);
  await settleDeliveries(pool, [settlement(id)]);
  const delivery = await pool.query("select status, claimed_until, released_at from deliveries");
  assert.deepEqual(delivery.rows, [
    { status: "delivered", claimed_until: null, released_at: null },
  ]);
  const attempt = await pool.query("select class, message_id from attempts");
  assert.deepEqual(attempt.rows, [{ class: "accepted", message_id: "m1" }]);
});

test("what a provider has after all is not sent again, though it was replayed and is queued; what was never tried has no receipts", async (t) => {
  const pool = await filled(t, 4, "queued");
  const [delivered = "", opened = "", late = "", untried = ""] = await someIds(pool, 4);
  await pool.query("update deliveries set attempts = 1 where id <> $1", [untried]);
  await storeReceipts(pool, ORIGIN, [
    receipt(delivered),
    receipt(opened, { kind: "deferred" }),
    receipt(untried),
  ]);
  const accepted = await settleDeliveries(pool, [settlement(late)]);
  assert.deepEqual(accepted, new Set([late]));
  const { rows } = await pool.query(
    "select id, status, released_at is null and due_at is null as has_ended from deliveries order by id",
  );
  assert.deepEqual(rows, [
    { id: delivered, status: "delivered", has_ended: true },
    { id: opened, status: "accepted", has_ended: true },
    { id: late, status: "accepted", has_ended: true },
    { id: untried, status: "queued", has_ended: false },
  ]);
  const provider = { id: randomUUID(), kind: "sendgrid" };
  const claims = await claimDeliveries(
    pool,
    [delivered, opened, late].map((id) => ({ id, tenantId: "a", provider })),
    { channel: "EMAIL", leaseMs: 30_000, maxRetries: 7 },
  );
  assert.deepEqual(claims, Array(3).fill({ becomes: "gone" }));
});

test("dead letters are found and replayed without reading the deliveries that are not dead", async (t) => {
  const pool = await filled(t, ROWS, "accepted");
  await pool.query("alter table deliveries disable trigger deliveries_move");
  await pool.query(
    "update deliveries set status = 'failed' where id in (select id from deliveries order by id limit 50)",
  );
  await pool.query("analyze");
  await readsAtMost(pool, 1000, ["deliveries"], async (client) => {
    const transaction = databaseOver(client);
    const [group] = await deadGroups(transaction, { tenantId: "a" });
    assert.equal(group?.count, 50);
    assert.equal(await countReplayable(transaction, { tenantId: "a" }), 50);
    const dead = { tenantId: "a", endedBefore: new Date().toISOString() };
    assert.equal((await requeueDead(transaction, dead, { most: 20, reason: "x" })).length, 20);
  });
});

test("a receipt about a copy suppresses its address alone, and says nothing of the delivery", async (t) => {
  const pool = await filled(t, 3, "accepted");
  const [one = "", other = "", unknown = ""] = await someIds(pool, 3);
  const recipients = await pool.query("select id, recipient from deliveries order by id");
  const [mine, theirs] = recipients.rows.map(({ recipient }) => recipient as string);
  const bounced = { kind: "bounced", suppress: "bounced" } as const;
  const stored = await storeReceipts(pool, ORIGIN, [
    receipt(one, { ...bounced, address: "C@example.com", vendorEvent: "1" }),
    receipt(one, { kind: "delivered", address: "d@example.com", vendorEvent: "2" }),
    receipt(one, {
      ...{ kind: "complained", suppress: "complained" },
      ...{ address: "d@example.com", vendorEvent: "3" },
    }),
    receipt(other, { ...bounced, address: theirs!.toUpperCase(), vendorEvent: "4" }),
    receipt(unknown, { ...bounced, address: "", vendorEvent: "5" }),
  ]);
  assert.deepEqual(stored, { fresh: 3, moved: 1 });
  const suppressed = await pool.query("select address, reason from suppressions order by address");
  assert.deepEqual(suppressed.rows, [
    { address: "c@example.com", reason: "bounced" },
    { address: "d@example.com", reason: "complained" },
    { address: theirs, reason: "bounced" },
  ]);
  const { rows } = await pool.query("select status from deliveries order by id");
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["accepted", "bounced", "accepted"],
  );
  const told = await pool.query("select address from receipts order by vendor_event");
  assert.deepEqual(
    told.rows.map(({ address }) => address),
    ["C@example.com", "d@example.com", "d@example.com", null, ""],
  );
  await storeReceipts(pool, ORIGIN, [receipt(one, { kind: "delivered", address: mine! })]);
  const moved = await pool.query("select status from deliveries where id = $1", [one]);
  assert.equal(moved.rows[0].status, "delivered", "the recipient's own moves it");
});
