import type pg from "pg";

/** One event to accept, with the dedup key that identifies it. */
export interface EventToAccept {
  tenantId: string;
  /** SHA-256 as 64 hex digits. */
  dedupKey: string;
  /** A fresh UUIDv7. */
  id: string;
  eventType: string;
  userId: string;
  reference: string | null;
  recipientEmail: string | null;
  recipientPhone: string | null;
  /** By channelMask. */
  channels: number | null;
  /** JSON text. */
  variables: string | null;
  traceId: string;
}

export type AcceptOutcome = "accepted" | "reopened" | "replayed" | "minute" | "day" | "inactive";

export interface AcceptResult {
  outcome: AcceptOutcome;
  /** The event that answers; null with `minute`, `day` and `inactive`. */
  eventId: string | null;
  eventType: string | null;
  tenantName: string | null;
  /** The event is not dispatched yet: publish its id. */
  pending: boolean;
  /** The tenant's limits after the batch; null when `inactive`. */
  limits: TenantLimits | null;
}

export interface TenantLimits {
  perMinute: number;
  minuteRemaining: number;
  /** Seconds until the window has room for one more (or one less is in it). */
  minuteWaitSeconds: number;
  /** null: no cap. */
  dailyCap: number | null;
  dayRemaining: number | null;
  /** Seconds until midnight UTC. */
  dayWaitSeconds: number;
}

interface Row {
  position: number;
  /** null: the limits of the item's tenant. */
  outcome: Exclude<AcceptOutcome, "accepted"> | null;
  event_id: string | null;
  event_type: string | null;
  tenant_name: string | null;
  pending: boolean;
  per_minute: number;
  minute_remaining: number;
  minute_wait: number;
  daily_cap: number | null;
  day_remaining: number | null;
  day_wait: number;
}

const SEPARATOR = "\u001f";

/**
 * Accepts a batch in one call. The batch must be sorted by
 * (tenantId, dedupKey). Results come in the order of the batch.
 */
export async function acceptEvents(
  pool: pg.Pool,
  batch: readonly EventToAccept[],
): Promise<AcceptResult[]> {
  const column = (value: (event: EventToAccept) => string | number | null): string =>
    batch.map((event) => value(event) ?? "").join(SEPARATOR);
  const result = await pool.query<Row>({
    name: "accept_events",
    // An event without a row was accepted: of a batch these are mostly all, and rows cost to be read.
    text: `select * from accept_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      where outcome is distinct from 'accepted'`,
    values: [
      column((event) => event.tenantId),
      column((event) => event.dedupKey),
      column((event) => event.id),
      column((event) => event.eventType),
      column((event) => event.userId),
      column((event) => event.reference),
      column((event) => event.recipientEmail),
      column((event) => event.recipientPhone),
      column((event) => event.channels),
      column((event) => event.variables),
      column((event) => event.traceId),
    ],
  });
  const answered = new Map<number, Row>();
  const tenants = new Map<string, { name: string | null; limits: TenantLimits }>();
  for (const row of result.rows) {
    if (row.outcome === null) tenants.set(batch[row.position - 1]!.tenantId, tenantOf(row));
    else answered.set(row.position - 1, row);
  }
  return batch.map((event, index) => {
    const row = answered.get(index);
    const tenant = tenants.get(event.tenantId);
    if (row === undefined) {
      if (tenant === undefined) throw new Error("accept_events did not answer for an event");
      const { id: eventId, eventType } = event;
      const { name: tenantName, limits } = tenant;
      return { outcome: "accepted", eventId, eventType, tenantName, pending: true, limits };
    }
    return {
      outcome: row.outcome!,
      eventId: row.event_id,
      eventType: row.event_type,
      tenantName: row.tenant_name,
      pending: row.pending,
      limits: tenant?.limits ?? null,
    };
  });
}

function tenantOf(row: Row): { name: string | null; limits: TenantLimits } {
  return {
    name: row.tenant_name,
    limits: {
      perMinute: row.per_minute,
      minuteRemaining: row.minute_remaining,
      minuteWaitSeconds: row.minute_wait,
      dailyCap: row.daily_cap,
      dayRemaining: row.day_remaining,
      dayWaitSeconds: row.day_wait,
    },
  };
}

/** Gives back what was accepted and then answered 500; returns the ids that were not dispatched yet. */
export async function refuseEvents(pool: pg.Pool, ids: readonly string[]): Promise<Set<string>> {
  const result = await pool.query<{ refuse_events: string }>({
    name: "refuse_events",
    text: "select refuse_events($1::uuid[])",
    values: [ids],
  });
  return new Set(result.rows.map((row) => row.refuse_events));
}

/** Before a replay is answered 200: returns the ids that stand; the others were refused meanwhile. */
export async function acknowledgeEvents(
  pool: pg.Pool,
  ids: readonly string[],
): Promise<Set<string>> {
  const result = await pool.query<{ acknowledge_events: string }>({
    name: "acknowledge_events",
    text: "select acknowledge_events($1::uuid[])",
    values: [ids],
  });
  return new Set(result.rows.map((row) => row.acknowledge_events));
}
