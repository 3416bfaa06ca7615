import { type Static, Type } from "@sinclair/typebox";
import { field, integerText, oneOf, orNull, shownOnce, success, time } from "./fields.ts";
import { UUID_FORM } from "./identifiers.ts";
import { sendAt } from "./scheduled.ts";
import {
  MAX_WEBHOOK_URL,
  WEBHOOK_MESSAGE_TYPES,
  WEBHOOK_TYPES,
  type WebhookType,
} from "./webhook-payload.ts";

/** Paths of the calls for a tenant's endpoints and the messages that were sent to them. */
export const WEBHOOKS_PATH = "/api/v1/webhooks";
export const WEBHOOK_PATH = `${WEBHOOKS_PATH}/:webhookId` as const;
export const WEBHOOK_SECRET_PATH = `${WEBHOOK_PATH}/rotate-secret` as const;
export const WEBHOOK_ATTEMPTS_PATH = `${WEBHOOK_PATH}/attempts` as const;
export const WEBHOOK_TEST_PATH = `${WEBHOOK_PATH}/test` as const;
export const WEBHOOK_REPLAY_PATH = `${WEBHOOK_PATH}/replay` as const;
export const WEBHOOK_MESSAGES_PATH = `${WEBHOOK_PATH}/messages` as const;
export const WEBHOOK_MESSAGE_PATH = `${WEBHOOK_MESSAGES_PATH}/:messageId` as const;
export const WEBHOOK_RESEND_PATH = `${WEBHOOK_MESSAGE_PATH}/resend` as const;

export const MESSAGES_DEFAULT_LIMIT = 50;
export const MESSAGES_MAX_LIMIT = 500;
/** The states of a webhook message. */
export const MESSAGE_STATUSES = [
  "queued",
  "sending",
  "waiting",
  "accepted",
  "failed",
  "skipped",
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

// The schema checks only the field's type. Administration checks its value and reports every fault together.
const url = field<string>(
  {
    type: "string",
    format: "uri",
    maxLength: MAX_WEBHOOK_URL,
    pattern: "^https://[^\\s/?#@]+(?:[/?][^\\s#]*)?$",
    description:
      "An https URL without credentials and fragment; a query is allowed. The host must be public, otherwise the answer is 422",
    examples: ["https://example.com/webhooks/belfry"],
  },
  (value) => (typeof value === "string" ? undefined : "must be a string"),
);

const types = Type.Optional(
  field<WebhookType[]>(
    {
      type: "array",
      uniqueItems: true,
      maxItems: WEBHOOK_TYPES.length,
      items: { type: "string", enum: [...WEBHOOK_TYPES] },
      description:
        "Types of messages that it gets; an empty list means all, including types that are added later",
      examples: [["delivery.bounced", "delivery.failed"]],
    },
    (value) =>
      Array.isArray(value) && value.every((one) => typeof one === "string")
        ? undefined
        : "must be an array of strings",
  ),
);

const description = Type.Optional(
  field<string | null>(
    {
      type: ["string", "null"],
      maxLength: 255,
      description: "A description for your team; null or empty means none",
      examples: ["Order system"],
    },
    (value) =>
      value === null || typeof value === "string" ? undefined : "must be a string, or null",
  ),
);

const active = Type.Optional(
  field<boolean>(
    {
      type: "boolean",
      description:
        "false stops the creation and sending of its messages. true ends a pause and enables a disabled endpoint",
    },
    (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  ),
);

export const WebhookRequest = Type.Object(
  { url, types, description, active },
  {
    title: "WebhookRequest",
    description:
      "The endpoint with this URL. Absent fields keep their values; a new endpoint gets all types",
  },
);
export type WebhookRequest = Static<typeof WebhookRequest>;

export const WebhookChangeRequest = Type.Object(
  { url: Type.Optional(url), types, description, active },
  { title: "WebhookChangeRequest", description: "Fields that are left out keep their values" },
);
export type WebhookChangeRequest = Static<typeof WebhookChangeRequest>;

export const ReplayRequest = Type.Object(
  {
    since: sendAt({ description: "Only messages from this time or later" }),
    until: Type.Optional(
      sendAt({
        description:
          "Only messages from before this time; default: now. It must be later than `since`",
      }),
    ),
    all: Type.Optional(
      field<boolean>(
        {
          type: "boolean",
          description: "Whether arrived messages are sent again, too; default: false",
        },
        (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
      ),
    ),
    after: Type.Optional(
      field<string>(
        {
          type: "string",
          pattern: `^${UUID_FORM}$`,
          description: "The `next` of an answer that had `more`",
          examples: ["019aaa20-0000-7000-8000-000000000000"],
        },
        (value) => (typeof value === "string" ? undefined : "must be a string"),
      ),
    ),
  },
  {
    title: "WebhookReplayRequest",
    examples: [
      { since: "2026-11-20T08:00:00Z" },
      { since: "2026-11-20T08:00:00Z", until: "2026-11-20T09:30:00+01:00", all: true },
    ],
  },
);
export type ReplayRequest = Static<typeof ReplayRequest>;

const placeOf = (form: string, example: string) =>
  field<string>(
    {
      type: "string",
      pattern: `^${form}$`,
      description: "The `next` of the page before",
      examples: [example],
    },
    (value) => (typeof value === "string" ? undefined : "must be a string"),
  );

/** Query of a list of messages. */
export const MESSAGES_QUERY = {
  status: Type.Optional(oneOf(MESSAGE_STATUSES, { description: "Only messages in this state" })),
  limit: Type.Optional(
    integerText(
      { minimum: 1, maximum: MESSAGES_MAX_LIMIT, default: MESSAGES_DEFAULT_LIMIT },
      { description: "Maximum number to return", examples: [50] },
    ),
  ),
  after: Type.Optional(placeOf(UUID_FORM, "019aaa20-0000-7000-8000-000000000000")),
};

/** Query of a list of attempts. */
export const ATTEMPTS_QUERY = {
  ...MESSAGES_QUERY,
  after: Type.Optional(placeOf(`${UUID_FORM}_\\d{1,6}`, "019aaa20-0000-7000-8000-000000000000_1")),
};

export const next = Type.Optional(
  Type.String({
    description:
      "Pass it as `after` to get the next page; absent on the last page. Other pages may have fewer than `limit` items, too",
  }),
);

export const Webhook = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    url: Type.String({ description: "The address that Belfry calls" }),
    types: Type.Array(oneOf(WEBHOOK_TYPES), { description: "An empty list means all types" }),
    description: orNull(Type.String()),
    active: Type.Boolean({ description: "false if no messages are sent to it" }),
    disabledAt: orNull(time("Time since which it is not active; null if it is active")),
    disabledReason: orNull(
      Type.String({
        description: "Why Belfry disabled it; null if a person did",
      }),
    ),
    failingSince: orNull(
      time("Time since which no message has arrived; null if the last attempt succeeded"),
    ),
    pausedUntil: orNull(
      time(
        "The endpoint is paused until this time and is then called once; null if it is not paused",
      ),
    ),
    createdAt: time("When it was created"),
    updatedAt: time("When somebody last changed it"),
  },
  { title: "Webhook" },
);
export type Webhook = Static<typeof Webhook>;

const secret = {
  ...shownOnce(
    "The secret that verifies messages, as defined by Standard Webhooks. Shown only once",
  ),
  pattern: "^whsec_[A-Za-z0-9+/]{43}=$",
};
const secretOfNew = Type.Optional({
  ...secret,
  description: `${secret.description}, if the endpoint is new`,
});
const previousSecretUntil = time("The previous secret also signs until this time");

export const WebhookWithSecret = Type.Object({ ...Webhook.properties, secret: secretOfNew });
export const NewSigningSecret = Type.Object({
  id: Type.String({ format: "uuid" }),
  url: Type.String(),
  secret,
  previousSecretUntil,
});

export const WebhookPutResponse = Type.Object(
  {
    success,
    data: Webhook,
    secret: secretOfNew,
  },
  { title: "WebhookPutResponse" },
);
export const WebhookResponse = Type.Object(
  { success, data: Webhook },
  { title: "WebhookResponse" },
);
export const WebhooksResponse = Type.Object(
  { success, data: Type.Array(Webhook, { description: "The oldest first; at most 20" }) },
  { title: "WebhooksResponse" },
);
export const WebhookDeletedResponse = Type.Object({ success }, { title: "WebhookDeletedResponse" });
export const WebhookSecretResponse = Type.Object(
  {
    success,
    secret,
    previousSecretUntil,
  },
  { title: "WebhookSecretResponse" },
);

const messageFields = {
  headerId: Type.String({
    format: "uuid",
    description:
      "Value of the header webhook-id. For a message that was sent again it is the id of the first one",
  }),
  type: oneOf(WEBHOOK_MESSAGE_TYPES),
  eventId: orNull(
    Type.String({
      format: "uuid",
      description:
        "Belfry's id of the event or digest that the message is about; null if there is none",
    }),
  ),
};
const status = oneOf(MESSAGE_STATUSES);

export const WebhookMessage = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    ...messageFields,
    status,
    reason: orNull(Type.String({ description: "Why it failed, was skipped, or is tried again" })),
    createdAt: time("When it was created"),
    nextAt: orNull(time("Time of the next attempt; null if there is none or one is in progress")),
  },
  { title: "WebhookMessage" },
);
export type WebhookMessage = Static<typeof WebhookMessage>;

export const WebhookAttempt = Type.Object(
  {
    messageId: Type.String({ format: "uuid" }),
    ...messageFields,
    number: Type.Integer({ description: "Number of the message's attempt, from 1" }),
    at: time("When it began"),
    durationMs: orNull(Type.Integer({ description: "null if it has not ended" })),
    status: orNull(
      Type.Integer({ description: "HTTP status of the answer; null if there was none" }),
    ),
    outcome: oneOf(["arrived", "failed", "unknown", "under way"], {
      description:
        "arrived: the endpoint answered 2xx. unknown: the message was sent, but no answer came",
    }),
    reason: orNull(Type.String({ description: "Why it did not arrive" })),
    answer: orNull(Type.String({ description: "The first KiB of the answer, as text" })),
    nextAt: orNull(time("Time of the next attempt; null if there is none")),
    messageStatus: status,
  },
  { title: "WebhookAttempt" },
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

export const WebhookMessagesResponse = Type.Object(
  { success, data: Type.Array(WebhookMessage, { description: "The newest first" }), next },
  { title: "WebhookMessagesResponse" },
);
export const WebhookAttemptsResponse = Type.Object(
  {
    success,
    data: Type.Array(WebhookAttempt, {
      description: "Attempts of the newest message first, and each message's newest attempt first",
    }),
    next,
  },
  { title: "WebhookAttemptsResponse" },
);
export const WebhookMessageResponse = Type.Object(
  {
    success,
    data: WebhookMessage,
    payload: Type.String({ description: "The JSON that is posted" }),
    attempts: Type.Array(WebhookAttempt, {
      description:
        "Attempts of this message and of messages with the same headerId, newest first; at most 100",
    }),
  },
  { title: "WebhookMessageResponse" },
);

export const WebhookSentResponse = Type.Object(
  {
    success,
    messageId: Type.String({
      format: "uuid",
      description: "Id of the new message; its GET returns the outcome",
    }),
  },
  { title: "WebhookSentResponse" },
);

export const REPLAYED = {
  replayed: Type.Integer({ description: "Number of messages that are sent again" }),
  more: Type.Boolean({
    description: "The time range may have more messages: repeat the call with `next` as `after`",
  }),
  next: Type.Optional(Type.String({ description: "Only if `more` is true" })),
};

export const WebhookReplayResponse = Type.Object(
  { success, ...REPLAYED },
  { title: "WebhookReplayResponse" },
);
