import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

export interface ListedUser {
  userId: string;
  /** Of the directory; null: it has none, or not this user. */
  email: string | null;
  phone: string | null;
  /** The tenant has named it; else events alone do. */
  isNamed: boolean;
  /** When its newest event was accepted; null: none is known. */
  lastEventAt: Date | null;
}

/** A tenant's users by their ids, those of the directory, those who have turned something off and those that events alone name: a page, by index. */
export async function listUsers(
  db: Database,
  tenantId: string,
  { after = "", limit }: { after?: string | undefined; limit: number },
): Promise<ListedUser[]> {
  const { rows } = await sql<ListedUser>`
    with listed as materialized (
      select u.user_id from (
        (select r.user_id from recipients r
         where r.tenant_id = ${tenantId} and r.user_id > ${after} order by r.user_id limit ${limit})
        union
        (select s.user_id from search_users s
         where s.tenant_id = ${tenantId} and s.user_id > ${after} order by s.user_id limit ${limit})
      ) u
      order by u.user_id limit ${limit}
    )
    select l.user_id as "userId", r.email, r.phone, r.user_id is not null as "isNamed",
           last.accepted_at as "lastEventAt"
    from listed l
    left join lateral (
      select r.user_id, r.email, r.phone from recipients r
      where r.tenant_id = ${tenantId} and r.user_id = l.user_id and r.named limit 1
    ) r on true
    left join lateral (
      select s.hash from search_users s where s.tenant_id = ${tenantId} and s.user_id = l.user_id limit 1
    ) s on true
    left join lateral (
      select e.accepted_at from (
        select t.id as event_id from search_term_events(p_hashes => array[s.hash], p_most => 1) t (id)
        where s.hash is not null
      ) t
      join events e on e.id = t.event_id and e.tenant_id = ${tenantId}
    ) last on true
    order by l.user_id`.execute(db);
  return rows;
}
