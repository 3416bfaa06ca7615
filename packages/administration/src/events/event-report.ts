import {
  type Channel,
  channelsOfMask,
  IN_APP,
  PROVIDER_CHANNELS,
  type ProviderChannel,
} from "@belfry/contracts/channels";
import {
  type ChannelReport,
  type DeliveryReport,
  EVENT_PATH,
  EventReport as TenantEventReport,
} from "@belfry/contracts/event-report";
import { oneOf, text } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { reasonWords } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import { type Static, type TUnsafe, Type } from "@sinclair/typebox";
import { defineRead } from "../act.ts";
import { NotFound } from "../input-error.ts";
import { EVENT_EXAMPLE } from "./event-example.ts";
import {
  type EventFacts,
  type EventRow,
  eventById,
  eventIdsByReference,
  readEventFacts,
} from "./event-facts.ts";
import { LEFT_OUT, othersIn, timelineOf } from "./event-timeline.ts";
import { WAIT_REASONS, type WaitReason, waitReason } from "./waiting-deliveries.ts";

/**
 * An event and its result on each channel. Contains neither variables nor rendered content, since a template may be
 * sensitive. Times are ISO 8601, UTC.
 */
export const EventReport = Type.Object({
  ...TenantEventReport.properties,
  othersWithThisEventId: Type.Array(Type.String(), {
    description: "Ids of older events with the same eventId, which need not be unique; at most 20",
  }),
  waits: Type.Partial(
    Type.Object(
      Object.fromEntries(PROVIDER_CHANNELS.map((name) => [name, oneOf(WAIT_REASONS)])) as Record<
        ProviderChannel,
        TUnsafe<WaitReason>
      >,
    ),
    { description: "Why the message of a channel waits, for unsent messages" },
  ),
});
export type EventReport = Static<typeof EventReport>;

const MAX_OTHERS = 20;

export const showEvent = defineRead({
  name: "event show",
  http: `GET ${EVENT_PATH}`,
  access: { scope: "tenant", person: "viewer", key: "read" },
  tool: true,
  summary: "An event with its timeline, by Belfry's id or the tenant's eventId (the newest)",
  input: Type.Object({ eventId: text({ description: "Belfry's id, or the tenant's eventId" }) }),
  output: EventReport,
  example: {
    input: { eventId: EVENT_EXAMPLE.id },
    output: { ...EVENT_EXAMPLE, othersWithThisEventId: [], waits: {} },
  },
  flags: { eventId: "<id>" },
  run: ({ db, tenantId }, { eventId }) => readEvent(db, eventId, tenantId || undefined),
});

/**
 * Finds an event by Belfry's id, or else the newest one with this `eventId`, in the given tenant or in any. Throws
 * `NotFound`.
 */
export async function readEvent(db: Database, idOrReference: string, tenantId?: string) {
  return (await readEventAndReasons(db, idOrReference, tenantId)).event;
}

/** Like `readEvent`, but also returns the stored reason of each channel: a code with its arguments. */
export async function readEventAndReasons(db: Database, idOrReference: string, tenantId?: string) {
  const byId = UUID.test(idOrReference) ? await eventById(db, idOrReference, tenantId) : undefined;
  // A text in Postgres cannot contain U+0000, so no reference does.
  const ids =
    byId === undefined && !idOrReference.includes("\u0000")
      ? await eventIdsByReference(db, idOrReference, MAX_OTHERS + 1, tenantId)
      : [];
  const [newest, ...others] = ids;
  const event = byId ?? (newest === undefined ? undefined : await eventById(db, newest, tenantId));
  if (event === undefined) {
    throw new NotFound("id", `no event has the id or eventId ${JSON.stringify(idOrReference)}`);
  }
  const facts = await readEventFacts(db, event);
  const stored = Object.entries(channelReports(facts)) as [Channel, ChannelReport][];
  const channels: EventReport["channels"] = {};
  const reasons: Partial<Record<Channel, string | null>> = {};
  for (const [channel, report] of stored) {
    channels[channel] = { ...report, reason: reasonWords(report.reason) };
    reasons[channel] = report.reason;
  }
  return { event: eventReport(facts, channels, others), reasons };
}

function eventReport(
  facts: EventFacts,
  channels: EventReport["channels"],
  others: string[],
): EventReport {
  const { event } = facts;
  return {
    id: event.id,
    eventId: event.reference ?? event.id,
    tenantId: event.tenantId,
    eventType: event.eventType,
    status: statusOf(event),
    userId: event.userId,
    recipientEmail: event.recipientEmail,
    recipientPhone: event.recipientPhone,
    recipientChat: event.recipientChat,
    requestedChannels: channelsOfMask(event.channels),
    ...(event.envelope !== null && { email: event.envelope }),
    locale: event.locale,
    traceId: event.traceId,
    acceptedAt: event.acceptedAt.toISOString(),
    dispatchedAt: isoTime(event.dispatchedAt),
    refusedAt: isoTime(event.refusedAt),
    sendAt: isoTime(event.sendAt),
    cancelKey: event.cancelKey,
    broadcastId: event.broadcastId,
    cancelledAt: isoTime(event.cancelledAt),
    cancelPending: facts.deliveries.some(
      ({ status, cancelAskedAt }) => status === "sending" && cancelAskedAt !== null,
    ),
    channels,
    timeline: timelineOf(facts),
    othersWithThisEventId: others,
    waits: Object.fromEntries(
      facts.deliveries
        .filter(({ status }) => status === "queued" || status === "waiting")
        .map(({ channel, status, reason }) => [channel, waitReason(status, reason)]),
    ),
  };
}

function statusOf(event: EventRow): EventReport["status"] {
  if (event.cancelledAt !== null) return "cancelled";
  if (event.dispatchedAt !== null) return "dispatched";
  if (event.refusedAt !== null) return "refused";
  return event.rests ? "scheduled" : "accepted";
}

/**
 * Returns the report of each channel. The reasons are the stored ones: codes with their arguments. If several sources
 * have facts about a channel, the last one in this function wins.
 */
function channelReports(facts: EventFacts): EventReport["channels"] {
  const { skipped = {}, failed = {}, missing = {} } = facts.event.outcome ?? {};
  const reports: EventReport["channels"] = {};
  for (const [channel, reason] of Object.entries(skipped) as [Channel, string][]) {
    reports[channel] = { status: "skipped", reason, missing: [] };
  }
  for (const delivery of facts.deliveries) {
    reports[delivery.channel] = {
      status: delivery.status,
      reason: delivery.reason,
      missing: delivery.missing ?? missing[delivery.channel] ?? [],
      delivery: deliveryReport(delivery),
    };
  }
  for (const gathering of facts.digestItems) {
    const { channel, state, digestId: id } = gathering;
    const why = LEFT_OUT[state];
    reports[channel] = {
      ...(reports[channel] ?? { status: "skipped", reason: why ?? null, missing: [] }),
      digest: {
        id,
        state,
        others: othersIn(gathering),
        windowEndsAt: gathering.windowEndsAt.toISOString(),
        closedAt: isoTime(gathering.closedAt),
      },
    };
  }
  const { notification } = facts;
  if (notification !== undefined) {
    const { id, realtimeChannel, readAt } = notification;
    const state = { id, realtimeChannel, read: readAt !== null, readAt: isoTime(readAt) };
    const names = missing[IN_APP] ?? [];
    reports[IN_APP] = { status: "published", reason: null, missing: names, notification: state };
  }
  for (const [channel, reason] of Object.entries(failed) as [Channel, string][]) {
    reports[channel] = { status: "failed", reason, missing: missing[channel] ?? [] };
  }
  return reports;
}

function deliveryReport(delivery: EventFacts["deliveries"][number]): DeliveryReport {
  return {
    id: delivery.id,
    provider: delivery.providerKind ?? delivery.attempts.at(-1)?.providerKind ?? null,
    messageId: delivery.messageId,
    dueAt: isoTime(delivery.dueAt),
    settledAt: isoTime(delivery.settledAt),
    attempts: delivery.attempts.map(({ deliveryId: _, providerKind, ...attempt }) => ({
      number: attempt.number,
      provider: providerKind,
      startedAt: attempt.startedAt.toISOString(),
      endedAt: isoTime(attempt.endedAt),
      class: attempt.class,
      reason: reasonWords(attempt.reason),
      vendorStatus: attempt.vendorStatus,
      messageId: attempt.messageId,
      nextAt: isoTime(attempt.nextAt),
    })),
  };
}

function isoTime(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
