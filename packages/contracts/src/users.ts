import { type Static, Type } from "@sinclair/typebox";
import {
  emailOrNone,
  faultOf,
  field,
  locale,
  oneOf,
  phoneOrNone,
  success,
  text,
  textOrNone,
} from "./fields.ts";
import { MAX_NESTING } from "./identifiers.ts";
import { NO_TIME_ZONE, quietHoursOrNone, timeZoneName } from "./quiet-hours.ts";
import { isDeeperThan } from "./trigger.ts";

/** The path of a stored user: `PUT|GET|DELETE /api/v1/users/{userId}`. */
export const USER_PATH = "/api/v1/users/:userId";
export const USERS_BATCH_PATH = "/api/v1/users/batch";

export const MAX_USERS_OF_BATCH = 1_000;
export const MAX_USERS_BATCH_BYTES = 1024 * 1024;

/** The maximum of bytes of a user's attributes: their JSON in UTF-8. */
export const MAX_ATTRIBUTE_BYTES = 4 * 1024;

const language = locale({});

const settings = {
  email: Type.Optional(
    emailOrNone({
      description: "Used if a trigger has no recipientEmail",
      examples: ["ann@example.com"],
    }),
  ),
  phone: Type.Optional(
    phoneOrNone({
      description: "In E.164 form; used if a trigger has no recipientPhone",
      examples: ["+12025550123"],
    }),
  ),
  chat: Type.Optional(
    textOrNone({
      description: "An address such as `slack:C024BE91L`; used if a trigger has no recipientChat",
      examples: ["slack:C024BE91L"],
    }),
  ),
  locale: Type.Optional(
    field<string | null>(
      {
        ...language,
        type: ["string", "null"],
        description: "Language for triggers without a locale: language[-Script][-REGION]",
        examples: ["de-AT"],
      },
      (value) => (value === null ? undefined : faultOf(language)?.(value)),
    ),
  ),
  timezone: Type.Optional(
    field<string | null>(
      {
        type: ["string", "null"],
        description: "A name of the IANA time zone database; if absent, the tenant's zone",
        examples: ["Europe/Berlin"],
      },
      (value) =>
        value === null || (typeof value === "string" && timeZoneName(value) !== undefined)
          ? undefined
          : NO_TIME_ZONE,
    ),
  ),
  attributes: Type.Optional(
    field<Record<string, unknown> | null>(
      {
        type: ["object", "null"],
        description: `Values that templates read as \`user.NAME\`; at most ${MAX_ATTRIBUTE_BYTES / 1024} KiB of JSON`,
        examples: [{ firstName: "Ann" }],
      },
      attributesFault,
    ),
  ),
  quietHours: Type.Optional(
    quietHoursOrNone(
      "Times in the user's time zone; if `to` is earlier than `from`, they end on the next day. If absent, the tenant's",
    ),
  ),
};

function attributesFault(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) return "must be a JSON object";
  if (isDeeperThan(value, MAX_NESTING)) {
    return `must not be nested deeper than ${MAX_NESTING} levels`;
  }
  if (Buffer.byteLength(JSON.stringify(value)) <= MAX_ATTRIBUTE_BYTES) return undefined;
  return `must be at most ${MAX_ATTRIBUTE_BYTES} bytes of JSON`;
}

export const UserRequest = Type.Object(settings, {
  title: "UserRequest",
  description: "The whole entry of the user: a field that is absent or null is deleted",
});
export type UserRequest = Static<typeof UserRequest>;

/** One user of a batch. */
export const BatchUser = Type.Object({
  userId: text({ description: "The user's id in your own system" }),
  ...settings,
});
export type BatchUser = Static<typeof BatchUser>;

export const UsersBatchRequest = Type.Object(
  {
    users: field<unknown[]>(
      {
        type: "array",
        items: BatchUser,
        maxItems: MAX_USERS_OF_BATCH,
        description:
          "Users with the fields of PUT and their userIds; if a userId is repeated, the last one counts",
      },
      (value) => {
        if (!Array.isArray(value)) return "must be an array";
        if (value.length <= MAX_USERS_OF_BATCH) return undefined;
        return `must have at most ${MAX_USERS_OF_BATCH} items`;
      },
    ),
  },
  { title: "UsersBatchRequest" },
);
export type UsersBatchRequest = Static<typeof UsersBatchRequest>;

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const UserResponse = Type.Object(
  {
    success,
    data: Type.Object({
      userId: Type.String(),
      email: orNull("An international domain in its ASCII form"),
      phone: orNull("E.164"),
      chat: orNull("The address in a chat"),
      locale: orNull("In canonical form, such as de-AT"),
      timezone: orNull("null means the tenant's"),
      attributes: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
        description: "null means none",
      }),
      quietHours: Type.Union(
        [Type.Object({ from: Type.String(), to: Type.String() }), Type.Null()],
        { description: "null means the tenant's" },
      ),
      createdAt: Type.String({ description: "ISO 8601, UTC" }),
      updatedAt: Type.String({ description: "ISO 8601, UTC" }),
    }),
  },
  { title: "UserResponse" },
);
export type UserResponse = Static<typeof UserResponse>;

export const UsersBatchResponse = Type.Object(
  {
    success: Type.Boolean({ description: "Always true: each item has its own" }),
    results: Type.Array(
      Type.Object({
        userId: orNull("The user id as it was sent; null if there was none"),
        success: Type.Boolean({ description: "false: nothing was changed for this item" }),
        message: Type.Optional(
          Type.Array(Type.String(), { description: "All faults of the item, each with its field" }),
        ),
      }),
      { description: "In the order of the request" },
    ),
  },
  { title: "UsersBatchResponse" },
);
export type UsersBatchResponse = Static<typeof UsersBatchResponse>;

/** `GET /api/v1/erasures/{erasureId}`: the progress of a user's erasure. */
export const ERASURE_PATH = "/api/v1/erasures/:erasureId";

/** The table of erasures has the same list. */
const ERASURE_STATES = ["waiting", "running", "done"] as const;

/** The maximum of a tenant's erasures that are not done. */
export const MAX_OPEN_ERASURES = 10_000;

const moment = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description: `${description}; ISO 8601, UTC` });

export const ErasureResponse = Type.Object(
  {
    success,
    data: Type.Object({
      id: Type.String(),
      status: oneOf(ERASURE_STATES, { description: "One of a tenant runs at a time" }),
      requestedAt: Type.String({ description: "ISO 8601, UTC" }),
      startedAt: moment("null while it waits"),
      endedAt: moment("null until it is done"),
      deleted: Type.Union([Type.Record(Type.String(), Type.Integer()), Type.Null()], {
        description: "Deleted rows, by kind; null until the erasure is done",
      }),
    }),
  },
  { title: "ErasureResponse" },
);
export type ErasureResponse = Static<typeof ErasureResponse>;
