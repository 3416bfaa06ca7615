import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";

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
    .leftJoin("template_versions as v", "v.id", "d.template_version_id")
    .select(["v.compiled", "v.sensitive"])
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

/** Whether a template that the event used, on any channel, is sensitive. */
export async function usedSensitiveTemplate(
  db: Database,
  tenantId: string,
  eventType: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("templates as t")
    .innerJoin("template_versions as v", "v.template_id", "t.id")
    .select("v.id")
    .where("t.tenant_id", "in", [tenantId, "platform"])
    .where("t.event_type", "=", eventType)
    .where("v.sensitive", "=", true)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
