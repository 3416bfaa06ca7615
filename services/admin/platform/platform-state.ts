import { type ProviderChannel, WEBHOOK } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { parseProcessName } from "@belfry/database/process-name";
import { sql } from "kysely";

/** What an operator wants to see at a glance; each a few milliseconds, whatever the tables hold. */

export interface ConnectedService {
  name: string;
  /** null: a client that does not say. */
  version: string | null;
  connections: number;
  /** When its process was started, or, of a client that does not say, its oldest connection opened. */
  since: Date;
}

/** One row a process; those of one service that were started in the same second are one. */
export async function connectedServices(db: Database): Promise<ConnectedService[]> {
  const { rows } = await sql<{ name: string; connections: number; since: Date }>`
    select application_name as name, count(*)::integer as connections, min(backend_start) as since
    from pg_stat_activity
    where datname = current_database() and application_name <> ''
    group by application_name order by application_name`.execute(db);
  return rows.map(({ name, connections, since }) => {
    const { service, version, startedAt } = parseProcessName(name);
    return { name: service, version, connections, since: startedAt ?? since };
  });
}

export interface OpenAccount {
  tenantId: string;
  tenantName: string;
  providerId: string;
  kind: string;
  channel: ProviderChannel;
  class: string;
  reason: string;
  openUntil: Date;
}

/** Provider accounts that are not used now; of one tenant if it is named. */
export async function openCircuits(db: Database, tenantId?: string): Promise<OpenAccount[]> {
  let query = db
    .selectFrom("provider_circuits as c")
    .innerJoin("providers as p", "p.id", "c.provider_id")
    .innerJoin("tenants as t", "t.id", "p.tenant_id")
    .select([
      "t.id as tenantId",
      "t.name as tenantName",
      "p.id as providerId",
      "p.kind",
      "p.channel",
      "c.class",
      "c.reason",
      "c.open_until as openUntil",
    ]);
  if (tenantId !== undefined) query = query.where("p.tenant_id", "=", tenantId);
  return await query.orderBy("c.opened_at", "desc").limit(100).execute();
}

/** When the delivery that is due for longest was due, by channel that events are sent on. */
export async function oldestDue(
  db: Database,
): Promise<{ channel: ProviderChannel; dueAt: Date }[]> {
  const { rows } = await sql<{ channel: ProviderChannel; dueAt: Date }>`
    select d.channel, min(d.due_at) as "dueAt" from deliveries d
    where d.released_at is null and d.status in ('queued', 'waiting') and d.due_at < now()
      and d.channel <> ${WEBHOOK}
    group by d.channel order by d.channel`.execute(db);
  return rows;
}

/** Accepted, neither dispatched nor refused: how many (up to 10,000), and since when the oldest waits. */
export async function undispatched(db: Database): Promise<{ count: number; since: Date | null }> {
  const { rows } = await sql<{ count: number; since: Date | null }>`
    select count(*)::integer as count, min(accepted_at) as since
    from (select accepted_at from undispatched_events order by event_id limit 10000) u`.execute(db);
  return rows[0]!;
}
