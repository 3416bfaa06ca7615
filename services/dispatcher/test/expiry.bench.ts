/**
 * Measures how fast expiry is, on a separate Postgres that syncs its commits: `node expiry.bench.ts [events]`.
 * Each event has variables of 300 bytes, two deliveries with an attempt and an outbox row each, and a
 * notification; one in ten belongs to a tenant that keeps its own for ten years. Prints a line of JSON: alone,
 * beside about 1,000 events/s that are accepted and dispatched meanwhile, and the time that those take.
 */

import { readFile } from "node:fs/promises";
import { createPool, type Pool } from "@belfry/database/connection";
import { acceptEvents, type EventToAccept } from "@belfry/database/functions/accept-events";
import { dispatchEvents, readEvents } from "@belfry/database/functions/dispatch-events";
import { migrateToLatest } from "@belfry/database/migrate";
import { createLogger } from "@belfry/service/logger";
import { pause } from "@belfry/service/pause";
import { ownPostgresServer } from "@belfry/testing/postgres-server";
import { uuidv7 } from "uuidv7";
import { createExpiry } from "../src/expiry.ts";

const EVENTS = Number(process.argv[2] ?? 300_000);
const LOAD_PER_SECOND = 1_000;
const LOAD_BATCH = 20;
const MOST_IN_FLIGHT = 6;
const RETENTION = { eventDays: 30, notificationDays: 30 };

const cleanup: (() => void | Promise<void>)[] = [];
try {
  const server = await ownPostgresServer({ after: (fn) => void cleanup.push(fn) });
  await migrateToLatest(server.url);
  const pool = createPool({ url: server.url, applicationName: "bench", statementTimeoutMs: 0 });
  cleanup.unshift(() => pool.end());
  await pool.query(
    `insert into tenants (id, name, per_minute, event_retention_days, notification_retention_days)
     select 'tenant' || n, 'x', 1000000, case when n = 9 then 3650 end, case when n = 9 then 3650 end
     from generate_series(0, 9) n`,
  );
  await pool.query("insert into tenant_limits (tenant_id) select id from tenants");

  const bare = await loaded(pool, () => pause(20_000));
  await fill(pool);
  const alone = await round(server.url);
  await fill(pool);
  let beside: Round | undefined;
  const load = await loaded(pool, async () => {
    beside = await round(server.url);
  });
  process.stdout.write(`${JSON.stringify({ events: EVENTS, alone, beside, bare, load })}\n`);
} finally {
  for (const end of cleanup) await end();
}

interface Round {
  seconds: number;
  /** Share of one core that the deleting Postgres process uses. */
  cpuMsPerThousandEvents: number;
  eventsPerSecond: number;
  rowsPerSecond: number;
}

async function round(url: string): Promise<Round> {
  const pool = createPool({ url, applicationName: "expiry", maxConnections: 1 });
  const log = createLogger({ service: "bench", level: "error" });
  try {
    const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid");
    const pid = rows[0]!.pid;
    const cpuBeforeMs = await cpuMs(pid);
    const begunAt = performance.now();
    const gone = await createExpiry({ pool, retention: RETENTION, log })();
    const seconds = (performance.now() - begunAt) / 1000;
    const total = Object.values(gone).reduce((sum, count) => sum + count, 0);
    const events = gone.events ?? 0;
    return {
      seconds: Math.round(seconds * 10) / 10,
      cpuMsPerThousandEvents: Math.round(((await cpuMs(pid)) - cpuBeforeMs) / (events / 1000)),
      eventsPerSecond: Math.round(events / seconds),
      rowsPerSecond: Math.round(total / seconds),
    };
  } finally {
    await pool.end();
  }
}

/** User and system time of a process; Linux counts in hundredths of a second. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Accepts and dispatches events at a steady pace while the work goes on. */
async function loaded(pool: Pool, work: () => Promise<void>) {
  const stop = new AbortController();
  const done = work().finally(() => stop.abort());
  const acceptMs: number[] = [];
  const begunAt = performance.now();
  let sent = 0;
  let inFlight = 0;
  const batches: Promise<void>[] = [];
  while (!stop.signal.aborted) {
    // On a machine that cannot keep up the load is lower, and the figures show it.
    while (inFlight >= MOST_IN_FLIGHT) await pause(1);
    inFlight += 1;
    const batch = acceptAndDispatch(pool).then((ms) => {
      acceptMs.push(ms);
      inFlight -= 1;
    });
    // Thrown below, once the work has ended.
    batch.catch(() => stop.abort());
    batches.push(batch);
    sent += LOAD_BATCH;
    const dueMs = (sent / LOAD_PER_SECOND) * 1000;
    await pause(Math.max(0, dueMs - (performance.now() - begunAt)));
  }
  const seconds = (performance.now() - begunAt) / 1000;
  await Promise.all([...batches, done]);
  acceptMs.sort((a, b) => a - b);
  const at = (share: number) => Math.round(acceptMs[Math.floor(acceptMs.length * share)] ?? 0);
  return {
    eventsPerSecond: Math.round(sent / seconds),
    acceptP50Ms: at(0.5),
    acceptP99Ms: at(0.99),
  };
}

async function acceptAndDispatch(pool: Pool): Promise<number> {
  const batch = Array.from({ length: LOAD_BATCH }, (_, at): EventToAccept => {
    const id = uuidv7();
    return {
      tenantId: `tenant${at % 10}`,
      dedupKey: id.replaceAll("-", "").padStart(64, "0"),
      id,
      eventType: "order.confirmed",
      userId: `user${Math.floor(Math.random() * 10_000)}`,
      reference: null,
      recipientEmail: "ann@example.com",
      recipientPhone: "+12025550123",
      options: null,
      variables: JSON.stringify({ text: "x".repeat(290) }),
      traceId: id,
    };
  }).sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  const begunAt = performance.now();
  await acceptEvents(pool, batch);
  const acceptedMs = performance.now() - begunAt;
  const events = await readEvents(
    pool,
    batch.map(({ id }) => id),
  );
  await dispatchEvents(
    pool,
    events.map((event) => ({
      eventId: event.id,
      acceptedAtText: event.acceptedAtText,
      outcome: null,
      eraseVariables: false,
      isSensitive: false,
      deliveries: (["EMAIL", "SMS"] as const).map((channel) => ({
        id: uuidv7(),
        tenantId: event.tenantId,
        channel,
        recipient: "ann@example.com",
        templateVersionId: "1",
        expiresAt: null,
      })),
      push: {
        tenantId: event.tenantId,
        userId: event.userId,
        eventType: event.eventType,
        title: "Order",
        body: "It has shipped",
        channelName: "personal",
      },
    })),
    { inFlightPerTenant: 1_000_000, inTurn: true },
  );
  return acceptedMs;
}

/** Events 31 to 61 days old, with everything that belongs to them. */
async function fill(pool: Pool): Promise<void> {
  const { rows } = await pool.query(
    "select coalesce(max(channel_offset), 0) as top from notifications",
  );
  for (let first = 1; first <= EVENTS; first += 50_000) {
    await pool.query(
      `with e as (
         insert into events (id, tenant_id, event_type, user_id, recipient_email, recipient_phone,
           variables, trace_id, accepted_at, dispatched_at)
         select overlay(first_id_of(now() - (61 - 30.0 * n / $1) * interval '1 day')::text
                  placing right(gen_random_uuid()::text, 22) from 15)::uuid,
                'tenant' || n % 10, 'order.confirmed', 'user' || n % 10000, 'ann@example.com',
                '+12025550123', '{"text":"' || repeat('x', 290) || '"}', 'trace', now(), now()
         from generate_series($2::integer, least($1, $2 + 49999)) n
         returning id, tenant_id, user_id),
       d as (
         insert into deliveries (id, event_id, tenant_id, channel, template_version_id, status,
           attempts, settled_at)
         select overlay(e.id::text placing right(gen_random_uuid()::text, 12) from 25)::uuid, e.id,
                e.tenant_id, c.channel, 1, 'accepted', 1, now()
         from e, (values ('EMAIL'), ('SMS')) c (channel)
         returning id, event_id, tenant_id, channel),
       a as (
         insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class, reason)
         select id, 1, 'sandbox', now(), now(), 'accepted', 'kept in the outbox' from d),
       o as (
         insert into outbox (id, tenant_id, event_id, delivery_id, channel, recipient, subject, html, text)
         select id, tenant_id, event_id, id, channel, 'ann@example.com', 'Order', repeat('x', 500),
                repeat('x', 100)
         from d)
       insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
         channel_offset, created_at)
       select id, tenant_id, user_id, 'order.confirmed', 'Order', 'It has shipped', 'old',
              $3::bigint + row_number() over () + $2, now()
       from e`,
      [EVENTS, first, rows[0].top],
    );
  }
  await pool.query("update expiry_cursors set next_id = first_id_of('epoch')");
  await pool.query("vacuum analyze");
  await pool.query("checkpoint");
}
