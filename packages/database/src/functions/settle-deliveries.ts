import type { DeliveryStatus } from "@belfry/contracts/delivery";
import type { OutcomeClass } from "@belfry/contracts/sending";
import type { Selectable } from "kysely";
import type pg from "pg";
import { callFunction } from "../connection.ts";
import type { Schema } from "../schema.ts";

/** The result of an attempt that called a provider. */
export type AttemptEnd = Pick<
  Selectable<Schema["attempts"]>,
  "reason" | "vendor_status" | "vendor_answer" | "message_id"
> & { class: OutcomeClass; durationMs: number };

export interface Settlement {
  deliveryId: string;
  /** The number of the attempt that was claimed. */
  attempt: number;
  status: Extract<
    DeliveryStatus,
    "accepted" | "waiting" | "failed" | "bounced" | "expired" | "skipped" | "unknown"
  >;
  reason: string | null;
  /** For `waiting`: after how long the delivery is due again. */
  delayMs: number | null;
  /** Whether the attempt counts in the retry schedule. */
  counted: boolean;
  /** Variables that the template uses and the event does not have. If null or empty, the stored ones stay. */
  missing: readonly string[] | null;
  /** Other faults of the message, in the timeline's words. If absent or empty, the stored ones stay. */
  warnings?: readonly string[];
  /** Null if no call was made: the attempt is then deleted. */
  end: AttemptEnd | null;
}

/** Settles a batch in one call. Returns the ids of the deliveries that it changed. */
export async function settleDeliveries(
  pool: pg.Pool,
  batch: readonly Settlement[],
): Promise<Set<string>> {
  const rows = await callFunction<{ settleDeliveries: string }>(pool, "settle_deliveries", {
    p_ids: batch.map((item) => item.deliveryId),
    p_numbers: batch.map((item) => item.attempt),
    p_statuses: batch.map((item) => item.status),
    p_reasons: batch.map((item) => storable(item.reason)),
    p_delays_ms: batch.map((item) => (item.delayMs === null ? null : Math.round(item.delayMs))),
    p_counted: batch.map((item) => item.counted),
    p_missing: batch.map(lackingText),
    p_classes: batch.map((item) => item.end?.class ?? null),
    p_durations_ms: batch.map((item) =>
      item.end === null ? null : Math.round(item.end.durationMs),
    ),
    p_attempt_reasons: batch.map((item) => storable(item.end?.reason ?? null)),
    p_vendor_statuses: batch.map((item) => storable(item.end?.vendor_status ?? null)),
    p_vendor_answers: batch.map((item) => storable(item.end?.vendor_answer ?? null)),
    p_message_ids: batch.map((item) => storable(item.end?.message_id ?? null)),
  });
  return new Set(rows.map((row) => row.settleDeliveries));
}

export interface Postponement {
  tenantId: string;
  ids: readonly string[];
  /** The reason for the timeline; null keeps the stored one. */
  reason: string | null;
  /** When the first delivery is due again, and the interval between the following ones. */
  delayMs: number;
  spacingMs: number;
}

/** Undoes the release of deliveries and makes them due later. Ignores those that a sender has claimed since. */
export async function postponeDeliveries(
  pool: pg.Pool,
  { tenantId, ids, reason, delayMs, spacingMs }: Postponement,
): Promise<void> {
  await pool.query({
    name: "postpone_deliveries",
    text: `with locked as materialized (
        select d.id from deliveries d
        where d.id = any ($1::uuid[]) and d.tenant_id = $2 and d.status in ('queued', 'waiting')
          and d.released_at is not null
        order by d.id for update
      )
      update deliveries d
      set released_at = null, reason = coalesce($3, d.reason),
          due_at = least(clock_timestamp()
            + ($4::float8 + (i.place - 1) * $5::float8) * interval '1 millisecond', d.expires_at)
      from unnest($1::uuid[]) with ordinality i (id, place)
      where d.id = any (array(select id from locked)) and d.id = i.id`,
    values: [ids, tenantId, storable(reason), delayMs, spacingMs],
  });
}

/** Returns the missing variables and the warnings as JSON for the SQL function `lacking`; null if both are empty. */
function lackingText({ missing, warnings = [] }: Settlement): string | null {
  const names = (missing ?? []).map(storable);
  if (warnings.length === 0) return names.length === 0 ? null : JSON.stringify(names);
  return JSON.stringify({ missing: names, warnings: warnings.map(storable) });
}

/** Removes what a text column cannot store: U+0000 and lone surrogates. One of them would fail a whole batch. */
function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll("\u0000", "").toWellFormed();
}
