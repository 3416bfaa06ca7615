import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase, type TestPool } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";
import type pg from "pg";
import { type ClaimResult, claimDeliveries, type DeliveryToClaim } from "./claim-deliveries.ts";

const TENANTS = [
  // Flags, quiet hours of the tenant.
  ["plain", false, false, false],
  ["quiet", false, false, true],
  ["named", true, false, false],
  ["asked", false, true, false],
  ["both", true, true, true],
] as const;
const USERS = ["ann", "bob", "nobody"];
const TYPES = ["sale.began", "order.confirmed", "news"];
const AGES_SECONDS = [0, 61];
const OPTIONS = { channel: "EMAIL", leaseMs: 60_000, maxRetries: 3 } as const;

/** A delivery and a digest's of each tenant, user, event type and age; returned in an order that mixes all. */
async function fill(pool: TestPool): Promise<DeliveryToClaim[]> {
  for (const [id, recipients, preferences, quiet] of TENANTS) {
    await pool.query(
      `insert into tenants (id, name, per_minute, uses_recipients, uses_preferences, quiet_from, quiet_to)
       values ($1, 'x', 1, $2, $3, $4, $5)`,
      [id, recipients, preferences, ...(quiet ? ["00:00", "23:59:59.999999"] : [null, null])],
    );
    // The claim does not look for rows of a tenant that is not known to use the feature.
    await pool.sql`insert into recipients (tenant_id, user_id, timezone, quiet_from, quiet_to)
      values (${id}, 'ann', 'Asia/Kolkata', null, null), (${id}, 'bob', 'Asia/Tokyo', '00:00',
        '23:59:59.999999')`;
    await pool.sql`insert into categories (tenant_id, key, label, description, required)
      values (${id}, 'offers', '{"": "Offers"}', '{}', false), (${id}, 'orders', '{"": "Orders"}', '{}', true)`;
    await pool.sql`insert into event_type_categories
      values (${id}, 'sale.began', 'offers'), (${id}, 'order.confirmed', 'orders')`;
    await pool.sql`insert into preferences (tenant_id, user_id, category, channel, enabled, source)
      values (${id}, 'ann', 'offers', '*', false, 'api'), (${id}, 'bob', '*', 'EMAIL', false, 'api')`;
  }
  await pool.query(
    `with t as (insert into templates (id, tenant_id, event_type, channel)
       values (gen_random_uuid(), 'plain', 'x', 'EMAIL') returning id)
     insert into template_versions (template_id, version, content, compiled) select id, 1, 'x y', '{}' from t`,
  );
  const rows = await pool.sql<{ id: string; tenant_id: string }>`with item as (
      select gen_random_uuid() as id, gen_random_uuid() as held,
        * from unnest(${TENANTS.map(([id]) => id)}::text[]) tenant, unnest(${USERS}::text[]) person,
        unnest(${TYPES}::text[]) type, unnest(${AGES_SECONDS}::int[]) age,
      unnest('{event,digest}'::text[]) kind), e as (
      insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, variables)
      select case kind when 'event' then id else held end, tenant, type, person, 't',
             now() - age * interval '1 second', '{}'
      from item),
    h as (
      insert into digest_items (digest_id, event_id, added_at)
      select id, held, now() from item where kind = 'digest'),
    g as (
      insert into digests (id, tenant_id, event_type, channel, user_id, locale, key, opened_at, window_ends_at,
        closed_at)
      select id, tenant, type, 'EMAIL', person, '', '', now() - age * interval '1 second', now(), now()
      from item where kind = 'digest')
    insert into deliveries (id, event_id, tenant_id, channel, recipient, template_version_id, attempts, due_at,
      released_at)
    -- For digests a later try, because the first one reads the template.
    select gen_random_uuid(), item.id, item.tenant, 'EMAIL', 'a@example.com', v.id, (kind = 'digest')::integer,
           now(), now()
    from item, template_versions v where v.content = 'x y' order by item.id returning id, tenant_id`;
  const provider = { id: "01990000-0000-7000-8000-000000000001", kind: "smtp" };
  return rows.map((row) => ({ id: row.id, tenantId: row.tenant_id, provider }));
}

/** Claims and takes it back. */
async function claimed(pool: TestPool, batches: DeliveryToClaim[][]): Promise<ClaimResult[]> {
  const client = await pool.connect();
  const results: ClaimResult[] = [];
  try {
    await client.query("begin");
    for (const batch of batches) {
      results.push(...(await claimDeliveries(client as unknown as pg.Pool, batch, OPTIONS)));
    }
    await client.query("rollback");
  } finally {
    client.release();
  }
  return results;
}

test("a delivery becomes the same in a batch of many tenants, users and event types as alone", async (t) => {
  const { pool } = await connectedDatabase(t);
  const deliveries = await fill(pool);
  const alone = await claimed(
    pool,
    deliveries.map((one) => [one]),
  );
  assert.deepEqual(await claimed(pool, [deliveries]), alone);
  assert.deepEqual(await claimed(pool, [deliveries.toReversed()]), alone.toReversed());

  const by = Map.groupBy(alone.entries(), ([at]) => deliveries[at]!.tenantId);
  const said = (tenant: string) => {
    const words = by.get(tenant)!.map(([, result]) => {
      if (result.becomes !== "sending") return `${result.becomes} ${"reason" in result}`;
      const { category, settings } = result.delivery;
      return `${category?.key} ${category?.required} ${settings.timeZone}`;
    });
    return [...new Set(words)].sort();
  };
  const sent = "undefined undefined undefined";
  const zones = ["Asia/Kolkata", "Asia/Tokyo", "undefined"];
  const categories = ["offers false", "orders true", "undefined undefined"];
  assert.deepEqual(said("plain"), [sent]);
  assert.deepEqual(said("quiet"), ["gone false", sent]);
  assert.deepEqual(
    said("named"),
    ["gone false", ...zones.map((z) => `undefined undefined ${z}`)].sort(),
  );
  assert.deepEqual(
    said("asked"),
    ["skipped true", ...categories.map((c) => `${c} undefined`)].sort(),
  );
  assert.deepEqual(
    said("both"),
    [
      "gone false",
      "skipped true",
      ...categories.flatMap((c) => zones.map((z) => `${c} ${z}`)),
    ].sort(),
  );
});

test("of young events preferences are read only where a user of the tenant has changed one since", async (t) => {
  const { pool } = await connectedDatabase(t);
  const deliveries = await fill(pool);
  const [old] = [await claimed(pool, [deliveries])];
  await pool.query("update events set accepted_at = now()");
  await pool.query("update digests set opened_at = now()");
  await pool.query("update tenants set preferences_changed_at = now() - interval '2 minutes'");
  for (const batch of [deliveries, deliveries.slice(0, 1)]) {
    await readsAtMost(pool, 0, ["preferences"], (client) =>
      claimDeliveries(client, batch, OPTIONS),
    );
  }
  const skipped = (results: ClaimResult[]) =>
    results.filter(({ becomes }) => becomes === "skipped").length;
  assert.equal(skipped(await claimed(pool, [deliveries])), 0);

  await pool.query("update tenants set preferences_changed_at = now()");
  const young = await claimed(pool, [deliveries]);
  assert.deepEqual(
    await claimed(
      pool,
      deliveries.map((one) => [one]),
    ),
    young,
  );
  assert.equal(skipped(young), 2 * skipped(old), "of each age");
});

test("the attributes of a user are read only for a template that reads them, once for a batch", async (t) => {
  const { pool } = await connectedDatabase(t);
  const deliveries = await fill(pool);
  await pool.query("update recipients set attributes = tenant_id || ' ' || user_id");
  const reads = (mostRows: number) =>
    readsAtMost(pool, mostRows, ["recipients"], (client) =>
      claimDeliveries(client, deliveries, OPTIONS),
    );
  const found = (results: ClaimResult[]) =>
    results.map((one) => (one.becomes === "sending" ? one.delivery.userAttributes : undefined));
  // Two users of two tenants that name users, each in every type, age and kind.
  const named = 2 * 2 * TYPES.length * AGES_SECONDS.length * 2;
  await reads(named);
  assert.deepEqual(new Set(found(await claimed(pool, [deliveries]))), new Set([undefined]));

  await pool.query("update templates set reads_user = true");
  await reads(2 * named);
  const batch = await claimed(pool, [deliveries]);
  const alone = deliveries.map((one) => [one]);
  assert.deepEqual(batch, await claimed(pool, alone));
  const own = batch.map((one, at) => {
    if (one.becomes !== "sending") return undefined;
    const { tenantId } = deliveries[at]!;
    const isKnown = ["named", "both"].includes(tenantId) && one.delivery.userId !== "nobody";
    return isKnown ? `${tenantId} ${one.delivery.userId}` : undefined;
  });
  assert.deepEqual(found(batch), own);
  assert.ok(own.filter((one) => one !== undefined).length > 1);
});
