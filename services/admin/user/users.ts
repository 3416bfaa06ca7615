import { openErasureOf } from "@belfry/administration/erasure/erasures";
import { searchEvents } from "@belfry/administration/events/search-events";
import { usersWho, WHO } from "@belfry/administration/search/search-rows";
import { openInbox } from "@belfry/administration/tenants/realtime";
import { listUsers } from "@belfry/administration/users/users";
import { textFault, UUID } from "@belfry/contracts/identifiers";
import { CONCEALED } from "@belfry/contracts/notification";
import { countUnread, listNotifications, shownNotifications } from "@belfry/database/notifications";
import { json, page } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { userFacts } from "./user-page.ts";

const PAGE = 30;
/** Where the users come from that were seen lately, and how many are named. */
const LATEST_EVENTS = 100;
const MOST_USERS = 12;

/** What is known of a user and what they want, their history as they see it, and a live inbox to try. */
export function userPages({ route, db, keys, config, signToken }: PageDeps): void {
  /** Spaces around it are pasted along mostly, but an id may have them. */
  const idOf = async (tenantId: string, given: string) => {
    const trimmed = given.trim();
    if (given === trimmed || textFault(given) !== undefined) return trimmed;
    const [exact] = await usersWho(db, WHO.id(given), tenantId, 1);
    return exact?.userId ?? trimmed;
  };

  route("GET /tenants/:tenantId/users", async ({ tenant, query, run }) => {
    const userId = await idOf(tenant.id, query.get("user") ?? "");
    const fault = userId === "" ? undefined : textFault(userId);
    if (userId === "" || fault !== undefined) {
      const { events } = await searchEvents(db, { tenantId: tenant.id, limit: LATEST_EVENTS });
      const lately = [...Map.groupBy(events, (event) => event.userId)]
        .slice(0, MOST_USERS)
        .map(([id, own]) => ({ id, at: own[0]?.acceptedAt }));
      const given = query.get("after") ?? "";
      const after = textFault(given) === undefined ? given : undefined;
      const { users: all, next: nextUser } = await run(listUsers, { after });
      const status = fault === undefined ? 200 : 422;
      const list = { all, nextUser, isFirst: after === undefined };
      return page("users", "Users", { userId, fault, lately, ...list }, status);
    }
    const owner = { tenantId: tenant.id, userId };
    const given = query.get("before") ?? "";
    const before = UUID.test(given) ? given : undefined;
    const [found, unread, facts, erasure] = await Promise.all([
      listNotifications(db, { ...owner, limit: PAGE + 1, before }),
      countUnread(db, owner),
      userFacts(db, keys, { tenantId: tenant.id, userId }),
      openErasureOf(db, owner),
    ]);
    const ids = found.map(({ id }) => id);
    const shown = await shownNotifications(db, tenant.id, ids);
    const items = found
      .slice(0, PAGE)
      .map((item) => (shown.has(item.id) ? item : { ...item, title: CONCEALED, body: "" }));
    const next = found.length > PAGE ? items.at(-1)?.id : undefined;
    const { wsUrl } = config;
    const isUnknown = !facts.isKnown && found.length === 0 && erasure === undefined;
    const showsInbox = !isUnknown || query.has("inbox");
    return page("user", userId, {
      ...{ ...facts, erasure, userId, items, unread, next, wsUrl, isUnknown, showsInbox },
    });
  });

  // For the live inbox: the browser is given what a tenant's backend would give it, never the key, and by this
  // token it reads no more than the page shows.
  route("POST /tenants/:tenantId/users/token", async ({ tenant, form, run }) => {
    const userId = form.get("user") ?? "";
    const { channels } = await run(openInbox, { userId });
    const token = await signToken({ sub: userId, tenant: tenant.id, concealed: true });
    return json({ token, channels });
  });
}
