import { createHash } from "node:crypto";
import { chatKindOf } from "@belfry/contracts/addresses";
import {
  ANY_KIND,
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  channelsOfMask,
  isProviderChannel,
  namesKind,
  type ProviderChannel,
  sentRow,
  TO_DEVICES,
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
import {
  parseVariables,
  withEventItems,
  withUser,
} from "@belfry/templates/language/event-variables";
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
 * Decides for each channel whether an event is delivered (specification, 4.1 rule 3), and renders the in-app
 * notification, which the dispatcher publishes itself. If several reasons forbid a channel, the timeline shows the
 * first in this order: inactive tenant, no active template, channel list of the tenant, channels of the request,
 * missing address, no provider, no device, the user's preferences. Deliveries wait for the end of the user's quiet
 * hours, unless their category is required; in-app notifications do not wait. The wanted language is the event's, or the
 * user's if the event names none. The variant of a template is the closest one (`bestLocale`), or else the default.
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
  const toSend: ProviderRoute[] = [];
  const locale = event.locale ?? preferences.recipient?.locale ?? null;
  for (const channel of CHANNELS) {
    const template = templates.get(channel);
    const isUnused = CHANNEL_ROWS[channel].isOptional === true && !template;
    if (isUnused && !requested?.includes(channel)) continue;
    const variant = template && variantOf(template, locale, tenant?.defaultLocale);
    const reason =
      skipReason({ event, preferences, channel, tenant, variant }, requested) ??
      preferences.verdicts?.get(channel)?.reason ??
      undefined;
    if (reason !== undefined || tenant === undefined || !template || !variant) {
      skipped[channel] = reason ?? storedReason("no-template");
    } else if (!isProviderChannel(channel)) {
      renderPush({ event, preferences, tenant, channel, template, variant }, dispatch, outcome);
    } else {
      toSend.push({ event, preferences, tenant, channel, template, variant });
    }
  }
  dispatch.isSensitive = isSensitive(event, templates);
  const hasPush = dispatch.push !== null;
  for (const way of toSend) {
    const timing = isTimed(way.template)
      ? timingOf({ ...way, isSensitive: dispatch.isSensitive, hasPush })
      : undefined;
    dispatch.deliveries.push(toDelivery(way, timing, outcome));
  }
  if (Object.keys(skipped).length > 0) outcome.skipped = skipped;
  if (Object.keys(outcome).length > 0) dispatch.outcome = outcome;
  // If there is no delivery, the event has ended on all channels.
  dispatch.eraseVariables = dispatch.isSensitive && dispatch.deliveries.length === 0;
  return dispatch;
}

function isSensitive(event: StoredEvent, templates: ActiveTemplates): boolean {
  return [...templates.values()].some(
    ({ sensitive, sensitiveUntil }) =>
      sensitive || (sensitiveUntil !== null && event.acceptedAt <= sensitiveUntil),
  );
}

/**
 * Builds a delivery. If it has a `timing`, the database decides with its own clock and writes that part of the outcome.
 */
function toDelivery(
  way: ProviderRoute,
  timing: DeliveryTiming | undefined,
  outcome: EventOutcome,
): NewDelivery {
  const { event, preferences, channel, template, variant } = way;
  const expiresAt = expiry(event, template);
  // With a timing, the database compares the expiry itself.
  const waits = quietHours(preferences, timing === undefined ? expiresAt : null);
  const delivery: NewDelivery = {
    id: uuidv7(),
    tenantId: event.tenantId,
    channel,
    // Digests and suppressions compare it. The devices are looked up when the message is sent.
    recipient: channel === TO_DEVICES ? "" : addressOf(event, preferences, channel),
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

/** Returns the template's variant for a locale, or undefined if there is neither a matching nor a default variant. */
function variantOf(
  { variants }: ActiveTemplate,
  locale: string | null,
  defaultLocale: string | undefined,
): ActiveVariant | undefined {
  const byDefault = variants.get("");
  if (locale === null || variants.size === 1) return byDefault;
  // The default variant also has a language: the tenant's default locale. It is offered under its full name
  // (`de-Latn-DE`), which `bestLocale` tries after `de-DE` and `de`, so that a translation with such a name wins.
  const own = defaultLocale === undefined ? "" : fullLocale(defaultLocale);
  const offered =
    byDefault === undefined || variants.has(own) || variants.has(locale)
      ? variants
      : new Map([...variants, [own, byDefault]]);
  const found = bestLocale(locale, offered);
  return found === undefined ? byDefault : offered.get(found);
}

interface ChannelRoute {
  event: StoredEvent;
  preferences: UserPreferences;
  channel: Channel;
  tenant: RoutingTenant | undefined;
  variant: ActiveVariant | undefined;
}

function skipReason(way: ChannelRoute, requested: readonly Channel[] | null): string | undefined {
  const { event, preferences, channel, tenant, variant } = way;
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
  if (sender !== null && !tenant.providerChannels.some((one) => one === channel)) {
    return storedReason("no-provider");
  }
  if (namesKind(channel)) {
    const kind = chatKindOf(addressOf(event, preferences, channel) ?? "");
    if (kind === undefined) return storedReason("no-chat-address", { field: address ?? "" });
    const isReached = [kind, ANY_KIND].some((one) =>
      tenant.providerKinds.includes(`${channel} ${one}`),
    );
    if (!isReached) return storedReason("no-provider-of-kind", { kind });
  }
  return channel === TO_DEVICES && !preferences.hasDevice ? storedReason("no-device") : undefined;
}

/**
 * Returns until when a delivery waits for the end of quiet hours; undefined if there are none now or it need not wait.
 */
function quietHours({ recipient }: UserPreferences, expiresAt: Date | null): NewDelivery["waits"] {
  const until = recipient?.quietUntil ?? null;
  if (until === null || recipient?.required) return undefined;
  const endText = recipient?.quietEnd ?? until.toISOString();
  const expiresFirst = expiresAt !== null && expiresAt <= until;
  return {
    until,
    reason: storedReason(expiresFirst ? "expires-in-quiet-hours" : "quiet", { until: endText }),
  };
}

/** Returns the address from the trigger, or else the one from the user directory. */
function addressOf(
  event: StoredEvent,
  { recipient, chat }: UserPreferences,
  channel: Channel,
): string | null {
  switch (CHANNEL_ROWS[channel].address) {
    case "recipientEmail":
      return event.recipientEmail || (recipient?.email ?? null);
    case "recipientPhone":
      return event.recipientPhone || (recipient?.phone ?? null);
    case "recipientChat":
      return chat;
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

interface UsableRoute extends ChannelRoute {
  tenant: RoutingTenant;
  template: ActiveTemplate;
  variant: ActiveVariant;
}

/** A channel that a sender handles. */
interface ProviderRoute extends UsableRoute {
  channel: ProviderChannel;
}

function renderPush(
  { event, preferences, tenant, channel, template, variant }: UsableRoute,
  dispatch: EventDispatch,
  outcome: EventOutcome,
): void {
  if (variant.render === undefined) throw new Error(`a ${channel} template has no renderer`);
  const variables = parseVariables(event.variables ?? "{}");
  if (variables === undefined) throw new Error("the variables cannot be read");
  const at = event.released?.at ?? event.acceptedAt;
  const rendered = variant.render(withUser(variables, preferences.recipient?.attributes), {
    locale: tenant.defaultLocale,
    timeZone: preferences.recipient?.timezone ?? tenant.timeZone ?? undefined,
    required: template.required ?? undefined,
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

interface TimedRoute extends ProviderRoute {
  /** The event's variables must be erased at its end, so it joins no digest. */
  isSensitive: boolean;
  /** The event has an in-app notification, which the user can read. */
  hasPush: boolean;
}

function isTimed({ digest, throttle, afterUnreadSeconds }: ActiveTemplate): boolean {
  return digest !== null || throttle !== null || afterUnreadSeconds !== null;
}

/**
 * Returns a template's digest, throttle and "only if unread" settings for a delivery; undefined, the usual case, means
 * that the delivery is sent at once and without a limit. Waits are cut to what the tenant's retention allows now,
 * because the retention may have been longer when the settings were saved.
 */
function timingOf(timed: TimedRoute): DeliveryTiming | undefined {
  const { event, preferences, tenant, channel, template, variant, isSensitive, hasPush } = timed;
  const { digest: setting, throttle, afterUnreadSeconds } = template;
  const digest = isSensitive || event.isBroadcast ? null : setting;
  const unread = hasPush ? afterUnreadSeconds : null;
  if (!digest && !throttle && unread === null) return undefined;
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
  if (unread !== null) timing.unlessRead = Math.min(unread, tenant.mostRestSeconds);
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

/** Longest digest key in UTF-8. An index entry also holds the user id and event type and has no room for more. */
const MAX_BYTES = 128;

/**
 * Returns the key by which a digest groups events: the text of the variable `name`, looked up as in templates, or "" if
 * the variable is missing. A text that is too long or that a text column cannot hold is replaced by its hash.
 */
export function digestKey(variables: Readonly<Record<string, unknown>>, name: string): string {
  const text = variableText(findVariable(variables, name, name.split(".")));
  const isPlain =
    text.length <= MAX_BYTES &&
    !text.includes("\0") &&
    text.isWellFormed() &&
    Buffer.byteLength(text) <= MAX_BYTES;
  // Hashes UTF-16, because UTF-8 would turn all lone surrogates into the same character.
  return isPlain ? text : `sha256:${createHash("sha256").update(text, "utf16le").digest("hex")}`;
}
