import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { UserOfTenant } from "../tenants/realtime.ts";

/** The users whom a broadcast names: those it is for, or those it leaves out. */
export async function insertPeople(
  db: Database,
  broadcastId: string,
  users: readonly string[],
  isExcepted: boolean,
): Promise<void> {
  if (users.length === 0) return;
  await sql`
    insert into broadcast_people (broadcast_id, user_id, is_excepted)
    select ${broadcastId}::uuid, u.user_id, ${isExcepted} from unnest(${users}::text[]) u (user_id)
    order by u.user_id`.execute(db);
}

/**
 * Takes a user who is being erased out of the lists of the tenant's broadcasts. Until the transaction ends no broadcast of
 * the tenant makes an event: what it made before is committed, and the erasure finds it. Call it before `leaveTopics`.
 */
export async function leaveBroadcasts(
  db: Database,
  { tenantId, userId }: UserOfTenant,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(people_lock(${tenantId}))`.execute(db);
  await sql`
    delete from broadcast_people p using broadcasts b
    where b.tenant_id = ${tenantId} and b.ended_at is null and p.broadcast_id = b.id
      and p.is_excepted in (true, false) and p.user_id = ${userId}`.execute(db);
}
