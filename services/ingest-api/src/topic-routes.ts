import {
  changeMembers,
  deleteTopic,
  listMembers,
  listTopics,
} from "@belfry/administration/users/topics";
import {
  MAX_MEMBERS_OF_CHANGE,
  MEMBERS_QUERY,
  MembersChangeRequest,
  MembersChangeResponse,
  MembersResponse,
  NO_TOPIC_KEY,
  TOPICS_MAX_LIMIT,
  TOPICS_QUERY,
  TopicDeletedResponse,
  TopicsResponse,
  topicKey,
} from "@belfry/contracts/topics";
import { Type } from "@sinclair/typebox";
import type { AddActRoute } from "./act-route.ts";

const tag = "Topics";
/** Room for 1,000 user ids, each of 255 characters of four bytes. */
const MAX_CHANGE_BYTES = 1024 * 1024 + 64 * 1024;
const params = Type.Object({ key: topicKey() });
const BAD_LIMIT = {
  validation: { message: [`limit must be an integer from 1 to ${TOPICS_MAX_LIMIT}`] },
};

/** Registers the routes of topics, which are named sets of a tenant's users. */
export function topicRoutes(add: AddActRoute): void {
  add(listTopics, {
    tag,
    operationId: "listTopics",
    summary: "List your topics",
    description: "Topics ordered by key, each with the number of its members.",
    querystring: Type.Object(TOPICS_QUERY),
    answer: { description: "A page of topics", schema: TopicsResponse },
    problems: BAD_LIMIT,
    answerOf: ({ items, ...next }) => ({ success: true, data: items, ...next }),
  });

  add(listMembers, {
    tag,
    operationId: "listMembers",
    summary: "List the users of a topic",
    description: "Their ids, in the order of their bytes.",
    params,
    querystring: Type.Object(MEMBERS_QUERY),
    answer: { description: "A page of user ids", schema: MembersResponse },
    problems: { notFound: {}, ...BAD_LIMIT },
    answerOf: ({ items, ...next }) => ({ success: true, data: items, ...next }),
  });

  add(changeMembers, {
    tag,
    operationId: "changeMembers",
    params,
    body: MembersChangeRequest,
    maxBodyBytes: MAX_CHANGE_BYTES,
    answer: { description: "How many users are in it now", schema: MembersChangeResponse },
    problems: {
      conflict: { message: "the topic news is being deleted: try again in a moment" },
      validation: { message: [`add must have at most ${MAX_MEMBERS_OF_CHANGE} items`] },
    },
    answerOf: ({ members }) => ({ success: true, members }),
    logFieldsOf: ({ members }) => ({ members }),
  });

  add(deleteTopic, {
    tag,
    operationId: "deleteTopic",
    params,
    answer: { description: "The topic was deleted", schema: TopicDeletedResponse },
    problems: {
      notFound: {},
      conflict: {
        message: "users are being imported into this topic: cancel the import first",
      },
      validation: { message: [`key ${NO_TOPIC_KEY}`] },
    },
    answerOf: () => ({ success: true }),
  });
}
