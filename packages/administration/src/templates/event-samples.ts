import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { parseVariables } from "@belfry/templates/language/event-variables";
import { type SqlBool, sql } from "kysely";
import { usedSensitiveTemplate } from "../events/sent-content-rows.ts";
import { idAt } from "../scanned-page.ts";

/** So many of a tenant's newest events are looked at, of whatever type. */
const MOST_EVENTS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface RecentEvents {
  count: number;
  /** False: there are more events than were looked at. */
  complete: boolean;
}

/** Events of a type in the last 24 hours among a tenant's newest 10,000; of the platform among everybody's. */
export async function countRecentEvents(
  db: Database,
  tenantId: string,
  eventType: string,
  now = Date.now(),
): Promise<RecentEvents> {
  const { rows } = await sql<{ count: number; looked: number }>`
    select count(*) filter (where e.event_type = ${eventType})::integer as count,
           count(*)::integer as looked
    from (select event_type from events where ${ofOwner(tenantId)} and id >= ${idAt(new Date(now - DAY_MS))}
          order by id desc limit ${MOST_EVENTS}) e`.execute(db);
  const { count = 0, looked = 0 } = rows[0] ?? {};
  return { count, complete: looked < MOST_EVENTS };
}

/**
 * The variables of the newest event of a type, among a tenant's newest 10,000, for a preview: never of
 * an event that a sensitive template is for, or was when it was dispatched, and never another tenant's.
 * Undefined: there is none.
 */
export async function sampleFromEvents(db: Database, tenantId: string, eventType: string) {
  if (tenantId === PLATFORM) return undefined;
  const { rows } = await sql<{ variables: string; acceptedAt: Date; isNoted: boolean }>`
    select e.variables, e.accepted_at as "acceptedAt",
           exists (select from sensitive_events s where s.event_id = e.id) as "isNoted"
    from (select event_type, variables, accepted_at, id from events where tenant_id = ${tenantId}
          order by id desc limit ${MOST_EVENTS}) e
    where e.event_type = ${eventType} and e.variables is not null
    order by e.id desc limit 1`.execute(db);
  const [newest] = rows;
  // Noted until its variables are erased, also where the template is gone by now.
  if (newest === undefined || newest.isNoted) return undefined;
  const { variables, acceptedAt } = newest;
  if (await usedSensitiveTemplate(db, tenantId, { eventType, acceptedAt })) return undefined;
  return parseVariables(variables);
}

function ofOwner(tenantId: string) {
  return tenantId === PLATFORM ? sql<SqlBool>`true` : sql<SqlBool>`tenant_id = ${tenantId}`;
}
