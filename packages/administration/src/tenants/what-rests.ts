import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { mostRestMs } from "@belfry/contracts/retention";
import type { Database } from "@belfry/database/connection";
import { keptDays } from "@belfry/database/kept-days";
import { sql } from "kysely";
import { refuseFaults } from "../input-error.ts";
import { longestDigestSeconds } from "../templates/timing-input.ts";

type RetentionField = "eventRetentionDays" | "notificationRetentionDays";

/**
 * Refuses retention days under which something would be gone before it is sent, or soon after: what is scheduled,
 * and what templates gather or hold back. Within the transaction that changes them. Throws `InvalidInput`.
 */
export async function requireRoomForWhatRests(
  db: Database,
  tenantId: string,
  field: RetentionField,
): Promise<void> {
  const most = mostRestMs(await keptDays(db, tenantId));
  const { rows } = await sql<{ count: number; last: Date }>`
    select count(*)::integer as count, max(s.send_at) as last from scheduled_events s
    cross join lateral (
      select e.accepted_at from events e where e.id = s.event_id and e.tenant_id = s.tenant_id limit 1
    ) e
    where s.tenant_id = ${tenantId}
      and s.send_at > e.accepted_at + make_interval(secs => ${most / 1000})`.execute(db);
  const { count, last } = rows[0]!;
  if (count > 0) {
    const events = count === 1 ? "an event is" : `${count} events are`;
    const message = `is too short: ${events} scheduled beyond it, the last for ${last.toISOString()}`;
    refuseFaults([{ field, message }]);
  }
  const waits = await waitBeyond(db, tenantId, most);
  if (waits.count > 0) {
    const messages = waits.count === 1 ? "a message waits" : `${waits.count} messages wait`;
    const message = `is too short: ${messages} beyond it, the last until ${waits.last.toISOString()}`;
    refuseFaults([{ field, message }]);
  }
  const templates = await db
    .selectFrom("templates")
    .select(["event_type", "channel", "digest", "after_unread_seconds"])
    .where("tenant_id", "=", tenantId)
    .where((where) =>
      where.or([where("digest", "is not", null), where("after_unread_seconds", "is not", null)]),
    )
    .execute();
  const beyond = templates.find(
    ({ digest, after_unread_seconds }) =>
      Math.max(digest === null ? 0 : longestDigestSeconds(digest), after_unread_seconds ?? 0) *
        1000 >
      most,
  );
  if (beyond === undefined) return;
  const message = `is too short: events may wait longer for the ${beyond.channel} template of ${JSON.stringify(beyond.event_type)}`;
  refuseFaults([{ field, message }]);
}

/** What gathers events or waits to be read may do so longer than its template has it wait by now. */
async function waitBeyond(db: Database, tenantId: string, mostMs: number) {
  const { rows } = await sql<{ count: number; last: Date }>`
    select count(*)::integer as count, max(d.due_at) as last
    from unnest(${PROVIDER_CHANNELS}::text[]) c (channel)
    cross join lateral (
      select d.event_id, d.created_at, d.due_at, d.unless_read from deliveries d
      where d.channel = c.channel and d.tenant_id = ${tenantId} and d.released_at is null
        and d.status in ('queued', 'waiting') and d.due_at > clock_timestamp()
    ) d
    where d.due_at > d.created_at + make_interval(secs => ${mostMs / 1000})
      and (d.unless_read or exists (select from digests g where g.id = d.event_id))`.execute(db);
  return rows[0]!;
}
