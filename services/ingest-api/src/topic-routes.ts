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
} from "@belfry/contracts/topics";
import { Type } from "@sinclair/typebox";
import type { AddActRoute } from "./act-route.ts";

const BAD_LIMIT = {
  validation: { message: [`limit must be an integer from 1 to ${TOPICS_MAX_LIMIT}`] },
};

/** Registers the routes of topics, which are named sets of a tenant's users. */
export function topicRoutes(add: AddActRoute): void {
  add(listTopics, {
    operationId: "listTopics",
    querystring: Type.Object(TOPICS_QUERY),
    answer: { description: "A page of topics", schema: TopicsResponse },
    problems: BAD_LIMIT,
    answerOf: ({ items, ...next }) => ({ success: true, data: items, ...next }),
  });

  add(listMembers, {
    operationId: "listMembers",
    querystring: Type.Object(MEMBERS_QUERY),
    answer: { description: "A page of user ids", schema: MembersResponse },
    problems: { notFound: {}, ...BAD_LIMIT },
    answerOf: ({ items, ...next }) => ({ success: true, data: items, ...next }),
  });

  add(changeMembers, {
    operationId: "changeMembers",
    body: MembersChangeRequest,
    answer: { description: "How many users are in it now", schema: MembersChangeResponse },
    problems: {
      conflict: { message: "the topic news is being deleted: try again in a moment" },
      validation: { message: [`add must have at most ${MAX_MEMBERS_OF_CHANGE} items`] },
    },
    answerOf: ({ members }) => ({ success: true, members }),
    logFieldsOf: ({ members }) => ({ members }),
  });

  add(deleteTopic, {
    operationId: "deleteTopic",
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
