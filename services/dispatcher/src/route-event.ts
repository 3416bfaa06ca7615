import { createHash } from "node:crypto";
import {
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  channelsOfMask,
  isProviderChannel,
  type ProviderChannel,
  sentRow,
} from "@belfry/contracts/channels";
import type { EventOutcome } from "@belfry/contracts/delivery";
import { MAX_DIGEST_SECONDS } from "@belfry/contracts/delivery";
import { PERSONAL_CHANNEL } from "@belfry/contracts/identifiers";
import { bestLocale, fullLocale } from "@belfry/contracts/locale";
import { storedReason } from "@belfry/contracts/reasons";
import type {
  DeliveryTiming,
  EventDispatch,
  NewDelivery,
  StoredEvent,
} from "@belfry/database/functions/dispatch-events";
import { parseVariables, withEventItems } from "@belfry/templates/language/event-variables";
import { findVariable, variableText } from "@belfry/templates/language/values";
import { saysNothing } from "@belfry/templates/render";
import { uuidv7 } from "uuidv7";
import type {
  ActiveTemplate,
  ActiveTemplates,
  ActiveVariant,
  RoutingTenant,
} from "./routing-cache.ts";
import { NO_PREFERENCES, type UserPreferences } from "./user-preferences.ts";

/**
 * Decides what becomes of an event on each channel (specification, 4.1 rule 3) and renders what is published here.
 * The first reason that holds is the one that the timeline shows: inactive tenant, no active template,
 * whitelist of the tenant, filter of the request, missing address, no provider, the user's preferences. What is
 * left waits for the end of quiet hours, but for the history and what is required. A template is taken in the
 * event's language or else the user's, else in the closest wider one (`bestLocale`), else in its default one.
 */
export function routeEvent(
  event: StoredEvent,
  tenant: RoutingTenant | undefined,
  templates: ActiveTemplates,
  preferences: UserPreferences = NO_PREFERENCES,
): EventDispatch {
  const skipped: Partial<Record<Channel, string>> = {};
  const outcome: EventOutcome = {};
  const dispatch: EventDispatch = {
    eventId: event.id,
    acceptedAtText: event.acceptedAtText,
    released: event.released,
    outcome: null,
    eraseVariables: false,
    isSensitive: false,
    deliveries: [],
    push: null,
  };
  const requested = channelsOfMask(event.channels);
  const chosen: (Chosen & { channel: ProviderChannel })[] = [];
  const locale = event.locale ?? preferences.recipient?.locale ?? null;
  for (const channel of CHANNELS) {
    const template = templates.get(channel);
    const variant = template && variantOf(template, locale, tenant?.defaultLocale);
    const reason =
      skipReason({ event, preferences, channel, tenant, variant, requested }) ??
      preferences.verdicts?.get(channel)?.reason ??
      undefined;
    if (reason !== undefined || tenant === undefined || !template || !variant) {
      skipped[channel] = reason ?? storedReason("no-template");
    } else if (!isProviderChannel(channel)) {
      renderPush({ event, preferences, tenant, channel, template, variant }, dispatch, outcome);
    } else {
      chosen.push({ event, preferences, tenant, channel, template, variant });
    }
  }
  dispatch.isSensitive = isSensitive(event, templates);
  const hasPush = dispatch.push !== null;
  for (const way of chosen) {
    const timing = isTimed(way.template)
      ? timingOf({ ...way, isSensitive: dispatch.isSensitive, hasPush })
      : undefined;
    dispatch.deliveries.push(toDelivery(way, timing, outcome));
  }
  if (Object.keys(skipped).length > 0) outcome.skipped = skipped;
  if (Object.keys(outcome).length > 0) dispatch.outcome = outcome;
  // With no delivery under way the last channel has ended here.
  dispatch.eraseVariables = dispatch.isSensitive && dispatch.deliveries.length === 0;
  return dispatch;
}

function isSensitive(event: StoredEvent, templates: ActiveTemplates): boolean {
  return [...templates.values()].some(
    ({ sensitive, sensitiveUntil }) =>
      sensitive || (sensitiveUntil !== undefined && event.acceptedAt <= sensitiveUntil),
  );
}

/** The database decides `timing` by its clock and writes that part of the outcome itself. */
function toDelivery(
  way: Chosen & { channel: ProviderChannel },
  timing: DeliveryTiming | undefined,
  outcome: EventOutcome,
): NewDelivery {
  const { event, preferences, channel, template, variant } = way;
  const expiresAt = expiry(event, template);
  const waits = quietHours(preferences, timing === undefined ? expiresAt : null);
  const delivery: NewDelivery = {
    id: uuidv7(),
    tenantId: event.tenantId,
    channel,
    recipient: addressOf(event, preferences, channel),
    templateVersionId: variant.versionId,
    expiresAt,
  };
  if (waits !== undefined) delivery.waits = waits;
  if (timing !== undefined) delivery.timing = timing;
  else if (waits !== undefined && (expiresAt === null || expiresAt > waits.until)) {
    outcome.waits = { ...outcome.waits, [channel]: waits.reason };
  }
  return delivery;
}

/** Undefined: it has a text in neither the event's language nor a default one. */
function variantOf(
  { variants }: ActiveTemplate,
  locale: string | null,
  defaultLocale: string | undefined,
): ActiveVariant | undefined {
  const byDefault = variants.get("");
  if (locale === null || variants.size === 1) return byDefault;
  // The default text is of a language, too; its full name keeps it behind what the chain finds.
  const own = defaultLocale === undefined ? "" : fullLocale(defaultLocale);
  const offered =
    byDefault === undefined || variants.has(own) || variants.has(locale)
      ? variants
      : new Map([...variants, [own, byDefault]]);
  const found = bestLocale(locale, offered);
  return found === undefined ? byDefault : offered.get(found);
}

interface Way {
  event: StoredEvent;
  preferences: UserPreferences;
  channel: Channel;
  tenant: RoutingTenant | undefined;
  variant: ActiveVariant | undefined;
  requested: readonly Channel[] | null;
}

function skipReason(way: Way): string | undefined {
  const { event, preferences, channel, tenant, variant, requested } = way;
  if (tenant === undefined || !tenant.active) return storedReason("tenant-inactive");
  if (variant === undefined) return storedReason("no-template");
  const { deliveryChannels } = tenant;
  if (deliveryChannels.length > 0 && !deliveryChannels.includes(channel)) {
    return storedReason("channel-not-allowed");
  }
  if (requested !== null && !requested.includes(channel)) {
    return storedReason("channel-not-requested");
  }
  const { address, sender } = CHANNEL_ROWS[channel];
  if (address !== null && !addressOf(event, preferences, channel)) {
    return storedReason("no-address", { field: address });
  }
  if (sender === null || tenant.providerChannels.some((one) => one === channel)) return undefined;
  return storedReason("no-provider");
}

/** Undefined: it is not quiet now, or this is sent at any hour. */
function quietHours({ recipient }: UserPreferences, expiresAt: Date | null): NewDelivery["waits"] {
  const until = recipient?.quietUntil ?? null;
  if (until === null || recipient?.required) return undefined;
  const end = recipient?.quietEnd ?? until.toISOString();
  const ends = expiresAt !== null && expiresAt <= until;
  return {
    until,
    reason: storedReason(ends ? "expires-in-quiet-hours" : "quiet", { until: end }),
  };
}

/** Returns the trigger's address, else the one in the directory. */
function addressOf(
  event: StoredEvent,
  { recipient }: UserPreferences,
  channel: Channel,
): string | null {
  switch (CHANNEL_ROWS[channel].address) {
    case "recipientEmail":
      return event.recipientEmail || (recipient?.email ?? null);
    case "recipientPhone":
      return event.recipientPhone || (recipient?.phone ?? null);
    case null:
      return null;
  }
}

/** Returns when a delivery expires. For a scheduled event the time counts from `sendAt`. */
function expiry(event: StoredEvent, template: ActiveTemplate): Date | null {
  if (template.expiresAfterSeconds === null) return null;
  return new Date(
    (event.sendAt ?? event.acceptedAt).getTime() + template.expiresAfterSeconds * 1000,
  );
}

interface Chosen {
  event: StoredEvent;
  preferences: UserPreferences;
  tenant: RoutingTenant;
  channel: Channel;
  template: ActiveTemplate;
  variant: ActiveVariant;
}

function renderPush(
  { event, preferences, tenant, channel, template, variant }: Chosen,
  dispatch: EventDispatch,
  outcome: EventOutcome,
): void {
  if (variant.render === undefined) throw new Error(`a ${channel} template has no renderer`);
  const variables = parseVariables(event.variables ?? "{}");
  if (variables === undefined) throw new Error("the variables cannot be read");
  const at = event.released?.at ?? event.acceptedAt;
  const rendered = variant.render(variables, {
    locale: tenant.defaultLocale,
    timeZone: preferences.recipient?.timezone ?? tenant.timeZone ?? undefined,
    required: template.required,
    system: withEventItems(undefined, 1, () => [{ id: event.id, at, variables }]),
  });
  if (!rendered.ok) {
    outcome.failed = { [channel]: storedReason(rendered.code, rendered.args) };
    return;
  }
  if (rendered.kind !== "notification") throw new Error("a notification rendered something else");
  if (rendered.missing.length > 0) outcome.missing = { [channel]: rendered.missing };
  const { linksLeftOut, warnings } = rendered;
  if (warnings !== undefined) outcome.warnings = { [channel]: warnings };
  if (linksLeftOut !== undefined) outcome.linksLeftOut = { [channel]: linksLeftOut };
  if (saysNothing(rendered)) {
    outcome.failed = { [channel]: storedReason("nothing-to-say") };
    return;
  }
  dispatch.push = {
    tenantId: event.tenantId,
    userId: event.userId,
    eventType: event.eventType,
    title: rendered.title,
    body: rendered.body,
    channelName: template.targetChannel ?? PERSONAL_CHANNEL,
  };
  if (rendered.url !== undefined) dispatch.push.url = rendered.url;
  if (rendered.actions !== undefined) dispatch.push.actions = JSON.stringify(rendered.actions);
}

interface Timed {
  event: StoredEvent;
  channel: ProviderChannel;
  preferences: UserPreferences;
  tenant: RoutingTenant;
  template: ActiveTemplate;
  variant: ActiveVariant;
  /** Something of the event must not stay: it is gathered with nothing. */
  isSensitive: boolean;
  /** It leaves a notification that can be read. */
  hasPush: boolean;
}

function isTimed({ digest, throttle, afterUnreadSeconds }: ActiveTemplate): boolean {
  return digest !== undefined || throttle !== undefined || afterUnreadSeconds !== undefined;
}

/**
 * Returns a template's settings for when a delivery leaves; undefined, the usual case, means at once and without a limit.
 * Nothing waits longer than the tenant's present retention allows, whatever it was when the settings were saved.
 */
function timingOf(timed: Timed): DeliveryTiming | undefined {
  const { event, preferences, tenant, channel, template, variant, isSensitive, hasPush } = timed;
  const { digest: setting, throttle, afterUnreadSeconds } = template;
  const digest = isSensitive || event.isBroadcast ? undefined : setting;
  const unread = hasPush ? afterUnreadSeconds : undefined;
  if (!digest && !throttle && unread === undefined) return undefined;
  const timing: DeliveryTiming = {
    userId: event.userId,
    eventType: event.eventType,
    zone: preferences.recipient?.timezone ?? tenant.timeZone,
    sensitive: isSensitive,
  };
  if (template.expiresAfterSeconds !== null) {
    timing.expiresAfterSeconds = template.expiresAfterSeconds;
  }
  const quietEnd = preferences.recipient?.quietEnd ?? null;
  if (quietEnd !== null) timing.quietEnd = quietEnd;
  if (throttle) timing.throttle = throttle;
  if (unread !== undefined) timing.unlessRead = Math.min(unread, tenant.mostRestSeconds);
  if (digest) {
    const { key, maxSeconds = MAX_DIGEST_SECONDS, ...window } = digest;
    const isMail = sentRow(channel).content === "email";
    timing.digest = {
      ...window,
      ...(isMail && { ofMail: true }),
      id: uuidv7(),
      locale: variant.locale,
      key: key === undefined ? "" : digestKey(parseVariables(event.variables ?? "{}") ?? {}, key),
      maxSeconds: Math.min(maxSeconds, MAX_DIGEST_SECONDS, tenant.mostRestSeconds),
    };
  }
  return timing;
}

/** In UTF-8. Beside the longest user id and event type there is no room in an index for more. */
const MAX_BYTES = 128;

/**
 * Returns the key that separates a digest's events: the text of the variable, found as templates find it, or empty if there
 * is none. A text that is long, or that a text column cannot hold, becomes its hash.
 */
export function digestKey(variables: Readonly<Record<string, unknown>>, name: string): string {
  const text = variableText(findVariable(variables, name, name.split(".")));
  const isPlain =
    text.length <= MAX_BYTES &&
    !text.includes("\0") &&
    text.isWellFormed() &&
    Buffer.byteLength(text) <= MAX_BYTES;
  // Hashes UTF-16, in which lone surrogates differ.
  return isPlain ? text : `sha256:${createHash("sha256").update(text, "utf16le").digest("hex")}`;
}
