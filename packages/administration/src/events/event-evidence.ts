import type { Channel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { receiptsOfDeliveries } from "@belfry/database/functions/store-receipts";
import { parseVariables } from "@belfry/templates/language/event-variables";
import { deadDeliveries } from "../dead-letters/dead-letter-rows.ts";
import { eventContent, usedSensitiveTemplate } from "./event-facts.ts";
import type { EventReport } from "./event-report.ts";

/** A vendor's report about a delivery, sent after the vendor accepted the message. */
interface VendorReceipt {
  provider: string;
  kind: string;
  reason: string | null;
  vendorStatus: string | null;
  at: Date;
}

/** Details of a delivery in the report, for people who ask why it ended as it did. */
export interface DeliveryEvidence extends DeliveryEvidenceRow {
  tries: TryRow[];
  receipts: VendorReceipt[];
  /** Class and provider of the dead letter; null if the delivery is not a dead letter. */
  dead: { class: string; provider: string | null } | null;
}

export interface EventEvidence {
  /** Evidence by the delivery's id. */
  deliveries: ReadonlyMap<string, DeliveryEvidence>;
  templates: readonly TemplateOfEvent[];
  /** If true, neither the content nor vendors' answers, which may repeat it, must be shown. */
  isSensitive: boolean;
  variables: EventVariables;
}

type EventVariables =
  /** Names and values, shortened. Values that are not strings are JSON. `more` is the number of variables left out. */
  | { shown: true; values: { name: string; value: string }[]; more: number }
  /** `why` is a sentence that says why the variables are not shown. */
  | { shown: false; why: string };

const MOST_VARIABLES = 100;
const MOST_CHARACTERS = 2_000;

/** Reads the evidence of an event that `showEvent` returned. */
export async function eventEvidence(db: Database, event: EventReport): Promise<EventEvidence> {
  const { tenantId } = event;
  const ids = Object.values(event.channels).flatMap(({ delivery }) => delivery?.id ?? []);
  const [rows, tries, receipts, dead, templates, isSensitive] = await Promise.all([
    deliveryEvidence(db, tenantId, ids),
    triesOfDeliveries(db, tenantId, ids),
    receiptsOfDeliveries(db, tenantId, ids),
    ids.length === 0 ? [] : deadDeliveries(db, { ids, tenantId }, ids.length),
    templatesOfEventType(db, tenantId, event.eventType),
    isHidden(db, event),
  ]);
  const DEAD = ["failed", "expired", "unknown"];
  const deliveries = rows.map((row): [string, DeliveryEvidence] => {
    const letter = dead.find(({ id, status }) => id === row.id && DEAD.includes(status));
    const evidence = {
      ...row,
      tries: tries.filter(({ deliveryId }) => deliveryId === row.id),
      receipts: receipts
        // Receipts about copies do not concern the delivery.
        .filter(({ deliveryId, address }) => deliveryId === row.id && address === null)
        .map(({ providerKind: provider, kind, reason, vendorStatus, receivedAt: at }) => ({
          provider,
          kind,
          reason,
          vendorStatus,
          at,
        })),
      dead: letter === undefined ? null : { class: letter.class, provider: letter.provider },
    };
    return [row.id, evidence];
  });
  const variables = await variablesOf(db, event, isSensitive);
  return { deliveries: new Map(deliveries), templates, isSensitive, variables };
}

/** Whether the event's content must be hidden, because it used a sensitive template. */
export async function isHidden(
  db: Database,
  event: Pick<EventReport, "id" | "tenantId" | "eventType" | "acceptedAt">,
): Promise<boolean> {
  const { id, tenantId, eventType, acceptedAt } = event;
  // The note stays until the variables are erased, even if the template was deleted.
  if (await isNotedSensitive(db, tenantId, id)) return true;
  return await usedSensitiveTemplate(db, tenantId, { eventType, acceptedAt: new Date(acceptedAt) });
}

async function variablesOf(
  db: Database,
  event: EventReport,
  isSensitive: boolean,
): Promise<EventVariables> {
  if (isSensitive) {
    const why = "A template of this event type is sensitive: its variables are never shown.";
    return { shown: false, why };
  }
  const content = await eventContent(db, event.tenantId, event.id);
  const entries = Object.entries(parseVariables(content?.variables ?? "{}") ?? {});
  return {
    shown: true,
    values: entries
      .slice(0, MOST_VARIABLES)
      .map(([name, value]) => ({ name: cut(name), value: cut(textOf(value)) })),
    more: Math.max(0, entries.length - MOST_VARIABLES),
  };
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch {
    return "nested too deep to be shown";
  }
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS
    ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()} …`
    : text;
}

/**
 * Finds the addresses and templates of deliveries. `recipient` is the address that the delivery was sent to or meant
 * for. The fields of the template are null if it was deleted; `templateOf` is the tenant that owns it, `platform` for a
 * built-in one.
 */
async function deliveryEvidence(db: Database, tenantId: string, ids: readonly string[]) {
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

type DeliveryEvidenceRow = Awaited<ReturnType<typeof deliveryEvidence>>[number];

/**
 * Finds the attempts of deliveries, in order. `providerId` is null if the account was deleted. `class` is null while
 * the attempt is running. `vendorAnswer` is the first KB of the answer, with secrets masked.
 */
async function triesOfDeliveries(db: Database, tenantId: string, ids: readonly string[]) {
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

type TryRow = Awaited<ReturnType<typeof triesOfDeliveries>>[number];

/** Finds the tenant's own templates of an event type, without the built-in ones. */
async function templatesOfEventType(db: Database, tenantId: string, eventType: string) {
  return await db
    .selectFrom("templates")
    .select(["id", "channel"])
    .where("tenant_id", "=", tenantId)
    .where("event_type", "=", eventType)
    .$narrowType<{ channel: Channel }>()
    .execute();
}

type TemplateOfEvent = Awaited<ReturnType<typeof templatesOfEventType>>[number];

/** Whether the event's variables will be erased once the event has ended. */
async function isNotedSensitive(db: Database, tenantId: string, eventId: string) {
  const row = await db
    .selectFrom("sensitive_events as s")
    .innerJoin("events as e", "e.id", "s.event_id")
    .select("s.event_id")
    .where("s.event_id", "=", eventId)
    .where("e.tenant_id", "=", tenantId)
    .executeTakeFirst();
  return row !== undefined;
}
