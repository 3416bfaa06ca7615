import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { anEvent } from "@belfry/testing/rows";
import { claimDeliveries } from "./claim-deliveries.ts";
import { claimWebhooks } from "./claim-webhooks.ts";
import { moveTraces, readEvents } from "./dispatch-events.ts";
import { releaseAgain, releaseDeliveries } from "./release-deliveries.ts";

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const MOVED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const LEASE = { leaseMs: 60_000, maxRetries: 3 };

/** Two events with a due delivery each, and a webhook message about each: one is sampled, the other is not. */
async function world(t: test.TestContext) {
  const { pool } = await connectedDatabase(t);
  const provider = { id: randomUUID(), kind: "sandbox" };
  await pool.query("insert into tenants (id, name, per_minute) values ('acme', 'Acme', 100)");
  const of = { trace_id: "their-trace", dispatched_at: null };
  const sampled = await anEvent(pool, { ...of, trace_parent: PARENT });
  const plain = await anEvent(pool, of);
  await pool.sql`with template as (
      insert into templates (id, tenant_id, event_type, channel) values (${randomUUID()}, 'acme', 'x', 'EMAIL') returning id
    ), version as (
      insert into template_versions (template_id, version, content, compiled)
      select id, 1, '', '{}' from template returning id
    )
    insert into deliveries (id, event_id, tenant_id, channel, recipient, template_version_id, status, due_at)
    select e.id, e.id, 'acme', 'EMAIL', 'a@example.com', version.id, 'queued', now() from events e, version`;
  await pool.sql`with endpoint as (
      insert into webhooks (id, tenant_id, url, secret) values (${randomUUID()}, 'acme', 'https://example.com', 's') returning id
    ), message as (
      insert into webhook_messages (id, webhook_id, tenant_id, type, event_id, payload)
      select gen_random_uuid(), endpoint.id, 'acme', 'delivery.accepted', e.id, '{}' from events e, endpoint
      returning id, event_id
    )
    insert into deliveries (id, event_id, tenant_id, channel, status, due_at)
    select gen_random_uuid(), m.id, 'acme', 'WEBHOOK', 'queued', now() from message m`;
  return { pool, sampled, plain, provider };
}

test("what is read of a sampled event has its trace parent, of another it has none, and the trace id is the same", async (t) => {
  const { pool, sampled, plain, provider } = await world(t);
  const known = new Map<string, string | null>([
    [sampled, PARENT],
    [plain, null],
  ]);
  const events = await readEvents(pool, [sampled, plain]);
  assert.equal(events.length, 2);
  for (const { id, traceId, traceParent } of events) {
    assert.deepEqual([traceId, traceParent], ["their-trace", known.get(id)]);
  }
  const first = { channel: "EMAIL", inFlightPerTenant: 10, after: "", most: 10 } as const;
  const released = await releaseDeliveries(pool, first);
  const again = await releaseAgain(pool, { channel: "EMAIL", olderThanMs: 0, most: 10 });
  for (const release of [released, again]) {
    assert.equal(release.released.length, 2);
    for (const { id, traceId, traceParent } of release.released) {
      assert.deepEqual([traceId, traceParent], ["their-trace", known.get(id)]);
    }
  }
  const toClaim = [sampled, plain].map((id) => ({ id, tenantId: "acme", provider }));
  for (const claim of await claimDeliveries(pool, toClaim, { ...LEASE, channel: "EMAIL" })) {
    assert.ok(claim.becomes === "sending");
    const { id, traceId, traceParent } = claim.delivery;
    assert.deepEqual([traceId, traceParent], ["their-trace", known.get(id)]);
  }
  const rows = await pool.sql<{ id: string; about: string }>`select d.id, m.event_id as about
    from deliveries d join webhook_messages m on m.id = d.event_id`;
  const webhooks = rows.map(({ id }) => ({ id, tenantId: "acme" }));
  const claims = await claimWebhooks(pool, webhooks, { ...LEASE, full: [] });
  for (const [at, claim] of claims.entries()) {
    assert.ok(claim.becomes === "sending");
    const { type, traceParent } = claim.webhook;
    assert.deepEqual([type, traceParent], ["delivery.accepted", known.get(rows[at]!.about)]);
  }
});

test("a delivery that ends without an attempt names the trace id alone", async (t) => {
  const { pool, sampled } = await world(t);
  const [claim] = await claimDeliveries(pool, [{ id: sampled, tenantId: "acme", provider: null }], {
    ...LEASE,
    channel: "EMAIL",
  });
  assert.ok(claim?.becomes === "skipped");
  assert.equal(claim.traceId, "their-trace");
});

test("an event moves into a trace of its own, and no other does; one that is dispatched stays where it is", async (t) => {
  const { pool, sampled, plain } = await world(t);
  await moveTraces(pool, new Map([[sampled, MOVED]]));
  const events = await readEvents(pool, [sampled, plain]);
  const parents = new Map(events.map(({ id, traceParent }) => [id, traceParent]));
  assert.deepEqual([parents.get(sampled), parents.get(plain)], [MOVED, null]);
  await pool.query("update events set dispatched_at = now()");
  await moveTraces(pool, new Map([[sampled, PARENT]]));
  assert.equal((await readEvents(pool, [sampled]))[0]?.traceParent, MOVED);
});
