import { isProviderChannel } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { EVENT_VARIABLES } from "@belfry/database/broadcast-variables";
import type { Database } from "@belfry/database/connection";
import { parseVariables } from "@belfry/templates/language/event-variables";
import { type SqlBool, sql } from "kysely";
import { usedSensitiveTemplate } from "../events/event-facts.ts";
import { idAt } from "../pages.ts";
import { tenantById } from "../tenants/tenant-rows.ts";
import { digestGaps } from "./digest-gaps.ts";
import { inputOfDraft, readDraft, type TemplateDraft } from "./drafts.ts";
import { localeOf, writtenTexts } from "./template-input.ts";
import { changedSettings, settingsAfter } from "./template-settings.ts";
import { readTemplate, requireTemplate, type Template, type TemplateAddress } from "./templates.ts";

/**
 * Returns what publishing a draft would change, and for whom. `outdated`: another version was published since the draft
 * began. `otherLocales`: languages that have variants of their own. `translations`: variants that would become
 * outdated. `leftOut`: reasons why the channel would send nothing. `changed`: names of changed settings. `gaps`: ways
 * in which the digest drops events. Throws `NotFound`.
 */
export async function publication(db: Database, address: TemplateAddress, locale = "") {
  const draft = await readDraft(db, { ...address, locale });
  const canonical = localeOf({ locale });
  const row = await requireTemplate(db, { id: draft.templateId }, canonical);
  const published = await readTemplate(db, { id: draft.templateId }, canonical);
  const languages = published.locales.filter(({ version }) => version > 0);
  const others = languages.map((one) => one.locale).filter((one) => one !== canonical);
  const settings = settingsAfter(row, inputOfDraft(row, draft), canonical);
  const { tenantId, channel } = draft;
  const { digest } = settings;
  return {
    draft,
    published,
    outdated: draft.basedOnVersion !== published.version,
    parts: PARTS.map(([name, of]) => ({ name, from: of(row), to: of(draft) })).filter(
      ({ from, to }) => from !== "" || to !== "",
    ),
    changed: changedSettings(row, settings),
    settings,
    gaps: await digestGaps(db, { tenantId, channel, digest, texts: writtenTexts(draft) }),
    otherLocales: others,
    translations: canonical === "" ? others : [],
    events: await countRecentEvents(db, draft.tenantId, draft.eventType),
    leftOut: await leftOut(db, published),
  };
}

export type Publication = Awaited<ReturnType<typeof publication>>;

type Text = Pick<TemplateDraft, "subject" | "title" | "url" | "actions" | "format" | "content">;

/** Parts of a text. An empty part means that the template has none. */
const PARTS: readonly [name: string, (text: Text) => string][] = [
  ["Subject", ({ subject }) => subject ?? ""],
  ["Title", ({ title }) => title ?? ""],
  ["Link", ({ url }) => url ?? ""],
  [
    "Actions",
    ({ actions }) => (actions ?? []).map(({ label, url }) => `${label}: ${url}`).join("\n"),
  ],
  ["Format", ({ format }) => format ?? ""],
  ["Content", ({ content }) => content],
];

/** Returns the reasons why a tenant's events would send nothing with a template. */
export async function leftOut(
  db: Database,
  template: Pick<Template, "tenantId" | "channel" | "active">,
): Promise<string[]> {
  const { tenantId, channel, active } = template;
  const reasons: string[] = [];
  if (!active) reasons.push("the template is not active");
  const tenant = tenantId === PLATFORM ? undefined : await tenantById(db, tenantId);
  if (tenant === undefined) return reasons;
  if (tenant.deliveryChannels.length > 0 && !tenant.deliveryChannels.includes(channel)) {
    reasons.push(`the tenant may not use ${channel}`);
  }
  if (isProviderChannel(channel)) {
    const provider = await db
      .selectFrom("providers")
      .select("id")
      .where("tenant_id", "=", tenantId)
      .where("channel", "=", channel)
      .where("active", "=", true)
      .limit(1)
      .executeTakeFirst();
    if (provider === undefined) reasons.push(`the tenant has no active provider for ${channel}`);
  }
  return reasons;
}

/** Most events of a tenant that are read, of any type and the newest first. */
const MOST_EVENTS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

interface RecentEvents {
  count: number;
  /** False if there are more events than were read. */
  complete: boolean;
}

/**
 * Counts the events of a type in the last 24 hours, among the tenant's newest 10,000. For the platform, counts among
 * the events of all tenants.
 */
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
 * Returns the variables of the newest event of a type, among the tenant's newest 10,000, for a preview. Returns
 * undefined if there is none, or if a sensitive template is or was in force for the event.
 */
export async function sampleFromEvents(db: Database, tenantId: string, eventType: string) {
  if (tenantId === PLATFORM) return undefined;
  const { rows } = await sql<{ variables: string; acceptedAt: Date; isNoted: boolean }>`
    select ${EVENT_VARIABLES} as variables, e.accepted_at as "acceptedAt",
           exists (select from sensitive_events s where s.event_id = e.id) as "isNoted"
    from (select event_type, variables, accepted_at, id, broadcast_id from events where tenant_id = ${tenantId}
          order by id desc limit ${MOST_EVENTS}) e
    where e.event_type = ${eventType} and e.variables is not null
    order by e.id desc limit 1`.execute(db);
  const [newest] = rows;
  // The note is stored until the event's variables are erased, even if the template was deleted meanwhile.
  if (newest === undefined || newest.isNoted) return undefined;
  const { variables, acceptedAt } = newest;
  if (await usedSensitiveTemplate(db, tenantId, { eventType, acceptedAt })) return undefined;
  return parseVariables(variables);
}

function ofOwner(tenantId: string) {
  return tenantId === PLATFORM ? sql<SqlBool>`true` : sql<SqlBool>`tenant_id = ${tenantId}`;
}
