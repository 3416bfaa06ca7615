import { isProviderChannel } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/timing";
import type { Database } from "@belfry/database/connection";
import { tenantById } from "../tenants/tenant-rows.ts";
import { inputOfDraft, showDraft, type TemplateDraft } from "./drafts.ts";
import { countRecentEvents, type RecentEvents } from "./event-samples.ts";
import { settingsOf } from "./put-template.ts";
import { localeOf } from "./template-input.ts";
import { requireTemplate, showTemplate, type Template, type TemplateAddress } from "./templates.ts";
import { digestText, throttleText } from "./timing-text.ts";

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
  const draft = await showDraft(db, { ...address, locale });
  const canonical = localeOf({ locale });
  const row = await requireTemplate(db, { id: draft.templateId }, canonical);
  const published = await showTemplate(db, { id: draft.templateId }, canonical);
  const languages = published.locales.filter(({ version }) => version > 0);
  const others = languages.map((one) => one.locale).filter((one) => one !== canonical);
  return {
    draft,
    published,
    outdated: draft.basedOnVersion !== published.version,
    parts: PARTS.map(([name, of]) => ({ name, from: of(row), to: of(draft) })).filter(
      ({ from, to }) => from !== "" || to !== "",
    ),
    settings: settingChanges(row, settingsOf(row, inputOfDraft(row, draft))),
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

const SETTINGS = {
  active: "Active",
  targetChannel: "Realtime channel",
  sensitive: "Sensitive",
  atMostOnce: "At most once",
  plainCharacters: "Plain characters",
  expiresAfterSeconds: "Expires after seconds",
  sampleVariables: "Sample variables",
  requiredVariables: "Required variables",
  digest: "Digest",
  throttle: "At most, by seconds",
  afterUnreadSeconds: "Only if unread after seconds",
} as const;

function settingChanges(from: ReturnType<typeof settingsOf>, to: ReturnType<typeof settingsOf>) {
  return (Object.keys(SETTINGS) as (keyof typeof SETTINGS)[])
    .map((key) => ({ name: SETTINGS[key], from: worded(from[key]), to: worded(to[key]) }))
    .filter((change) => change.from !== change.to);
}

function worded(
  value: boolean | number | string | readonly string[] | DigestSettings | ThrottleSettings | null,
): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return String(value);
  if ("join" in value) return value.join(", ");
  return "count" in value ? throttleText(value) : digestText(value);
}

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
