import { type Static, type TUnsafe, Type } from "@sinclair/typebox";
import { faultOf, field, integerText, success, text, time } from "./fields.ts";

/** A topic: a named set of a tenant's users. */
export const TOPICS_PATH = "/api/v1/topics";
export const TOPIC_PATH = "/api/v1/topics/:key";
export const TOPIC_MEMBERS_PATH = "/api/v1/topics/:key/members";

/** The table of topics has the same pattern. */
export const TOPIC_KEY = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;
export const NO_TOPIC_KEY =
  "must be 1 to 64 of A-Z, a-z, 0-9, _ . : and -, the first a letter or a digit";

/** The maximum of topics of one tenant. */
export const MAX_TOPICS = 10_000;
/** The maximum of added and removed users in one call, in all. */
export const MAX_MEMBERS_OF_CHANGE = 1_000;
export const TOPICS_MAX_LIMIT = 1_000;
export const TOPICS_DEFAULT_LIMIT = 100;

export function topicKey(
  description = "1 to 64 of A-Z, a-z, 0-9, _ . : and -; upper and lower case differ",
): TUnsafe<string> {
  const keywords = { type: "string", pattern: TOPIC_KEY.source, examples: ["news"] };
  return field<string>({ ...keywords, description }, (value) =>
    typeof value === "string" && TOPIC_KEY.test(value) ? undefined : NO_TOPIC_KEY,
  );
}

const userId = text();

/** Returns a type for the user ids of a change. */
export function memberIds(description: string): TUnsafe<string[]> {
  const keywords = { type: "array", items: userId, maxItems: MAX_MEMBERS_OF_CHANGE, description };
  return field<string[]>(keywords, (value) => {
    if (!Array.isArray(value)) return "must be an array of user ids";
    if (value.length > MAX_MEMBERS_OF_CHANGE) {
      return `must have at most ${MAX_MEMBERS_OF_CHANGE} items`;
    }
    const at = value.findIndex((one) => faultOf(userId)?.(one) !== undefined);
    return at < 0 ? undefined : `has a bad item, [${at}]: it ${faultOf(userId)?.(value[at])}`;
  });
}

export const MembersChangeRequest = Type.Object(
  {
    add: Type.Optional(memberIds("User ids; one that is in the topic already stays in it")),
    remove: Type.Optional(memberIds("User ids; one that is not in the topic changes nothing")),
  },
  {
    title: "MembersChangeRequest",
    description: `At most ${MAX_MEMBERS_OF_CHANGE} user ids in all; no id may be in both lists`,
  },
);
export type MembersChangeRequest = Static<typeof MembersChangeRequest>;

const members = Type.Integer({ description: "How many users are in the topic now" });

export const MembersChangeResponse = Type.Object(
  { success, members },
  { title: "MembersChangeResponse" },
);

const limit = Type.Optional(
  integerText(
    { minimum: 1, maximum: TOPICS_MAX_LIMIT, default: TOPICS_DEFAULT_LIMIT },
    { description: "Maximum number to return", examples: [100] },
  ),
);
const next = Type.Optional(
  Type.String({ description: "Pass it as `after` to get the next page; absent on the last page" }),
);

export const MEMBERS_QUERY = {
  after: Type.Optional(text({ description: "`next` of the page before" })),
  limit,
  search: Type.Optional(text({ description: "Only user ids that begin with this text" })),
};

export const MembersResponse = Type.Object(
  {
    success,
    data: Type.Array(Type.String(), { description: "User ids, in the order of their bytes" }),
    next,
  },
  { title: "MembersResponse" },
);

export const TOPICS_QUERY = {
  after: Type.Optional(topicKey("`next` of the page before")),
  limit,
};

export const Topic = Type.Object(
  { key: Type.String(), members, createdAt: time("When its first member was added") },
  { title: "Topic" },
);
export type Topic = Static<typeof Topic>;

export const TopicsResponse = Type.Object(
  { success, data: Type.Array(Topic, { description: "Topics, ordered by key" }), next },
  { title: "TopicsResponse" },
);

export const TopicDeletedResponse = Type.Object({ success }, { title: "TopicDeletedResponse" });
