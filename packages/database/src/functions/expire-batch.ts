import type { KeptDays } from "@belfry/contracts/retention";
import type pg from "pg";
import { callFunction } from "../connection.ts";

/** Tables whose expired rows are deleted tenant by tenant. Rows that belong to an event are deleted with it. */
export const WALKED_TABLES = [
  "events",
  "outbox",
  "notifications",
  "inbound_messages",
  "webhook_messages",
] as const;
export type WalkedTable = (typeof WALKED_TABLES)[number];

export interface ExpiryStep {
  /** `busy`: another replica works on this table; `done`: no expired row is left. */
  state: "walked" | "busy" | "done";
  /** Rows deleted, by table. */
  rows: Record<string, number>;
  /** Deliveries among them that were not sent yet. */
  unfinished: number;
}

/** Rows that one step reads. */
const LOOKS = 2_000;
/** Most rows that one step deletes. An event's deliveries, attempts and receipts are deleted with the event. */
const MOST: Readonly<Record<WalkedTable, number>> = {
  events: 500,
  outbox: 1_000,
  notifications: 2_000,
  inbound_messages: 1_000,
  webhook_messages: 1_000,
};

/** Least retention of webhook messages in days, because they are retried for days. expire_batch has the same bound. */
export const LEAST_MESSAGE_DAYS = 5;

/**
 * Makes one small step over a table in its own transaction; many replicas may call it at the same time. Deletes rows
 * that are older at `moment` than their tenant's retention.
 */
export async function expireStep(
  pool: pg.Pool,
  table: WalkedTable,
  retention: KeptDays,
  moment: Date,
): Promise<ExpiryStep> {
  type Row = { state: ExpiryStep["state"]; counted: Record<string, number> };
  const rows = await callFunction<Row>(pool, "expire_batch", {
    p_table: table,
    p_days: daysOf(table, retention),
    p_moment: moment,
    p_looks: LOOKS,
    p_most: MOST[table],
  });
  const [step] = rows;
  if (step === undefined) throw new Error("expire_batch returned nothing");
  const { unfinished = 0, ...counted } = step.counted;
  return { state: step.state, rows: counted, unfinished };
}

/**
 * Returns how many seconds the deletion of each table is late: the age of the oldest row that may have expired, less its
 * tenant's days of retention. 0 if nothing is late.
 */
export async function readExpiryLags(
  pool: pg.Pool,
  retention: KeptDays,
): Promise<{ table: WalkedTable; seconds: number }[]> {
  const lags = WALKED_TABLES.map(async (table) => {
    // Reads only the next row after a cursor, of whichever tenant, so that rows before the cursor cost nothing.
    const { rows } = await pool.query<{ seconds: number }>(
      `select coalesce(max(extract(epoch from clock_timestamp() - next.made_at)
                - 86400 * greatest(coalesce(own.days, $2::integer), $3::integer)), 0)::float8 as seconds
       from expiry_cursors c
       left join lateral (
         select case c.table_name when 'notifications' then t.notification_retention_days
                else t.event_retention_days end as days
         from tenants t where t.id = c.tenant_id
       ) own on true
       cross join lateral (
         select to_timestamp(('x' || left(replace(x.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
           as made_at
         from ${table} x where x.id > c.next_id order by x.id limit 1
       ) next
       where c.table_name = $1`,
      [table, daysOf(table, retention), table === "webhook_messages" ? LEAST_MESSAGE_DAYS : 0],
    );
    return { table, seconds: Math.max(0, rows[0]?.seconds ?? 0) };
  });
  return await Promise.all(lags);
}

/** Returns the longest retention that any tenant has, in days. */
export async function longestRetention(pool: pg.Pool, retention: KeptDays): Promise<KeptDays> {
  const { rows } = await pool.query<{ event_days: number; notification_days: number }>(
    `select greatest($1::integer, max(event_retention_days)) as event_days,
            greatest($2::integer, max(notification_retention_days)) as notification_days
     from tenants`,
    [retention.eventDays, retention.notificationDays],
  );
  const [longest] = rows;
  if (longest === undefined) throw new Error("an aggregate returned nothing");
  return { eventDays: longest.event_days, notificationDays: longest.notification_days };
}

/** Returns the time of the database's clock, which is the same for all replicas. */
export async function databaseMoment(pool: pg.Pool): Promise<Date> {
  const { rows } = await pool.query<{ moment: Date }>("select clock_timestamp() as moment");
  return rows[0]!.moment;
}

function daysOf(table: WalkedTable, { eventDays, notificationDays }: KeptDays): number {
  return table === "notifications" ? notificationDays : eventDays;
}
