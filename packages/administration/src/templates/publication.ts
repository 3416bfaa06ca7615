import { isProviderChannel } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { tenantById } from "../tenants/tenant-rows.ts";
import { inputOfDraft, readDraft, type TemplateDraft } from "./drafts.ts";
import { countRecentEvents, type RecentEvents } from "./event-samples.ts";
import { localeOf } from "./template-input.ts";
import { settingChanges, settingsAfter } from "./template-settings.ts";
import { readTemplate, requireTemplate, type Template, type TemplateAddress } from "./templates.ts";

/** What publishing a draft would change, and for whom. */
export interface Publication {
  draft: TemplateDraft;
  /** What is in force of the language now; version 0: nothing. */
  published: Template;
  /** Another version was published since the draft began: it cannot be, as it is. */
  outdated: boolean;
  /** Every part of the text, as it is and as it would be; both empty: it has none. */
  parts: {
    name: "Subject" | "Title" | "Link" | "Actions" | "Format" | "Content";
    from: string;
    to: string;
  }[];
  /** What it would set for all languages, where that differs. In words. */
  settings: { name: string; from: string; to: string }[];
  /** The languages that have a variant of their own: their recipients see no change. */
  otherLocales: string[];
  /** Translations that would be outdated by it. */
  translations: string[];
  /** Events of the type in the last 24 hours. */
  events: RecentEvents;
  /** Why the channel would send nothing of it, each in words; none: it would. */
  leftOut: string[];
}

/** Throws `NotFound`. */
export async function publication(
  db: Database,
  address: TemplateAddress,
  locale = "",
): Promise<Publication> {
  const draft = await readDraft(db, { ...address, locale });
  const canonical = localeOf({ locale });
  const row = await requireTemplate(db, { id: draft.templateId }, canonical);
  const published = await readTemplate(db, { id: draft.templateId }, canonical);
  const languages = published.locales.filter(({ version }) => version > 0);
  const others = languages.map((one) => one.locale).filter((one) => one !== canonical);
  return {
    draft,
    published,
    outdated: draft.basedOnVersion !== published.version,
    parts: PARTS.map(([name, of]) => ({ name, from: of(row), to: of(draft) })).filter(
      ({ from, to }) => from !== "" || to !== "",
    ),
    settings: settingChanges(row, settingsAfter(row, inputOfDraft(row, draft), canonical)),
    otherLocales: others,
    translations: canonical === "" ? others : [],
    events: await countRecentEvents(db, draft.tenantId, draft.eventType),
    leftOut: await leftOut(db, published),
  };
}

type Text = Pick<TemplateDraft, "subject" | "title" | "url" | "actions" | "format" | "content">;

const PARTS: readonly [Publication["parts"][number]["name"], (text: Text) => string][] = [
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

/** Why a tenant's events would send nothing of a template. */
export async function leftOut(
  db: Database,
  template: Pick<Template, "tenantId" | "channel" | "active">,
): Promise<string[]> {
  const { tenantId, channel, active } = template;
  const reasons = active ? [] : ["the template is not active"];
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
