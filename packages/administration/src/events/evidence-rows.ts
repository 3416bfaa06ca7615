import type { Channel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";

/** What stands behind the deliveries of an event. The caller decides what of it may be seen. */

/**
 * `recipient`: the address that it went to, or was to. Of its template's version, null where the template is gone;
 * `templateOf`: whose it is, `platform` for a built-in one.
 */
export async function deliveryEvidence(db: Database, tenantId: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return await db
    .selectFrom("deliveries as d")
    .leftJoin("template_versions as v", "v.id", "d.template_version_id")
    .leftJoin("templates as t", "t.id", "v.template_id")
    .select(["d.id", "d.recipient", "t.id as templateId", "v.version", "t.tenant_id as templateOf"])
    .where("d.id", "in", ids)
    .where("d.tenant_id", "=", tenantId)
    .execute();
}

export type DeliveryEvidenceRow = Awaited<ReturnType<typeof deliveryEvidence>>[number];

/**
 * The tries of deliveries, in order. `providerId` null: the account is gone; `class` null: it is under way;
 * `vendorAnswer`: the first KB, secrets masked.
 */
export async function triesOfDeliveries(db: Database, tenantId: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return await db
    .selectFrom("attempts as a")
    .innerJoin("deliveries as d", "d.id", "a.delivery_id")
    .leftJoin("providers as p", (join) =>
      join.onRef("p.id", "=", "a.provider_id").onRef("p.tenant_id", "=", "d.tenant_id"),
    )
    .select([
      "a.delivery_id as deliveryId",
      "a.number",
      "a.provider_kind as provider",
      "p.id as providerId",
      "p.name as providerName",
      "a.started_at as startedAt",
      "a.class",
      "a.reason",
      "a.vendor_status as vendorStatus",
      "a.vendor_answer as vendorAnswer",
    ])
    .where("a.delivery_id", "in", ids)
    .where("d.tenant_id", "=", tenantId)
    .orderBy("a.delivery_id")
    .orderBy("a.number")
    .execute();
}

export type TryRow = Awaited<ReturnType<typeof triesOfDeliveries>>[number];

/** The tenant's own templates of an event type; the built-in ones are not among them. */
export async function templatesOfEventType(db: Database, tenantId: string, eventType: string) {
  return await db
    .selectFrom("templates")
    .select(["id", "channel"])
    .where("tenant_id", "=", tenantId)
    .where("event_type", "=", eventType)
    .$narrowType<{ channel: Channel }>()
    .execute();
}

export type TemplateOfEvent = Awaited<ReturnType<typeof templatesOfEventType>>[number];

/** Whether an event is noted as one whose variables are to be erased at its end. */
export async function isNotedSensitive(db: Database, tenantId: string, eventId: string) {
  const row = await db
    .selectFrom("sensitive_events as s")
    .innerJoin("events as e", "e.id", "s.event_id")
    .select("s.event_id")
    .where("s.event_id", "=", eventId)
    .where("e.tenant_id", "=", tenantId)
    .executeTakeFirst();
  return row !== undefined;
}
