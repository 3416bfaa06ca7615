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
      "https, without credentials and without a fragment; a query is allowed. 422 where the host is not public, which no pattern can tell",
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
      description: "The types that it gets; empty: all, including types that are added later",
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
      description: "Shown to your own people; null or empty: none",
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
        "false: nothing is written for it and nothing is sent to it. true lifts a pause and a disabling",
    },
    (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  ),
);

export const WebhookRequest = Type.Object(
  { url, types, description, active },
  {
    title: "WebhookRequest",
    description:
      "An endpoint by its URL: what is left out stays as it is; a new one is told of everything",
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
    since: sendAt({ description: "Messages that were written then or later" }),
    until: Type.Optional(
      sendAt({
        description:
          "Messages that were written before; left out: all until now. 422 unless it is later than `since`",
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
      { description: "Most of them to return", examples: [50] },
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
      "Pass it as `after` to get the next page; absent on the last page. A page may hold fewer than `limit` and yet have it",
  }),
);

export const Webhook = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    url: Type.String({ description: "The address that Belfry calls" }),
    types: Type.Array(oneOf(WEBHOOK_TYPES), { description: "Empty: everything" }),
    description: orNull(Type.String()),
    active: Type.Boolean({ description: "false if no messages are sent to it" }),
    disabledAt: orNull(time("Since when it is not active; null: it is")),
    disabledReason: orNull(
      Type.String({
        description: "Why Belfry disabled it; null if a person did",
      }),
    ),
    failingSince: orNull(time("Nothing has reached it since; null: the last try has")),
    pausedUntil: orNull(time("Not called until then, and then once; null: it is called")),
    createdAt: time("When it was made"),
    updatedAt: time("When somebody last changed it"),
  },
  { title: "Webhook" },
);
export type Webhook = Static<typeof Webhook>;

const secret = {
  ...shownOnce("By which its messages are verified, by Standard Webhooks; shown this once"),
  pattern: "^whsec_[A-Za-z0-9+/]{43}=$",
};
const secretOfNew = Type.Optional({
  ...secret,
  description: `${secret.description}; absent where it was there`,
});
const previousSecretUntil = time("Until then the one before signs, too");

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
      "What the header webhook-id says: of a message that was sent again, the id of the first",
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
    createdAt: time("When it was written"),
    nextAt: orNull(time("When it is tried next; null: it is not, or is at this moment")),
  },
  { title: "WebhookMessage" },
);
export type WebhookMessage = Static<typeof WebhookMessage>;

export const WebhookAttempt = Type.Object(
  {
    messageId: Type.String({ format: "uuid" }),
    ...messageFields,
    number: Type.Integer({ description: "Number of the message's try, from 1" }),
    at: time("When it began"),
    durationMs: orNull(Type.Integer({ description: "null: it has not ended" })),
    status: orNull(
      Type.Integer({ description: "HTTP status of the answer; null: there was none" }),
    ),
    outcome: oneOf(["arrived", "failed", "unknown", "under way"], {
      description: "arrived: answered 2xx. unknown: the message was sent, and no answer came",
    }),
    reason: orNull(Type.String({ description: "Why it did not arrive" })),
    answer: orNull(Type.String({ description: "The first KiB of the answer, as text" })),
    nextAt: orNull(time("When the message is tried again; null: it is not")),
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
      description: "Those of the newest message first, and of each message the newest first",
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
  replayed: Type.Integer({ description: "How many are sent again" }),
  more: Type.Boolean({
    description: "There may be more in the time range: repeat the call with `next` as `after`",
  }),
  next: Type.Optional(Type.String({ description: "Only where `more` is true" })),
};

export const WebhookReplayResponse = Type.Object(
  { success, ...REPLAYED },
  { title: "WebhookReplayResponse" },
);
