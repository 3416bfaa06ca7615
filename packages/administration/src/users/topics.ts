import { text } from "@belfry/contracts/fields";
import {
  MAX_MEMBERS_OF_CHANGE,
  memberIds,
  TOPIC_KEY,
  TOPICS_DEFAULT_LIMIT,
  TOPICS_MAX_LIMIT,
  Topic,
  topicKey,
} from "@belfry/contracts/topics";
import { Type } from "@sinclair/typebox";
import { type Access, defineAct, defineRead, note, optional } from "../act.ts";
import { InvalidInput, NotFound, TooLate } from "../input-error.ts";
import { pageFields, pageFrom, pageOf } from "../pages.ts";
import { hasOpenImport } from "./import-rows.ts";
import {
  changeMembersOf,
  deleteSomeOfTopic,
  heldTopic,
  holdTopic,
  membersOfTopic,
  requireTopic,
  topicsOfTenant,
} from "./topic-rows.ts";

const READ: Access = { scope: "tenant", person: "viewer", key: "read" };
const CHANGE: Access = { scope: "tenant", person: "editor", key: "users" };

/** Room for 1,000 user ids, each of 255 characters of four bytes. */
const MAX_CHANGE_BYTES = 1024 * 1024 + 64 * 1024;
const MOST_NAMED = 5;

export const listTopics = defineRead({
  name: "topic list",
  http: "GET /api/v1/topics",
  access: READ,
  pages: true,
  summary: "A tenant's topics by their keys, each with the number of its members",
  input: Type.Object(
    pageFields(TOPICS_MAX_LIMIT, TOPICS_DEFAULT_LIMIT, (place) => TOPIC_KEY.test(place)),
  ),
  output: pageOf(Topic),
  example: {
    input: {},
    output: { items: [{ key: "news", members: 2, createdAt: "2026-11-20T09:30:00.000Z" }] },
  },
  async run({ db, tenantId }, { limit = TOPICS_DEFAULT_LIMIT, after }) {
    const rows = await topicsOfTenant(db, tenantId, { after, limit: limit + 1 });
    return pageFrom(rows, limit, ({ key }) => key);
  },
});

export const listMembers = defineRead({
  name: "topic members",
  http: "GET /api/v1/topics/:key/members",
  access: READ,
  pages: true,
  summary: "The user ids in a topic, in the order of their bytes",
  input: Type.Object({
    key: topicKey(),
    search: optional(text(), "those that begin so"),
    ...pageFields(TOPICS_MAX_LIMIT, TOPICS_DEFAULT_LIMIT),
  }),
  output: pageOf(Type.String()),
  example: { input: { key: "news" }, output: { items: ["user-1", "user-2"] } },
  flags: { key: "<key>" },
  async run({ db, tenantId }, { key, limit = TOPICS_DEFAULT_LIMIT, after, search }) {
    await requireTopic(db, { tenantId, key });
    const page = { after, limit: limit + 1, beginning: search };
    const rows = await membersOfTopic(db, { tenantId, key }, page);
    return pageFrom(rows, limit, (userId) => userId);
  },
});

export const changeMembers = defineAct({
  name: "topic change",
  http: "PATCH /api/v1/topics/:key/members",
  maxBodyBytes: MAX_CHANGE_BYTES,
  access: CHANGE,
  summary: "Add users to a topic and remove users from it; adding the first one creates the topic",
  description:
    "Makes all of the changes or none. Adding a user that is in the topic, or removing one that is not, changes nothing, so a call can be repeated. The users need not be stored.",
  input: Type.Object({
    key: topicKey(),
    add: optional(memberIds("user ids to add to the topic")),
    remove: optional(memberIds("user ids to remove from it")),
  }),
  output: Type.Object({ members: Type.Integer({ description: "How many users are in it now" }) }),
  example: {
    input: { key: "news", add: ["user-1", "user-2"], remove: ["user-3"] },
    output: { members: 2 },
  },
  flags: { key: "<key>", add: "--add <id...>", remove: "--remove <id...>" },
  async run({ db, tenantId }, { key, add = [], remove = [] }) {
    const place = { tenantId, key };
    refuseBoth(add, remove);
    if (add.length > 0) await holdTopic(db, place);
    else if (!(await heldTopic(db, place))) return { output: { members: 0 } };
    const { members, ...counts } = await changeMembersOf(db, place, {
      add: [...new Set(add)],
      remove: [...new Set(remove)],
    });
    return { output: { members }, counts };
  },
  // Logs counts, and no user ids.
  audit: ({ key }, { output, counts }) =>
    counts && note("topic.change", key, { after: { ...counts, ...output } }),
});

function refuseBoth(add: readonly string[], remove: readonly string[]): void {
  const faults = [];
  if (add.length + remove.length > MAX_MEMBERS_OF_CHANGE) {
    const message = `and remove must have at most ${MAX_MEMBERS_OF_CHANGE} items together`;
    faults.push({ field: "add", message });
  }
  const added = new Set(add);
  const both = remove.filter((userId) => added.has(userId)).slice(0, MOST_NAMED);
  for (const userId of both) {
    faults.push({
      field: "remove",
      message: `has a user that add has, too: ${JSON.stringify(userId)}`,
    });
  }
  if (faults.length > 0) throw new InvalidInput(faults);
}

export const deleteTopic = defineAct({
  name: "topic delete",
  http: "DELETE /api/v1/topics/:key",
  access: CHANGE,
  summary: "Delete a topic; its users stay",
  description:
    "The topic no longer exists after the answer. If it has more than 10,000 members, the rest of them are deleted in the background; until then no topic with this key can be created.",
  input: Type.Object({ key: topicKey() }),
  output: Type.Object({ key: Type.String() }),
  example: { input: { key: "news" }, output: { key: "news" } },
  flags: { key: "<key>" },
  async run({ db, tenantId }, { key }) {
    const place = { tenantId, key };
    if (!(await heldTopic(db, place))) {
      throw new NotFound("key", `no topic has the key ${JSON.stringify(key)}`);
    }
    if (await hasOpenImport(db, place)) {
      throw new TooLate("users are being imported into this topic: cancel the import first");
    }
    const { members } = await requireTopic(db, place);
    await deleteSomeOfTopic(db, place);
    return { output: { key }, members };
  },
  audit: ({ key }, { members }) => note("topic.delete", key, { before: { members } }),
});
