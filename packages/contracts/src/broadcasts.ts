import { type Static, Type } from "@sinclair/typebox";
import { CHANNELS } from "./channels.ts";
import { anyObject, FAULT, field, locale, oneOf, orNull, success, text, time } from "./fields.ts";
import { sendAt } from "./scheduled.ts";
import { MAX_CHANNELS } from "./trigger.ts";

/** `POST /api/v1/broadcasts`: one event to many people. */
export const BROADCASTS_PATH = "/api/v1/broadcasts";
export const BROADCAST_PATH = `${BROADCASTS_PATH}/:broadcastId`;
export const PAUSE_BROADCAST_PATH = `${BROADCAST_PATH}/pause`;
export const RESUME_BROADCAST_PATH = `${BROADCAST_PATH}/resume`;
export const CANCEL_BROADCAST_PATH = `${BROADCAST_PATH}/cancel`;

export const MAX_BROADCAST_TOPICS = 20;
/** The maximum of users in `userIds`, and in `exceptUserIds`. */
export const MAX_BROADCAST_USERS = 10_000;
/** The maximum of bytes of the variables: their JSON in UTF-8. */
export const MAX_BROADCAST_VARIABLE_BYTES = 64 * 1024;
/** Enough for two lists of the longest user ids, and the variables. */
export const MAX_BROADCAST_BODY_BYTES = 8 * 1024 * 1024;

export const BROADCAST_STATES = [
  "scheduled",
  "running",
  "paused",
  "cancelling",
  "cancelled",
  "done",
] as const;
export type BroadcastState = (typeof BROADCAST_STATES)[number];

/**
 * All allowed changes of a broadcast's state. The database rejects others (`broadcast-moves.sql`, written from this).
 */
export const BROADCAST_TRANSITIONS: Readonly<Record<BroadcastState, readonly BroadcastState[]>> = {
  scheduled: ["running", "paused", "cancelling"],
  running: ["paused", "cancelling", "done"],
  // To `done`: all its events were created before the pause, and each of them has ended.
  paused: ["scheduled", "running", "cancelling", "done"],
  cancelling: ["cancelled"],
  cancelled: [],
  done: [],
};

const users = (description: string) =>
  Type.Optional(
    Type.Array(text(), {
      maxItems: MAX_BROADCAST_USERS,
      description,
      examples: [["user-1", "user-2"]],
    }),
  );

export const BroadcastRequest = Type.Object(
  {
    topics: Type.Optional(
      Type.Array(text(), {
        minItems: 1,
        maxItems: MAX_BROADCAST_TOPICS,
        description: "It is sent to the members of these topics; a member of several gets it once",
        examples: [["product-news"]],
      }),
    ),
    userIds: users("Users that get it, instead of topics"),
    exceptUserIds: users("Users that do not get it"),
    eventType: text({
      description: "The event type of a template; it must have no sensitive template",
      examples: ["product.news"],
    }),
    variables: Type.Optional(
      anyObject({
        description: `Values for the templates, the same for all users; at most ${MAX_BROADCAST_VARIABLE_BYTES / 1024} KiB`,
        examples: [{ title: "Dark mode is here" }],
      }),
    ),
    channels: Type.Optional(
      Type.Array(oneOf(CHANNELS), {
        maxItems: MAX_CHANNELS,
        description: "Only these channels; an empty array means all",
      }),
    ),
    sendAt: Type.Optional(
      sendAt({
        description:
          "Start time; a past time means now. It has the same limits as `sendAt` of an event",
      }),
    ),
    provider: Type.Optional(
      text({
        description:
          "Id or name of one of your providers, which sends all messages on its channel. Default: your usual providers",
        examples: ["Newsletters"],
      }),
    ),
    locale: Type.Optional(
      locale({ description: "One language for all users; default: each user's own" }),
    ),
  },
  {
    title: "BroadcastRequest",
    description: "Either topics or userIds",
    oneOf: [{ required: ["topics"] }, { required: ["userIds"] }],
    [FAULT]: (body: object) => broadcastFault(body),
  },
);
export type BroadcastRequest = Static<typeof BroadcastRequest>;

export function broadcastFault(body: {
  topics?: unknown;
  userIds?: unknown;
  variables?: unknown;
}): string | undefined {
  if ((body.topics === undefined) === (body.userIds === undefined)) {
    return "must have either topics or userIds";
  }
  return undefined;
}

export const Broadcast = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    state: oneOf(BROADCAST_STATES, {
      description:
        "cancelling: nothing more is sent, and the results are being counted; done: all events have been sent or have ended",
    }),
    reason: orNull(
      Type.String({
        description: "Why Belfry paused it; null if it is not paused or you paused it",
      }),
    ),
    eventType: Type.String(),
    topics: orNull(Type.Array(Type.String(), { description: "null if it is for a list of users" })),
    channels: orNull(Type.Array(oneOf(CHANNELS), { description: "null means all" })),
    locale: orNull(Type.String({ description: "null means each user's own" })),
    provider: orNull(
      Type.String({ format: "uuid", description: "Id of the provider that you named; null: none" }),
    ),
    total: Type.Integer({
      description: "Number of users that it is for; an estimate until the last one is processed",
    }),
    expanded: Type.Integer({ description: "Number of users for whom an event was created" }),
    byStatus: Type.Record(Type.String(), Type.Integer(), {
      description:
        "Number of results by status, counted per channel every few seconds; `cancelled` counts whole events",
    }),
    cancelled: Type.Optional(
      Type.Integer({ description: "After a cancel: the number of events that reached nobody" }),
    ),
    tooLate: Type.Optional(
      Type.Integer({
        description:
          "Number of the other events, which had reached somebody or ended before. Both numbers are final once the state is cancelled",
      }),
    ),
    sendAt: orNull(time("Planned start time; null for an immediate start")),
    resumesAt: orNull(
      time("Time at which a paused broadcast resumes by itself; null if only you can resume it"),
    ),
    createdAt: time("When it was accepted"),
    startedAt: orNull(time("When it began")),
    endedAt: orNull(time("When it was done or cancelled")),
  },
  { title: "Broadcast" },
);
export type Broadcast = Static<typeof Broadcast>;

export const BroadcastResponse = Type.Object(
  { success, data: Broadcast },
  { title: "BroadcastResponse" },
);

export const BroadcastsResponse = Type.Object(
  { success, data: Type.Array(Broadcast), next: Type.Optional(Type.String()) },
  { title: "BroadcastsResponse" },
);

/** The type of the header X-Idempotency-Key. */
export const idempotencyKey = Type.Optional(
  field<string>(
    {
      type: "string",
      minLength: 1,
      maxLength: 255,
      description:
        "For 24 hours the same request with the same key answers with the broadcast that it made; another request with it is 422",
      examples: ["news-2026-11"],
    },
    (value) =>
      typeof value === "string" && value.length > 0 && value.length <= 255
        ? undefined
        : "must be 1 to 255 characters",
  ),
);
