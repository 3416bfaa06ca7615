import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { type FoundEvent, foundColumns } from "../events/search-events.ts";

export interface EventOfTenant extends FoundEvent {
  tenantId: string;
}

export interface UserOfSearch {
  tenantId: string;
  userId: string;
}

/**
 * Returns the condition that a column of collation "C" begins with a text. U+10FFFF sorts last there, and no character
 * is a wildcard.
 */
export function beginsWith(column: ReturnType<typeof sql>, text: string) {
  return sql`(${column} >= ${text} and ${column} < ${text} || chr(1114111))`;
}

/** Most tenants with the same value that an operator's search reads. */
const MOST_TENANTS = 1000;

/** Returns the distinct stored hashes from `low` to `high`, with one index look-up for each. */
export async function hashesBetween(db: Database, low: string, high: string): Promise<string[]> {
  const next = (beyond: ReturnType<typeof sql>) => sql`(
    select t.hash from search_terms t where ${beyond} and t.hash <= ${high}::uuid order by t.hash limit 1)`;
  const { rows } = await sql<{ hash: string }>`
    with recursive own (hash) as (
      ${next(sql`t.hash >= ${low}::uuid`)}
      union all
      select n.hash from own cross join lateral ${next(sql`t.hash > own.hash`)} n
    )
    select hash from own limit ${sql.lit(MOST_TENANTS)}`.execute(db);
  return rows.map(({ hash }) => hash);
}

/** Returns the ids of the newest events of the hashes, at most `most` in all. */
export async function eventIdsByHash(db: Database, hashes: readonly string[], most: number) {
  if (hashes.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select distinct id from search_term_events(p_hashes => ${hashes}::uuid[], p_most => ${most}) t (id)
    order by id desc limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns those events that were sent to a number with these last digits. */
export async function withNumberEnd(db: Database, ids: readonly string[], digits: string) {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select i.id from unnest(${ids}::uuid[]) i (id)
    where exists (
      select from (
        select e.recipient_phone as number from events e where e.id = i.id
        union all
        select d.recipient from deliveries d where d.event_id = i.id
        union all
        select g.recipient from digest_items m join digests g on g.id = m.digest_id where m.event_id = i.id
      ) n where "right"(n.number, ${digits.length}) = ${digits} offset 0)`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the ids of the events that belong to an id of an event, a digest or a delivery. */
export async function eventIdsById(
  db: Database,
  id: string,
  most: number,
  tenantId: string | undefined,
): Promise<string[]> {
  const own = (of: string) =>
    tenantId === undefined ? sql`` : sql`and ${sql.ref(of)} = ${tenantId}`;
  const { rows } = await sql<{ id: string }>`
    with named as materialized (
      select ${id}::uuid as id
      union
      select d.event_id from deliveries d where d.id = ${id}::uuid ${own("d.tenant_id")}
    )
    select n.id from named n
    union
    (select i.event_id from named n cross join lateral (
       select i.event_id from digest_items i
       where i.digest_id = n.id
         and exists (select from digests g where g.id = n.id ${own("g.tenant_id")} offset 0)
       order by i.event_id desc limit ${most}
     ) i)`.execute(db);
  return rows.map((row) => row.id);
}

/** Returns events in the form of lists, newest first. If `tenantId` is set, returns only this tenant's. */
export async function eventsByIds(
  db: Database,
  ids: readonly string[],
  tenantId: string | undefined,
): Promise<EventOfTenant[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventOfTenant>`
    select ${foundColumns("e")}, e.tenant_id as "tenantId"
    from unnest(${ids}::uuid[]) i (id)
    cross join lateral (select * from events e where e.id = i.id limit 1) e
    ${tenantId === undefined ? sql`` : sql`where e.tenant_id = ${tenantId}`}
    order by e.id desc`.execute(db);
  return rows;
}

/** Queries for the users of tenant `t` that match a text. */
export const WHO = {
  /** Users with this id, in the directory or in events. */
  id: (userId: string) => sql`
    select r.user_id from recipients r where r.tenant_id = t.id and r.user_id = ${userId}
    union
    select u.user_id from search_users u where u.tenant_id = t.id and u.user_id = ${userId}`,
  /** Users with this address in the directory, in the form of suppressions. */
  email: (email: string, most: number) => sql`
    select r.user_id from recipients r
    where r.tenant_id = t.id and r.email is not null and lower(r.email collate "C") = ${email}
    limit ${most}`,
  /** Users whose id begins with the text, in the directory or in events. */
  idBeginning: (text: string, most: number) => sql`
    (select r.user_id from recipients r
     where r.tenant_id = t.id and ${beginsWith(sql`r.user_id`, text)} order by r.user_id limit ${most})
    union
    (select u.user_id from search_users u
     where u.tenant_id = t.id and ${beginsWith(sql`u.user_id`, text)} order by u.user_id limit ${most})`,
  /** Users whose address in the directory begins with the text, in the form of suppressions. */
  emailBeginning: (text: string, most: number) => sql`
    select r.user_id from recipients r
    where r.tenant_id = t.id and r.email is not null and ${beginsWith(sql`lower(r.email collate "C")`, text)}
    order by lower(r.email collate "C") limit ${most}`,
  /** Users whose number in the directory ends with these digits, at least eight. */
  phone: (digits: string, most: number) => sql`
    select r.user_id from recipients r
    where r.tenant_id = t.id and r.phone is not null
      and "right"(r.phone, 8) = ${digits.slice(-8)} and "right"(r.phone, ${digits.length}) = ${digits}
    limit ${most}`,
};

/** Returns the users with their email addresses in the directory, in the same order. */
export async function emailsOfUsers(db: Database, users: readonly UserOfSearch[]) {
  if (users.length === 0) return [];
  const column = (name: keyof UserOfSearch) => users.map((user) => user[name]);
  const { rows } = await sql<UserOfSearch & { email: string | null }>`
    select u.tenant_id as "tenantId", u.user_id as "userId", r.email
    from unnest(${column("tenantId")}::text[], ${column("userId")}::text[])
      with ordinality u (tenant_id, user_id, place)
    left join lateral (
      select r.email from recipients r where r.tenant_id = u.tenant_id and r.user_id = u.user_id limit 1
    ) r on true
    order by u.place`.execute(db);
  return rows;
}

/** Runs a query of `WHO` for each tenant, because the indexes begin with the tenant's id. */
export async function usersWho(
  db: Database,
  found: ReturnType<typeof sql>,
  tenantId: string | undefined,
  most: number,
): Promise<UserOfSearch[]> {
  const { rows } = await sql<UserOfSearch>`
    select t.id as "tenantId", f.user_id as "userId" from tenants t cross join lateral (${found}) f
    ${tenantId === undefined ? sql`` : sql`where t.id = ${tenantId}`}
    order by t.id, f.user_id limit ${most}`.execute(db);
  return rows;
}
