import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import type { Owner } from "@belfry/database/notifications";
import { sql } from "kysely";
import { USER_ACTIONS } from "./erase-notes.ts";

/** Where else a tenant's user leaves something: beside the events, found by them or by an address. */

const LOOKS = 10_000;

export interface UserOutbox {
  /** Of events and digests of the user. */
  ids: string[];
  /** Their event or digest is gone. */
  orphans: string[];
  /** The last id that was looked at: go on there; undefined: there was nothing. */
  reached: string | undefined;
}

/** Looks at the tenant's next 10,000 outbox messages after an id. */
export async function outboxOfUser(
  db: Database,
  { tenantId, userId }: Owner,
  after: string | undefined,
): Promise<UserOutbox> {
  const { rows } = await sql<Omit<UserOutbox, "reached"> & { reached: string | null }>`
    with seen as materialized (
      select o.id, o.event_id from outbox o
      where o.tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and o.id > ${after}::uuid`}
      order by o.id limit ${sql.lit(LOOKS)}
    ),
    owned as materialized (
      select seen.id, coalesce(e.user_id, g.user_id) as user_id from seen
      left join lateral (select e.user_id from events e where e.id = seen.event_id limit 1) e on true
      left join lateral (
        select g.user_id from digests g where e.user_id is null and g.id = seen.event_id limit 1
      ) g on true
    )
    select array(select id::text from owned where user_id = ${userId}) as ids,
           array(select id::text from owned where user_id is null) as orphans,
           (select id from seen order by id desc limit 1) as reached`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error("a query without from returned nothing");
  return { ...found, reached: found.reached ?? undefined };
}

export async function deleteOutbox(db: Database, ids: readonly string[]): Promise<number> {
  const result = await sql`
    with locked as materialized (
      select id from outbox where id = any (${ids}::uuid[]) order by id for update
    )
    delete from outbox where id = any (array(select id from locked))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/** Messages that were set aside, in the order of their ids. */
export async function deadMessagesAfter(db: Database, after: string | undefined, most: number) {
  let query = db.selectFrom("dead_messages").select(["id", "data"]);
  if (after !== undefined) query = query.where("id", ">", after);
  return await query.orderBy("id").limit(most).execute();
}

export async function replaceDeadMessage(db: Database, id: string, data: string): Promise<void> {
  await db
    .updateTable("dead_messages")
    .set({ data: Buffer.from(data) })
    .where("id", "=", id)
    .execute();
}

/** Which of these ids are of an event or of a delivery that there still is. */
export async function idsThere(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from events where id = any (${ids}::uuid[])
    union all
    select id from deliveries where id = any (${ids}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** How many of these addresses, in the form of suppressions.ts, the tenant sends nothing to. */
export async function countSuppressions(
  db: Database,
  tenantId: string,
  addresses: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from suppressions
    where tenant_id = ${tenantId} and channel = any (${PROVIDER_CHANNELS}::text[])
      and address = any (${addresses}::text[])`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * How many entries of the tenant's audit log have one of these words in them, whatever its case. Those that tell of
 * the user alone do not count: an erasure takes it out of them.
 */
export async function countAuditEntries(
  db: Database,
  { tenantId, userId }: Owner,
  words: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from audit_log a
    where a.tenant_id = ${tenantId}
      and not (a.action = any (${[...USER_ACTIONS]}::text[]) and a.target = ${userId})
      and exists (
      select from unnest(${words}::text[]) w (word)
      where position(lower(w.word) in lower(a.target || coalesce(a.before::text, '') || coalesce(a.after::text, ''))) > 0
    )`.execute(db);
  return rows[0]?.count ?? 0;
}
