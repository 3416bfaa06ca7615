import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { DeadSelection } from "./dead-letter-rows.ts";

/** Queries of administration on `dead_messages`: NATS messages that nobody will handle. */

export type DeadMessageSelection = Pick<
  DeadSelection,
  "ids" | "tenantId" | "channel" | "since" | "until"
>;

/** The newest first. Only messages of deliveries name a tenant and a channel, in their subject. */
export async function deadMessages(db: Database, selection: DeadMessageSelection, most: number) {
  let query = db
    .selectFrom("dead_messages")
    .select(["id", "stream", "subject", "data", "deliveries", "reason", "created_at as createdAt"]);
  const { ids, tenantId, channel, since, until } = selection;
  if (ids !== undefined) query = query.where(sql<boolean>`id = any (${ids}::uuid[])`);
  if (tenantId !== undefined) query = query.where("subject", "like", `%.deliveries.%.${tenantId}`);
  if (channel !== undefined) query = query.where("subject", "like", `%.deliveries.${channel}.%`);
  if (since !== undefined) query = query.where("created_at", ">=", since);
  if (until !== undefined) query = query.where("created_at", "<", until);
  return await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(most).execute();
}

export type DeadMessageRow = Awaited<ReturnType<typeof deadMessages>>[number];

export async function deleteDeadMessage(db: Database, id: string): Promise<boolean> {
  const result = await db.deleteFrom("dead_messages").where("id", "=", id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/**
 * Lets the sweeper publish these events once more: those that are still open, and those that the
 * dispatcher gave up whole. What has been dispatched stays as it is. Returns how many.
 */
export async function reopenEvents(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with dead as materialized (
      select e.id from events e
      where e.id = any (${ids}::uuid[]) and e.dispatched_at is not null
        and e.outcome ? 'failed' and not e.outcome ? 'skipped'
        and not exists (select from deliveries d where d.event_id = e.id)
        and not exists (select from notifications n where n.id = e.id)
        and not exists (select from digest_items i where i.event_id = e.id)
      order by e.id for update of e
    ),
    given_up as (
      update events set dispatched_at = null, outcome = null
      where id = any (array(select id from dead)) returning id
    ),
    open as materialized (
      select event_id from undispatched_events where event_id = any (${ids}::uuid[])
      order by event_id for update
    ),
    reopened as (
      insert into undispatched_events (event_id, published_at) select id, 'epoch' from given_up
      on conflict do nothing returning event_id
    ),
    still_open as (
      update undispatched_events set published_at = 'epoch'
      where event_id = any (array(select event_id from open)) returning event_id
    )
    select ((select count(*) from reopened) + (select count(*) from still_open))::integer as count
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/** Puts deliveries that are on their way back to rest, due now: the release loop sends them out again. */
export async function restDeliveries(db: Database, ids: readonly string[]): Promise<number> {
  const result = await sql`
    with locked as materialized (
      select id from deliveries where id = any (${ids}::uuid[]) and status in ('queued', 'waiting')
      order by id for update
    )
    update deliveries set released_at = null, due_at = least(due_at, clock_timestamp())
    where id = any (array(select id from locked))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
