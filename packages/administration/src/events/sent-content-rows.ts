import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** What a message was made of. The caller decides whether it may be seen. */

export interface SentVersion {
  compiled: unknown;
  /** null: the template is gone. */
  sensitive: boolean | null;
}

export async function sentVersion(
  db: Database,
  tenantId: string,
  eventId: string,
  channel: ProviderChannel,
): Promise<SentVersion | undefined> {
  return await db
    .selectFrom("deliveries as d")
    .leftJoin("events as e", (join) =>
      join.onRef("e.id", "=", "d.event_id").onRef("e.tenant_id", "=", "d.tenant_id"),
    )
    .leftJoin("template_versions as v", "v.id", "d.template_version_id")
    .leftJoin("templates as t", "t.id", "v.template_id")
    .select([
      "v.compiled",
      sql<boolean | null>`t.sensitive or coalesce(e.accepted_at <= t.sensitive_until, false)`.as(
        "sensitive",
      ),
    ])
    .where("d.event_id", "=", eventId)
    .where("d.tenant_id", "=", tenantId)
    .where("d.channel", "=", channel)
    .executeTakeFirst();
}

/** JSON text; null when there were none or they are erased. */
export async function eventVariables(
  db: Database,
  tenantId: string,
  eventId: string,
): Promise<string | null> {
  const row = await db
    .selectFrom("events")
    .select("variables")
    .where("id", "=", eventId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  return row?.variables ?? null;
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
