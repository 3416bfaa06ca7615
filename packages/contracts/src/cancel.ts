import { type Static, Type } from "@sinclair/typebox";
import { CHANNELS } from "./channels.ts";
import { FAULT, oneOf, success, text } from "./fields.ts";

/** `POST /api/v1/events/cancel`: stops deliveries that have not been sent. */
export const CANCEL_PATH = "/api/v1/events/cancel";

/** The maximum of keys, of ids and of users in one call. */
export const MAX_CANCEL_NAMES = 100;
/** Events that one call cancels at most. If there are more, the answer says so, and the next call continues. */
export const MAX_CANCELLED_EVENTS = 1_000;
/** Events that the `eventIds` of one call may match together. */
export const MAX_EVENTS_OF_EVENT_IDS = 10 * MAX_CANCELLED_EVENTS;

const names = (description: string, example: string) =>
  Type.Optional(
    Type.Array(text(), {
      minItems: 1,
      maxItems: MAX_CANCEL_NAMES,
      description,
      examples: [[example]],
    }),
  );

export const CancelRequest = Type.Object(
  {
    cancelKeys: names("Values of cancelKey, which select all events that have them", "order-1001"),
    eventIds: names(
      `Belfry's ids of events, or your own eventIds, which select all events that have them, at most ${MAX_EVENTS_OF_EVENT_IDS}`,
      "0198c0de-0000-7000-8000-000000000001",
    ),
    userIds: names("Only events of these users; default: of all users", "user-1"),
  },
  {
    title: "CancelRequest",
    description: "Either cancelKeys or eventIds",
    examples: [
      { cancelKeys: ["order-1001"] },
      { eventIds: ["0198c0de-0000-7000-8000-000000000001"], userIds: ["user-1"] },
    ],
    oneOf: [{ required: ["cancelKeys"] }, { required: ["eventIds"] }],
    [FAULT]: (body: object) => cancelFault(body),
  },
);
export type CancelRequest = Static<typeof CancelRequest>;

/** Returns the fault of the lists as a whole, without a field name. */
export function cancelFault({ cancelKeys, eventIds }: CancelRequest): string | undefined {
  return (cancelKeys === undefined) === (eventIds === undefined)
    ? "must have either cancelKeys or eventIds"
    : undefined;
}

const eventIds = (description: string) => Type.Array(Type.String(), { description });

/** Answer of a cancel: the outcome for each event. */
export const Cancelled = Type.Object(
  {
    cancelled: eventIds("Belfry's ids of events that have reached nobody and will reach nobody"),
    partly: Type.Array(
      Type.Object({
        eventId: Type.String({ description: "Belfry's id" }),
        stopped: Type.Array(oneOf(CHANNELS), {
          description: "Channels on which nothing has been sent",
        }),
      }),
      { description: "Events that had already been sent in part; the rest was stopped" },
    ),
    pending: eventIds(
      "Belfry's ids of events with an attempt in progress, which is the last one. Repeat the call to learn its result",
    ),
    tooLate: eventIds("Belfry's ids of events of which nothing could be stopped any more"),
    unknown: Type.Optional(
      eventIds("The given eventIds that no event has; absent if all were found"),
    ),
    more: Type.Optional(
      Type.Boolean({
        description: `Present and true if there are more than ${MAX_CANCELLED_EVENTS} events; repeat the call to continue`,
      }),
    ),
  },
  { title: "Cancelled" },
);
export type Cancelled = Static<typeof Cancelled>;

export const CancelResponse = Type.Object(
  { success, ...Cancelled.properties },
  { title: "CancelResponse" },
);
export type CancelResponse = Static<typeof CancelResponse>;
