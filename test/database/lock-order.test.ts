import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import {
  makeDueAgain,
  reopenEvents,
} from "@belfry/administration/dead-letters/dead-letter-messages";
import { deleteNotifications, deleteOutbox } from "@belfry/administration/erasure/user-data";
import {
  deleteSuppressions,
  insertSuppressions,
} from "@belfry/administration/events/suppression-rows";
import { expireApiKeys } from "@belfry/administration/tenants/api-key";
import { deleteDevicesOfUser } from "@belfry/administration/users/devices";
import { storeUsers } from "@belfry/administration/users/user-rows";
import type { Database, Pool } from "@belfry/database/connection";
import {
  acceptEvents,
  acknowledgeEvents,
  refuseEvents,
} from "@belfry/database/functions/accept-events";
import { cancelEvents } from "@belfry/database/functions/cancel-events";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { claimWebhooks, noteWebhookCalls } from "@belfry/database/functions/claim-webhooks";
import { deleteEvents } from "@belfry/database/functions/delete-events";
import { dispatchEvents, moveTraces } from "@belfry/database/functions/dispatch-events";
import { forgetChannels, healChannels } from "@belfry/database/functions/realtime-channels";
import {
  eraseSensitiveVariables,
  takeBackRelease,
} from "@belfry/database/functions/release-deliveries";
import { postponeDeliveries, settleDeliveries } from "@belfry/database/functions/settle-deliveries";
import { storeReceipts } from "@belfry/database/functions/store-receipts";
import { archiveAllNotifications, markAllNotificationsRead } from "@belfry/database/notifications";
import { touchKeys } from "@belfry/http-api/tenant-directory";
import { connectedDatabase, databaseOver } from "@belfry/testing/database";
import { untilBlocked } from "@belfry/testing/until-blocked";
import type pg from "pg";
import { createNotedErasure } from "../../services/dispatcher/src/sensitive-events.ts";
import { leaveStuck } from "../../services/dispatcher/src/sweeper.ts";
import { receipt, settlement } from "./settlement.ts";

/** Keys in the order in which they are to be locked; the rows are stored, and named, the other way round. */
const PLACES = [6, 5, 4, 3, 2, 1];
const uuid = (kind: string, place: number) =>
  `${kind.repeat(8)}-0000-7000-8000-00000000000${place}`;
const EVENTS = PLACES.map((place) => uuid("e", place));
const OPEN = PLACES.map((place) => uuid("0", place));
const DELIVERIES = PLACES.map((place) => uuid("d", place));
const KEYS = PLACES.map((place) => uuid("c", place));
const OWNER = { tenantId: "t1", userId: "u" };
const ACCEPTED = "2026-06-01 12:00:00+00";

const SEED = [
  `insert into tenants (id, name, per_minute) select 't' || n, 'x', 1000 from generate_series(6, 1, -1) n`,
  `insert into tenant_limits (tenant_id, day) select 't' || n, '2026-06-01' from generate_series(6, 1, -1) n`,
  `insert into templates (id, tenant_id, event_type, channel, sensitive)
   values ('00000000-0000-0000-0000-000000000000', 't1', 'x', 'EMAIL', true)`,
  `insert into template_versions (template_id, version, content, compiled)
   values ('00000000-0000-0000-0000-000000000000', 1, '', '{}')`,
  // A tenant each, and not dispatched; or all of one, and dispatched.
  `insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at)
   select id, 't' || 7 - n, 'x', 'u', 't', '${ACCEPTED}' from unnest($1::uuid[]) with ordinality u (id, n)`,
  `insert into undispatched_events select id, now() from unnest($1::uuid[]) id`,
  `insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at, variables, recipient_email)
   select id, 't1', 'x', 'u', 't', now(), now(), '{}', id || '@example.com' from unnest($2::uuid[]) id`,
  `insert into deliveries (id, event_id, tenant_id, channel, recipient, template_version_id, status, attempts, due_at, released_at, claimed_until)
   select id, event_id, 't1', 'EMAIL', event_id || '@example.com', (select max(id) from template_versions), $4, 1, now(), now(), now()
   from unnest($3::uuid[], $2::uuid[]) u (id, event_id)`,
  `insert into sensitive_events select id from unnest($2::uuid[]) id`,
  `insert into scheduled_events (event_id, tenant_id, send_at, trace_id)
   select id, 't1', now() + interval '1 hour', 't' from unnest($2::uuid[]) id`,
  // Even ones, the greatest first.
  `insert into dedup_keys (tenant_id, key, event_id, event_type, tenant_name, accepted_at)
   select 't1', decode(lpad(to_hex(16 * (7 - n)), 64, '0'), 'hex'), id, 'x', 'x', e.accepted_at
   from unnest($2::uuid[]) with ordinality u (id, n) join events e using (id)`,
  `insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset, created_at)
   select id, 't1', 'u', 'x', '', '', 'c' || 7 - n, 1, now() from unnest($2::uuid[]) with ordinality u (id, n)`,
  `insert into realtime_channels select 't1', 'u', 'c' || n, 1 from generate_series(6, 1, -1) n`,
  `insert into api_keys (id, tenant_id, sha256, prefix) select id, 't1', uuid_send(id), 'p' from unnest($5::uuid[]) id`,
  `insert into webhooks (id, tenant_id, url, secret) select id, 't1', id, 's' from unnest($5::uuid[]) id`,
  `insert into devices (id, tenant_id, user_id, device_id, kind, token, token_hash)
   select id, 't1', 'u', 'd' || n, 'fcm', '', n from unnest($5::uuid[]) with ordinality u (id, n)`,
  `insert into suppressions select 't1', 'EMAIL', 'a' || n, 'by hand' from generate_series(6, 1, -1) n`,
  `insert into recipients (tenant_id, user_id) select 't1', 'u' || n from generate_series(6, 1, -1) n`,
  `insert into outbox (id, tenant_id, event_id, delivery_id, channel, recipient, text)
   select id, 't1', id, id, 'SMS', 'x', 'x' from unnest($2::uuid[]) id`,
];

interface Case {
  /** Whose rows it locks, and the column that orders them. */
  table: string;
  key: string;
  where?: string;
  /** Of the deliveries. */
  status?: string;
  channel?: string;
  /** Whose the open events are; a tenant each without it. */
  open?: string;
  work(client: Pool, db: Database): Promise<unknown>;
}

/** The order is no accident of the plan. */
const PLANS = [
  ["enable_nestloop", "enable_mergejoin"],
  ["enable_indexscan", "enable_hashjoin"],
  ["enable_sort"],
];
const HELD = [5, 3, 1];

const TENANTS = { table: "tenant_limits", key: "tenant_id" };
const UNDISPATCHED = { table: "undispatched_events", key: "event_id" };
const DISPATCHED = { table: "events", key: "id", where: `id = any ('{${EVENTS}}')` };
const SENT = { table: "deliveries", key: "id" };
const HISTORY = { table: "notifications", key: "id" };
const CHANNELS = { table: "realtime_channels", key: "channel_name" };

const CASES: Record<string, Case> = {
  "accepting: the tenants": {
    ...TENANTS,
    work: (client) =>
      acceptEvents(
        client,
        PLACES.toReversed().map((place) => ({
          ...{ tenantId: `t${place}`, dedupKey: hash("sha256", `k${place}`), id: uuid("a", place) },
          ...{ eventType: "x", userId: "u", reference: null, recipientEmail: null, traceId: "t" },
          ...{ recipientPhone: null, options: null, variables: null },
        })),
      ),
  },
  "refusing: the tenants": { ...TENANTS, work: (client) => refuseEvents(client, OPEN) },
  "refusing: the events": { ...UNDISPATCHED, work: (client) => refuseEvents(client, OPEN) },
  acknowledging: { ...UNDISPATCHED, work: (client) => acknowledgeEvents(client, OPEN) },
  "dispatching: the events": { ...UNDISPATCHED, work: (client) => dispatch(client) },
  "dispatching: the channels": { ...CHANNELS, work: (client) => dispatch(client) },
  "leaving events to the sweeper": { ...UNDISPATCHED, work: (client) => leaveStuck(client, OPEN) },
  "reopening events": { ...UNDISPATCHED, work: (_, db) => reopenEvents(db, OPEN) },
  "cancelling: what rests": {
    table: "scheduled_events",
    key: "event_id",
    work: (_, db) => cancelEvents(db, "t1", EVENTS),
  },
  "cancelling: the open events": {
    ...UNDISPATCHED,
    // A tenant each.
    open: "t1",
    work: (_, db) => cancelEvents(db, "t1", OPEN),
  },
  "cancelling: the deliveries": { ...SENT, work: (_, db) => cancelEvents(db, "t1", EVENTS) },
  "cancelling: the events": { ...DISPATCHED, work: (_, db) => cancelEvents(db, "t1", EVENTS) },
  "cancelling: the keys": {
    table: "dedup_keys",
    key: "key",
    work: (_, db) => cancelEvents(db, "t1", EVENTS),
  },
  "deleting: the open events": {
    ...UNDISPATCHED,
    work: (_, db) => deleteEvents(db, OPEN, { spare: false }),
  },
  "deleting: the deliveries": {
    ...SENT,
    work: (_, db) => deleteEvents(db, EVENTS, { spare: false }),
  },
  "deleting: the events": {
    ...DISPATCHED,
    work: (_, db) => deleteEvents(db, EVENTS, { spare: false }),
  },
  "deleting messages of webhooks": {
    ...SENT,
    channel: "WEBHOOK",
    work: async (client) => {
      await client.query("select * from delete_webhook_messages($1, false)", [EVENTS]);
    },
  },
  "claiming webhooks": {
    ...SENT,
    work: (client) =>
      claimWebhooks(
        client,
        DELIVERIES.map((id) => ({ id, tenantId: "t1" })),
        { full: [], leaseMs: 1000, maxRetries: 7 },
      ),
  },
  "noting calls of webhooks": {
    table: "webhooks",
    key: "id",
    work: (client) =>
      noteWebhookCalls(
        client,
        KEYS.map((webhookId) => ({ webhookId, tenantId: "t1", reason: "x", gone: false })),
        10,
      ),
  },
  claiming: {
    ...SENT,
    work: (client) =>
      claimDeliveries(
        client,
        DELIVERIES.map((id) => ({ id, tenantId: "t1", provider: null })),
        { channel: "EMAIL", leaseMs: 1000, maxRetries: 7 },
      ),
  },
  settling: {
    ...SENT,
    status: "sending",
    work: (client) =>
      settleDeliveries(
        client,
        DELIVERIES.map((id) => settlement(id, { status: "failed", end: null })),
      ),
  },
  postponing: {
    ...SENT,
    work: (client) =>
      postponeDeliveries(client, {
        ...{ tenantId: "t1", ids: DELIVERIES, reason: null, delayMs: 1, spacingMs: 1 },
      }),
  },
  "taking a release back": { ...SENT, work: (client) => takeBackRelease(client, DELIVERIES) },
  "putting deliveries to rest": { ...SENT, work: (_, db) => makeDueAgain(db, DELIVERIES) },
  "storing receipts": {
    ...SENT,
    work: (client) =>
      storeReceipts(
        client,
        { tenantId: "t1", channels: ["EMAIL"], providerKind: "x" },
        DELIVERIES.map((id) => receipt(id, { vendorEvent: id })),
      ),
  },
  "moving traces": {
    ...DISPATCHED,
    where: `id = any ('{${OPEN}}')`,
    work: (client) => moveTraces(client, new Map(OPEN.map((id) => [id, `00-${id}`]))),
  },
  "erasing variables": {
    ...DISPATCHED,
    status: "accepted",
    work: (client) => eraseSensitiveVariables(client, EVENTS),
  },
  "erasing noted variables": {
    ...DISPATCHED,
    status: "accepted",
    work: (client) => createNotedErasure(client, 100)(),
  },
  "marking all as read": { ...HISTORY, work: (_, db) => markAllNotificationsRead(db, OWNER) },
  "archiving all": { ...HISTORY, work: (_, db) => archiveAllNotifications(db, OWNER) },
  "erasing the history": { ...HISTORY, work: (_, db) => deleteNotifications(db, OWNER, 100) },
  "forgetting channels": { ...CHANNELS, work: (_, db) => forgetChannels(db, OWNER, 100) },
  "forgetting channels: their notifications": {
    ...HISTORY,
    work: (_, db) => forgetChannels(db, OWNER, 100),
  },
  "healing channels": {
    ...CHANNELS,
    work: (client) =>
      healChannels(
        client,
        PLACES.map((place) => ({ ...OWNER, name: `c${place}` })),
      ),
  },
  "noting the use of keys": {
    table: "api_keys",
    key: "id",
    work: (_, db) => touchKeys(db, new Map(KEYS.map((id) => [id, new Date()]))),
  },
  "ending keys": {
    table: "api_keys",
    key: "id",
    work: (_, db) => expireApiKeys(db, "t1", "all", 60),
  },
  "adding suppressions": {
    table: "suppressions",
    key: "address",
    work: async (_, db) => {
      await deleteSuppressions(db, "t1", "EMAIL", ["a1"]);
      await insertSuppressions(db, {
        ...{ tenantId: "t1", channel: "EMAIL", addresses: PLACES.map((place) => `a${place}`) },
        ...{ reason: "by hand", source: null },
      });
    },
  },
  "removing suppressions": {
    table: "suppressions",
    key: "address",
    work: (_, db) =>
      deleteSuppressions(
        db,
        "t1",
        "EMAIL",
        PLACES.map((place) => `a${place}`),
      ),
  },
  "storing users": {
    table: "recipients",
    key: "user_id",
    work: (_, db) =>
      storeUsers(
        db,
        "t1",
        PLACES.map((place) => ({
          ...{
            userId: `u${place}`,
            email: null,
            phone: null,
            chat: null,
            locale: null,
            timezone: null,
          },
          ...{ quietFrom: null, quietTo: null, attributes: null },
        })),
      ),
  },
  "erasing the devices": {
    table: "devices",
    key: "id",
    work: (_, db) => deleteDevicesOfUser(db, OWNER),
  },
  "deleting from the outbox": {
    table: "outbox",
    key: "id",
    work: (_, db) => deleteOutbox(db, EVENTS),
  },
};

function dispatch(client: Pool): Promise<unknown> {
  return dispatchEvents(
    client,
    OPEN.map((eventId, at) => ({
      ...{ eventId, acceptedAtText: ACCEPTED, outcome: null, eraseVariables: false },
      ...{ isSensitive: false, deliveries: [] },
      push: { ...OWNER, eventType: "x", title: "", body: "", channelName: `c${PLACES[at]}` },
    })),
    { inFlightPerTenant: 100, inTurn: false },
  );
}

test("whatever locks many rows locks them in one order, so that no two can wait for each other", async (t) => {
  const { pool } = await connectedDatabase(t);
  for (const [name, one] of Object.entries(CASES)) {
    await t.test(name, async () => {
      const clients = { holder: await pool.connect(), worker: await pool.connect() };
      try {
        await seed(pool, one.status ?? "queued");
        if (one.channel !== undefined) {
          await pool.query("update deliveries set channel = $1", [one.channel]);
        }
        if (one.open !== undefined) {
          await pool.query("update events set tenant_id = $1 where id = any ($2)", [
            one.open,
            OPEN,
          ]);
        }
        for (const without of PLANS) {
          for (const place of HELD) await inOrder(pool, clients, one, { place, without });
        }
      } finally {
        for (const client of Object.values(clients)) client.release(true);
      }
    });
  }
});

/** Holds the row at this place: whoever waits for it may hold none that comes later. */
async function inOrder(
  pool: Pool,
  { holder, worker }: Record<"holder" | "worker", pg.PoolClient>,
  { table, key, where = "true", work }: Case,
  { place, without }: { place: number; without: readonly string[] },
): Promise<void> {
  await holder.query("begin");
  const { rows: held } = await holder.query<{ key: string }>(
    `select ${key} as key from ${table} where ${where} order by ${key} offset $1 limit 1 for update`,
    [place - 1],
  );
  await worker.query("begin; discard plans");
  for (const method of without) await worker.query(`set local ${method} = off`);
  const working = work(worker as unknown as Pool, databaseOver(worker as unknown as Pool));
  await Promise.race([untilBlocked(pool), working]);
  const { rows: free } = await pool.query(
    `select from ${table} where ${where} and ${key} > $1 for update skip locked`,
    [held[0]?.key],
  );
  await holder.query("rollback");
  await working;
  await worker.query("rollback");
  assert.equal(
    free.length,
    PLACES.length - place,
    `behind the row at ${place}, without ${without}`,
  );
}

async function seed(pool: Pool, status: string): Promise<void> {
  await pool.query(
    `truncate tenants, tenant_limits, templates, template_versions, events, undispatched_events, scheduled_events, deliveries,
       notifications, realtime_channels, api_keys, suppressions, outbox, sensitive_events, dedup_keys,
       attempts, receipts cascade`,
  );
  const values = [OPEN, EVENTS, DELIVERIES, status, KEYS];
  for (const statement of SEED) {
    const used = [...statement.matchAll(/\$(\d)/g)].map(([, n]) => Number(n));
    const numbers = [...new Set(used)].sort();
    const text = statement.replaceAll(/\$(\d)/g, (_, n) => `$${numbers.indexOf(Number(n)) + 1}`);
    await pool.query(
      text,
      numbers.map((n) => values[n - 1]),
    );
  }
}
