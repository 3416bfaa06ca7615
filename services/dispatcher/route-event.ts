import {
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  channelsOfMask,
  isProviderChannel,
} from "@belfry/contracts/channels";
import { noAddress, SKIP_REASONS, type SkipReason } from "@belfry/contracts/delivery";
import { PERSONAL_CHANNEL } from "@belfry/contracts/identifiers";
import type { EventDispatch, StoredEvent } from "@belfry/database/functions/dispatch-events";
import type { EventOutcome } from "@belfry/database/schema";
import { parseVariables } from "@belfry/templates/parse-variables";
import { uuidv7 } from "uuidv7";
import type { RoutingTenant } from "./read-routing.ts";
import type { ActiveTemplate, ActiveTemplates } from "./routing-cache.ts";

/**
 * Decides what becomes of an event on each channel (specification, 4.1 rule 3) and renders what is published here.
 * The first reason that holds is the one that the timeline shows: inactive tenant, no active template,
 * whitelist of the tenant, filter of the request, missing address, no provider.
 */
export function routeEvent(
  event: StoredEvent,
  tenant: RoutingTenant | undefined,
  templates: ActiveTemplates,
): EventDispatch {
  const skipped: Partial<Record<Channel, string>> = {};
  const outcome: EventOutcome = {};
  const dispatch: EventDispatch = {
    eventId: event.id,
    acceptedAtText: event.acceptedAtText,
    outcome: null,
    eraseVariables: false,
    isSensitive: false,
    deliveries: [],
    push: null,
  };
  const requested = channelsOfMask(event.channels);
  for (const channel of CHANNELS) {
    const template = templates.get(channel);
    const reason = skipReason(event, channel, tenant, template, requested);
    if (reason !== undefined || template === undefined) {
      skipped[channel] = reason ?? SKIP_REASONS.noTemplate;
    } else if (!isProviderChannel(channel)) {
      renderPush(event, channel, template, dispatch, outcome);
    } else {
      dispatch.deliveries.push({
        id: uuidv7(),
        tenantId: event.tenantId,
        channel,
        recipient: addressOf(event, channel),
        templateVersionId: template.versionId,
        expiresAt: expiry(event, template),
      });
    }
  }
  if (Object.keys(skipped).length > 0) outcome.skipped = skipped;
  if (Object.keys(outcome).length > 0) dispatch.outcome = outcome;
  dispatch.isSensitive = [...templates.values()].some(({ sensitive }) => sensitive);
  // With no delivery under way the last channel has ended here.
  dispatch.eraseVariables = dispatch.isSensitive && dispatch.deliveries.length === 0;
  return dispatch;
}

function skipReason(
  event: StoredEvent,
  channel: Channel,
  tenant: RoutingTenant | undefined,
  template: ActiveTemplate | undefined,
  requested: readonly Channel[] | null,
): SkipReason | undefined {
  if (tenant === undefined || !tenant.active) return SKIP_REASONS.tenantInactive;
  if (template === undefined) return SKIP_REASONS.noTemplate;
  const { deliveryChannels } = tenant;
  if (deliveryChannels.length > 0 && !deliveryChannels.includes(channel)) {
    return SKIP_REASONS.notAllowed;
  }
  if (requested !== null && !requested.includes(channel)) return SKIP_REASONS.notRequested;
  const { address, sender } = CHANNEL_ROWS[channel];
  if (address !== null && !event[address]) return noAddress(address);
  if (sender === null || tenant.providerChannels.some((one) => one === channel)) return undefined;
  return SKIP_REASONS.noProvider;
}

function addressOf(event: StoredEvent, channel: Channel): string | null {
  const { address } = CHANNEL_ROWS[channel];
  return address === null ? null : event[address];
}

function expiry(event: StoredEvent, template: ActiveTemplate): Date | null {
  if (template.expiresAfterSeconds === null) return null;
  return new Date(event.acceptedAt.getTime() + template.expiresAfterSeconds * 1000);
}

function renderPush(
  event: StoredEvent,
  channel: Channel,
  template: ActiveTemplate,
  dispatch: EventDispatch,
  outcome: EventOutcome,
): void {
  if (template.render === undefined) throw new Error(`a ${channel} template has no renderer`);
  const variables = parseVariables(event.variables ?? "{}");
  if (variables === undefined) throw new Error("the variables cannot be read");
  const rendered = template.render(variables);
  if (!rendered.ok) {
    outcome.failed = { [channel]: rendered.reason };
    return;
  }
  if (rendered.kind !== "notification") throw new Error("a notification rendered something else");
  if (rendered.missing.length > 0) outcome.missing = { [channel]: rendered.missing };
  const { linksLeftOut } = rendered;
  if (linksLeftOut !== undefined) outcome.linksLeftOut = { [channel]: linksLeftOut };
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
