import { type Channel, isProviderChannel, type ProviderChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import { CONCEALED } from "@belfry/contracts/notification";
import type { Database } from "@belfry/database/connection";
import { digestContent } from "@belfry/database/functions/claim-deliveries";
import { notificationLinks, shownNotifications } from "@belfry/database/notifications";
import {
  parseVariables,
  storedEvent,
  withEventItems,
  withUser,
} from "@belfry/templates/language/event-variables";
import type { CompiledTemplate } from "@belfry/templates/source";
import { sql } from "kysely";
import { NotFound } from "../input-error.ts";
import { type Preview, renderSettings } from "../templates/preview-template.ts";
import { eventContent } from "./event-facts.ts";

export type SentContent =
  | { shown: true; content: Preview }
  /** `why` is a sentence that says why the content cannot be shown. */
  | { shown: false; why: string };

/**
 * Renders the content of an event or a digest on a channel again, from the template version and the variables that were
 * used, and the user's attributes as they are now. Never shows content of a sensitive template. Throws `NotFound` if
 * nothing was sent on the channel.
 */
export async function sentContent(
  db: Database,
  tenantId: string,
  eventId: string,
  channel: Channel,
): Promise<SentContent> {
  if (!UUID.test(eventId)) throw nothingSent(channel);
  if (!isProviderChannel(channel)) {
    const push = await notificationContent(db, tenantId, eventId);
    if (push === undefined) throw nothingSent(channel);
    if (push.sensitive) return { shown: false, why: CONCEALED };
    if (push.isDeleted) return { shown: false, why: "The user deleted it from the inbox." };
    const { sensitive: _, isDeleted: __, ...shown } = push;
    return { shown: true, content: { channel, kind: "notification", ...shown, missing: [] } };
  }
  const version = await sentVersion(db, tenantId, eventId, channel);
  if (version === undefined) throw nothingSent(channel);
  if (version.sensitive === null) return { shown: false, why: "The template is deleted." };
  if (version.sensitive) return { shown: false, why: CONCEALED };
  const { variables, settings } = await renderInput(db, tenantId, eventId, version);
  const { createRenderer } = await import("@belfry/templates/render");
  const plainCharacters = version.plainCharacters === true;
  const renderer = createRenderer(version.compiled as CompiledTemplate);
  const rendered = renderer(withUser(variables, version.attributes), {
    ...settings,
    plainCharacters,
  });
  if (!rendered.ok) return { shown: false, why: rendered.reason };
  const { ok: _, ...content } = rendered;
  return { shown: true, content: { channel, ...content } };
}

/** Returns the variables and settings that the sender used, for one event or for all events of a digest. */
async function renderInput(
  db: Database,
  tenantId: string,
  eventId: string,
  { digestId, eventType }: SentVersion,
) {
  const settings = await renderSettings(db, tenantId, { eventType: eventType ?? undefined });
  if (digestId !== null) {
    const { newest, count, items } = await digestContent(db, tenantId, digestId);
    const system = withEventItems(settings.system, count, () => items.map(storedEvent));
    return { variables: parsedOrEmpty(newest), settings: { ...settings, system } };
  }
  const event = await eventContent(db, tenantId, eventId);
  const variables = parsedOrEmpty(event?.variables ?? null);
  const events = [{ id: eventId, at: event?.at ?? new Date(), variables }];
  const system = withEventItems(settings.system, 1, () => events);
  return { variables, settings: { ...settings, system } };
}

function parsedOrEmpty(variables: string | null): Record<string, unknown> {
  return parseVariables(variables ?? "{}") ?? {};
}

function nothingSent(channel: Channel): NotFound {
  return new NotFound("channel", `the event sent nothing on ${channel}`);
}

/** The template version of a sent message. The caller decides whether its content may be shown. */
interface SentVersion {
  compiled: unknown;
  /** The id of the digest that was sent; null if the message is about one event. */
  digestId: string | null;
  eventType: string | null;
  /** Whether the template is sensitive; null if it was deleted. */
  sensitive: boolean | null;
  /** The template's current setting; null if the template was deleted. */
  plainCharacters: boolean | null;
  /** The current attributes of the user, as JSON text. */
  attributes: string | null;
}

/**
 * Finds the version of the event's own delivery on the channel, or else of the digest that contains the event.
 * `eventId` may be a digest's id.
 */
async function sentVersion(
  db: Database,
  tenantId: string,
  eventId: string,
  channel: ProviderChannel,
): Promise<SentVersion | undefined> {
  const { rows } = await sql<SentVersion>`
    select v.compiled, g.id as "digestId",
           coalesce(e.event_type, g.event_type) as "eventType", t.plain_characters as "plainCharacters", r.attributes,
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
    left join recipients r on r.tenant_id = d.tenant_id and r.user_id = coalesce(e.user_id, g.user_id)
    where d.tenant_id = ${tenantId} and d.channel = ${channel}
    order by d.place limit 1`.execute(db);
  return rows[0];
}

/** Returns the event's rendered in-app notification. If `sensitive` is true, it must not be shown. */
async function notificationContent(db: Database, tenantId: string, eventId: string) {
  const row = await db
    .selectFrom("notifications")
    .select(["title", "body", "url", "actions", "deleted_at"])
    .where("id", "=", eventId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const shown = await shownNotifications(db, tenantId, [eventId]);
  const { title, body } = row;
  const isDeleted = row.deleted_at !== null;
  return { title, body, ...notificationLinks(row), isDeleted, sensitive: !shown.has(eventId) };
}
