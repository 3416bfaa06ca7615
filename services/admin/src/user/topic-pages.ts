import { NotFound } from "@belfry/administration/input-error";
import { requireTopic } from "@belfry/administration/users/topic-rows";
import {
  changeMembers,
  deleteTopic,
  listMembers,
  listTopics,
} from "@belfry/administration/users/topics";
import { textFault } from "@belfry/contracts/identifiers";
import { TOPIC_KEY } from "@belfry/contracts/topics";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

const PAGE = 100;

/** Registers the pages of topics and of the users in each. */
export function topicPages({ route, db }: PageDeps): void {
  const showTopics = async (
    { run, query }: InTenant,
    values = { key: "", userIds: "" },
    faults: Faults = {},
  ): Promise<Answer> => {
    const after = query.get("after") ?? "";
    const isPlace = TOPIC_KEY.test(after);
    const { items, next } = await run(listTopics, { limit: PAGE, ...(isPlace && { after }) });
    return page("topics", say`Topics`, { topics: items, next, values, faults });
  };

  const showTopic = async (
    context: InTenant,
    given: { userIds?: string; faults?: Faults } = {},
  ): Promise<Answer> => {
    const { run, query, tenant } = context;
    const key = keyOf(context);
    const topic = await requireTopic(db, { tenantId: tenant.id, key });
    const search = (query.get("search") ?? "").trim();
    const searchFault = search === "" ? undefined : textFault(search);
    const after = query.get("after") ?? "";
    const found = await run(listMembers, {
      key,
      limit: PAGE,
      ...(search !== "" && searchFault === undefined && { search }),
      ...(textFault(after) === undefined && { after }),
    });
    const more = { ...(search && { search }), after: found.next ?? "" };
    return page("topic", key, {
      topic,
      userIds: found.items,
      nextPage: found.next && `?${new URLSearchParams(more)}`,
      search,
      searchFault: searchFault && faultWords(searchFault),
      values: { userIds: given.userIds ?? "" },
      faults: given.faults ?? {},
    });
  };

  route("GET /tenants/:tenantId/topics", (context) => showTopics(context));

  route("POST /tenants/:tenantId/topics", async (context) => {
    const { form, run, base } = context;
    const values = { key: (form.get("key") ?? "").trim(), userIds: form.get("userIds") ?? "" };
    const { key } = values;
    return await orFaults(
      () =>
        run(changeMembers, { key, add: typedUsers(values.userIds) }).then(({ members }) =>
          redirect(members === 0 ? `${base}/topics` : `${base}/topics/${key}`, "members-changed"),
        ),
      (faults) => showTopics(context, values, faults),
    );
  });

  route("GET /tenants/:tenantId/topics/:topicKey", (context) => showTopic(context));

  route("POST /tenants/:tenantId/topics/:topicKey/add", async (context) => {
    const { form, run, base } = context;
    const key = keyOf(context);
    const userIds = form.get("userIds") ?? "";
    return await orFaults(
      () =>
        run(changeMembers, { key, add: typedUsers(userIds) }).then(() =>
          redirect(`${base}/topics/${key}`, "members-changed"),
        ),
      (faults) => showTopic(context, { userIds, faults }),
    );
  });

  route("POST /tenants/:tenantId/topics/:topicKey/remove", async (context) => {
    const { form, run, base } = context;
    const key = keyOf(context);
    await run(changeMembers, { key, remove: [form.get("userId") ?? ""] });
    return redirect(`${base}/topics/${key}`, "removed");
  });

  route("POST /tenants/:tenantId/topics/:topicKey/delete", async (context) => {
    const { run, base } = context;
    await run(deleteTopic, { key: keyOf(context) });
    return redirect(`${base}/topics`, "topic-deleted");
  });
}

/** Returns the key in the path. Throws `NotFound`. */
function keyOf({ params }: InTenant): string {
  const { topicKey = "" } = params;
  if (TOPIC_KEY.test(topicKey)) return topicKey;
  throw new NotFound("path", "no such topic");
}

/** Returns the user ids, one on a line, because a user id may contain a comma. */
function typedUsers(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "");
}
