import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** What a message was made of. The caller decides whether it may be seen. */

export interface SentVersion {
  compiled: unknown;
  /** The digest that the message is of; null: it is of one event. */
  digestId: string | null;
  /** null: the template is gone. */
  sensitive: boolean | null;
  /** As it is set now. */
  plainCharacters: boolean | null;
}

/** Of the event's own delivery on the channel, else of the digest that it is in; the id of a digest does as well. */
export async function sentVersion(
  db: Database,
  tenantId: string,
  eventId: string,
  channel: ProviderChannel,
): Promise<SentVersion | undefined> {
  const { rows } = await sql<SentVersion>`
    select v.compiled, g.id as "digestId", t.plain_characters as "plainCharacters",
           t.sensitive or coalesce(e.accepted_at <= t.sensitive_until, false) or exists (
             select from digest_items i join events o on o.id = i.event_id
             where i.digest_id = g.id and o.accepted_at <= t.sensitive_until) as sensitive
    from (
      select d.*, 1 as place from deliveries d where d.event_id = ${eventId}
      union all
      select d.*, 2 from digest_items i join deliveries d on d.event_id = i.digest_id
      where i.event_id = ${eventId} and i.state = 'in'
    ) d
    left join events e on e.id = d.event_id and e.tenant_id = d.tenant_id
    left join digests g on g.id = d.event_id and g.tenant_id = d.tenant_id
    left join template_versions v on v.id = d.template_version_id
    left join templates t on t.id = v.template_id
    where d.tenant_id = ${tenantId} and d.channel = ${channel}
    order by d.place limit 1`.execute(db);
  return rows[0];
}

/** `variables` are JSON text; null when there were none or they are erased. */
export async function eventContent(db: Database, tenantId: string, eventId: string) {
  return await db
    .selectFrom("events")
    .select(["variables", sql<Date>`coalesce(released_at, accepted_at)`.as("at")])
    .where("id", "=", eventId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
}

/** Whether a template of the event, on any channel, is sensitive, or was when the event was accepted. */
export async function usedSensitiveTemplate(
  db: Database,
  tenantId: string,
  event: { eventType: string; acceptedAt: Date },
): Promise<boolean> {
  const row = await db
    .selectFrom("templates as t")
    .select("t.id")
    .where("t.tenant_id", "in", [tenantId, "platform"])
    .where("t.event_type", "=", event.eventType)
    .where((where) =>
      where.or([
        where("t.sensitive", "=", true),
        where("t.sensitive_until", ">=", event.acceptedAt),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
