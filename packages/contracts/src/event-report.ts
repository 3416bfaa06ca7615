import { type Static, type TOptional, Type } from "@sinclair/typebox";
import { CHANNELS, type Channel, IN_APP, listed, PROVIDER_CHANNELS } from "./channels.ts";
import { DELIVERY_STATUSES, DIGEST_ITEM_STATES } from "./delivery.ts";
import { oneOf, orNull, time } from "./fields.ts";
import { OUTCOME_CLASSES } from "./sending.ts";

/** `GET /api/v1/events/{eventId}`: a report of an event and its deliveries for the tenant. */
export const EVENT_PATH = "/api/v1/events/:eventId";

const textOrNull = (description: string) => orNull(Type.String({ description }));
const channel = oneOf(CHANNELS);

export const AttemptReport = Type.Object(
  {
    number: Type.Integer({ description: "Number of the attempt, from 1" }),
    provider: Type.String({ description: "Kind of the provider, such as sendgrid" }),
    startedAt: time("When the provider was called"),
    endedAt: orNull(time("When the provider answered; null while the call is in progress")),
    class: textOrNull(
      `Result: ${OUTCOME_CLASSES.slice(0, -1).join(", ")} or ${OUTCOME_CLASSES.at(-1)}; null while the call is in progress`,
    ),
    reason: textOrNull("The provider's reason in a few words"),
    vendorStatus: textOrNull("The provider's own status or error code"),
    messageId: textOrNull("The provider's id of the message"),
    nextAt: orNull(time("When it is tried again")),
  },
  { title: "AttemptReport" },
);

export const DeliveryReport = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    provider: textOrNull("Kind of the provider; null before the first attempt"),
    messageId: textOrNull("The provider's id of the message"),
    dueAt: orNull(time("Time of the next attempt; null once the delivery has ended")),
    settledAt: orNull(time("When the result was final")),
    attempts: Type.Array(AttemptReport),
  },
  { title: "DeliveryReport" },
);
export type DeliveryReport = Static<typeof DeliveryReport>;

/** The digest that an event is in. `delivery` is then the delivery of the digest's message. */
export const DigestReport = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The digest's id" }),
    state: oneOf(DIGEST_ITEM_STATES, {
      description:
        "in: it is in the message; alone: it was sent separately; read or cancelled: it was left out",
    }),
    others: Type.Integer({ description: "How many other events the message combines" }),
    windowEndsAt: time("Time until which events join the digest; quiet hours may extend it"),
    closedAt: orNull(time("When the digest was closed")),
  },
  { title: "DigestReport" },
);

export const ChannelReport = Type.Object(
  {
    status: oneOf([...DELIVERY_STATUSES, "published"], {
      description: `\`published\` is a result of ${IN_APP}; the others are results of ${listed(PROVIDER_CHANNELS, "and")}, or reasons why nothing was sent`,
    }),
    reason: textOrNull("Why it was skipped, failed or waits"),
    missing: Type.Array(Type.String(), {
      description: "Variables that the template uses but the event does not have",
    }),
    delivery: Type.Optional(DeliveryReport),
    digest: Type.Optional(DigestReport),
    notification: Type.Optional(
      Type.Object({
        id: Type.String({ format: "uuid" }),
        realtimeChannel: Type.String(),
        read: Type.Boolean(),
        readAt: orNull(time("When it was marked as read")),
      }),
    ),
  },
  { title: "ChannelReport" },
);
export type ChannelReport = Static<typeof ChannelReport>;

type ChannelReports = Record<Channel, TOptional<typeof ChannelReport>>;

/** Contains neither variables nor rendered content, because a template may be sensitive. */
export const EventReport = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "Belfry's id: the header X-Event-Id" }),
    eventId: Type.String({
      description: "Your own reference; Belfry's id if you gave none",
    }),
    tenantId: Type.String(),
    eventType: Type.String(),
    status: oneOf(["accepted", "scheduled", "dispatched", "refused", "cancelled"], {
      description:
        "scheduled: it waits until `sendAt`; refused: the call was answered 500, so send the event again; cancelled: it has reached nobody and will reach nobody",
    }),
    userId: Type.String(),
    recipientEmail: orNull(Type.String()),
    recipientPhone: orNull(Type.String()),
    recipientChat: orNull(Type.String()),
    requestedChannels: orNull(
      Type.Array(channel, { description: "The `channels` of the request; null means all" }),
    ),
    email: Type.Optional(
      Type.Object(
        {
          fromName: Type.Optional(Type.String()),
          replyTo: Type.Optional(Type.String()),
          cc: Type.Optional(Type.Array(Type.String())),
          bcc: Type.Optional(Type.Array(Type.String())),
          attachments: Type.Optional(
            Type.Array(
              Type.Object({
                id: Type.String({ format: "uuid" }),
                name: Type.String(),
                type: Type.String(),
                bytes: Type.Integer(),
                sha256: Type.String({ description: "In hex" }),
                cid: Type.Optional(Type.String()),
              }),
            ),
          ),
        },
        {
          description:
            "The `email` of the request as Belfry read it; absent if the request had none",
        },
      ),
    ),
    locale: textOrNull("The `locale` of the request in canonical form; null if it had none"),
    traceId: Type.String({ description: "The request's trace id" }),
    acceptedAt: time("When it was stored"),
    dispatchedAt: orNull(time("When it was dispatched")),
    refusedAt: orNull(time("When it was refused")),
    sendAt: orNull(time("Planned time of dispatch; null if the event was dispatched at once")),
    cancelKey: textOrNull("The `cancelKey` of the request; null if it had none"),
    broadcastId: textOrNull("The broadcast that created the event; null if a trigger did"),
    cancelledAt: orNull(time("When it was cancelled completely")),
    cancelPending: Type.Boolean({
      description:
        "A cancel came during an attempt that is still in progress. If that attempt fails, there is no other",
    }),
    channels: Type.Object(
      Object.fromEntries(
        CHANNELS.map((name) => [name, Type.Optional(ChannelReport)]),
      ) as ChannelReports,
      {
        description: "Known results by channel; empty until the event is dispatched",
      },
    ),
    timeline: Type.Array(
      Type.Object({
        at: time("When"),
        channel: orNull(channel),
        what: Type.String({ description: "In words" }),
      }),
      {
        description:
          "The history in words, oldest first; `channel` is null for the event as a whole",
      },
    ),
  },
  { title: "EventReport" },
);
export type EventReport = Static<typeof EventReport>;
