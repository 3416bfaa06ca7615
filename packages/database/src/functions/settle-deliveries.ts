import type { DeliveryStatus } from "@belfry/contracts/delivery";
import type { OutcomeClass } from "@belfry/contracts/sending";
import type { Selectable } from "kysely";
import type pg from "pg";
import type { AttemptsTable } from "../schema.ts";

/** What an attempt leaves behind when it made a call. */
export type AttemptEnd = Pick<
  Selectable<AttemptsTable>,
  "reason" | "vendor_status" | "vendor_answer" | "message_id"
> & { class: OutcomeClass; durationMs: number };

export interface Settlement {
  deliveryId: string;
  /** The number of the attempt that was claimed. */
  attempt: number;
  status: Extract<
    DeliveryStatus,
    "accepted" | "waiting" | "failed" | "expired" | "skipped" | "unknown"
  >;
  reason: string | null;
  /** When it is due again; for `waiting`. */
  delayMs: number | null;
  /** Whether it moves on in the retry schedule. */
  counted: boolean;
  /** Variables that the template named and the event did not have; null leaves what is known. */
  missing: readonly string[] | null;
  /** null: no call was made, and the attempt is taken back. */
  end: AttemptEnd | null;
}

const SEPARATOR = "\u001f";

/** Settles a batch in one call. Returns the deliveries that moved. */
export async function settleDeliveries(
  pool: pg.Pool,
  batch: readonly Settlement[],
): Promise<Set<string>> {
  const { rows } = await pool.query<{ settle_deliveries: string }>({
    name: "settle_deliveries",
    text: `select settle_deliveries($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::bigint[],
      $6::boolean[], $7::text[], $8::text[], $9::integer[], $10::text[], $11::text[], $12::text[], $13::text[])`,
    values: [
      batch.map((item) => item.deliveryId),
      batch.map((item) => item.attempt),
      batch.map((item) => item.status),
      batch.map((item) => storable(item.reason)),
      batch.map((item) => (item.delayMs === null ? null : Math.round(item.delayMs))),
      batch.map((item) => item.counted),
      batch.map((item) => missingNames(item.missing)),
      batch.map((item) => item.end?.class ?? null),
      batch.map((item) => (item.end === null ? null : Math.round(item.end.durationMs))),
      batch.map((item) => storable(item.end?.reason ?? null)),
      batch.map((item) => storable(item.end?.vendor_status ?? null)),
      batch.map((item) => storable(item.end?.vendor_answer ?? null)),
      batch.map((item) => storable(item.end?.message_id ?? null)),
    ],
  });
  return new Set(rows.map((row) => row.settle_deliveries));
}

export interface Postponement {
  tenantId: string;
  ids: readonly string[];
  /** Why, for the timeline; null keeps what stands there. */
  reason: string | null;
  /** When the first is due again, and how far apart the others follow. */
  delayMs: number;
  spacingMs: number;
}

/** Puts released deliveries back to rest, untried. Leaves alone what another sender has claimed since. */
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

function missingNames(names: readonly string[] | null): string | null {
  if (names === null || names.length === 0) return null;
  return names.map((name) => (storable(name) ?? "").replaceAll(SEPARATOR, " ")).join(SEPARATOR);
}

/** A text column holds neither U+0000 nor a lone surrogate, and one of them fails a whole batch. */
function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll("\u0000", "").toWellFormed();
}
