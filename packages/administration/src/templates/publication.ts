import { isProviderChannel } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { EVENT_VARIABLES } from "@belfry/database/broadcast-variables";
import type { Database } from "@belfry/database/connection";
import { parseVariables, withUser } from "@belfry/templates/language/event-variables";
import { type SqlBool, sql } from "kysely";
import { usedSensitiveTemplate } from "../events/event-facts.ts";
import type { InputFault } from "../input-error.ts";
import { idAt } from "../pages.ts";
import { findProviders } from "../providers/provider-rows.ts";
import { tenantById } from "../tenants/tenant-rows.ts";
import { digestGaps } from "./digest-gaps.ts";
import { inputOfDraft, requireDraft } from "./drafts.ts";
import { checkSource } from "./preview-template.ts";
import { type Author, sensitiveCopiesFaults } from "./sensitive-copies.ts";
import { envelopeRuleFaults } from "./template-envelope.ts";
import { type TemplateInput, templateFaults, writtenTexts } from "./template-input.ts";
import { changedSettings, settingsAfter, type TemplateSettings } from "./template-settings.ts";
import { timingRuleFaults } from "./template-timing.ts";
import { readTemplate, type Template, type TemplateAddress } from "./templates.ts";

/**
 * Returns what publishing a draft would change, and for whom. `outdated`: another version was published since the draft
 * began. `leftOut`: reasons why the channel would send nothing. `faults`: reasons why the author cannot publish the
 * draft now. `changed`: names of changed settings. `gaps`: ways in which the digest drops events. Throws `NotFound`.
 */
export async function publication(
  db: Database,
  address: TemplateAddress,
  locale = "",
  author?: Author,
) {
  const { template, draft } = await requireDraft(db, { ...address, locale });
  const published = await readTemplate(db, { id: template.id }, draft.locale);
  const input = inputOfDraft(template, draft, author);
  const settings = settingsAfter(template, input, draft.locale);
  const { tenantId, channel } = draft;
  const { digest } = settings;
  return {
    draft,
    published,
    outdated: draft.basedOnVersion !== published.version,
    faults: await faultsOf(db, input, template, settings),
    changed: changedSettings(template, settings),
    settings,
    gaps: await digestGaps(db, { tenantId, channel, digest, texts: writtenTexts(draft) }),
    events: await countRecentEvents(db, draft.tenantId, draft.eventType),
    leftOut: await leftOut(db, published),
  };
}

export type Publication = Awaited<ReturnType<typeof publication>>;

/** Returns the faults of a draft by the rules of publishing. A draft with faults in its settings is not compiled. */
async function faultsOf(
  db: Database,
  input: TemplateInput,
  now: TemplateSettings,
  wanted: TemplateSettings,
): Promise<readonly InputFault[]> {
  const texts = writtenTexts(input);
  const faults = [
    ...templateFaults(input).filter((fault) => fault !== undefined),
    ...(await timingRuleFaults(db, input, wanted)),
    ...(await envelopeRuleFaults(db, input, wanted, { texts })),
    ...(input.mayShareSensitive ? [] : await sensitiveCopiesFaults(db, input, now, wanted)),
  ];
  if (faults.length > 0) return faults;
  const samples = parseVariables(input.sampleVariables ?? now.sampleVariables ?? "{}");
  const checked = await checkSource(db, input.tenantId, input, samples ?? {});
  return checked.ok ? [] : checked.faults;
}

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
    const providers = await findProviders(db, { tenantId, channel });
    if (!providers.some((provider) => provider.active)) {
      reasons.push(`the tenant has no active provider for ${channel}`);
    }
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
 * Returns the variables of the newest event of a type, among the tenant's newest 10,000, for a preview, and the
 * attributes of its user. Returns undefined if there is none, or if a sensitive template is or was in force for the
 * event.
 */
export async function sampleFromEvents(db: Database, tenantId: string, eventType: string) {
  if (tenantId === PLATFORM) return undefined;
  const { rows } = await sql<{
    variables: string;
    acceptedAt: Date;
    isNoted: boolean;
    attributes: string | null;
  }>`
    select ${EVENT_VARIABLES} as variables, e.accepted_at as "acceptedAt",
           exists (select from sensitive_events s where s.event_id = e.id) as "isNoted",
           (select r.attributes from recipients r where r.tenant_id = ${tenantId} and r.user_id = e.user_id) as attributes
    from (select event_type, user_id, variables, accepted_at, id, broadcast_id from events where tenant_id = ${tenantId}
          order by id desc limit ${MOST_EVENTS}) e
    where e.event_type = ${eventType} and e.variables is not null
    order by e.id desc limit 1`.execute(db);
  const [newest] = rows;
  // The note is stored until the event's variables are erased, even if the template was deleted meanwhile.
  if (newest === undefined || newest.isNoted) return undefined;
  const { variables, acceptedAt, attributes } = newest;
  if (await usedSensitiveTemplate(db, tenantId, { eventType, acceptedAt })) return undefined;
  const own = parseVariables(variables);
  return own && withUser(own, attributes);
}

function ofOwner(tenantId: string) {
  return tenantId === PLATFORM ? sql<SqlBool>`true` : sql<SqlBool>`tenant_id = ${tenantId}`;
}
