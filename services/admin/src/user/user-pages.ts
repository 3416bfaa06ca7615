import { openErasureOf } from "@belfry/administration/erasure/erasures";
import { type FoundEvent, searchEvents } from "@belfry/administration/events/search-events";
import { eventIdsOfUser } from "@belfry/administration/search/find-anything";
import { eventsByIds, usersWho, WHO } from "@belfry/administration/search/search-rows";
import { openInbox } from "@belfry/administration/tenants/realtime";
import { showTenant } from "@belfry/administration/tenants/tenants";
import { devicesOfUser } from "@belfry/administration/users/devices";
import { findUser, suppressionsOfUser } from "@belfry/administration/users/user-rows";
import { findUsers, listUsers } from "@belfry/administration/users/users";
import { CHANNELS, type Channel, IN_APP } from "@belfry/contracts/channels";
import { textFault } from "@belfry/contracts/identifiers";
import { CONCEALED } from "@belfry/contracts/notification";
import { ANY, PREFERENCE_CHANNELS } from "@belfry/contracts/preferences";
import { quietHoursOf } from "@belfry/contracts/quiet-hours";
import type { Database } from "@belfry/database/connection";
import { countUnread, listNotifications, shownNotifications } from "@belfry/database/notifications";
import { type ShownPreferences, shownPreferences } from "@belfry/database/preferences";
import type { SecretKeys } from "@belfry/database/secrets";
import { isMeant, reasonText } from "../event/own-reasons.ts";
import { whyNot } from "../event/why-not.ts";
import { json, page, redirect } from "../page/answer.ts";
import { idOf } from "../page/form-fields.ts";
import { say, type Words } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";

const PAGE = 30;
/** The number of newest events that are searched for recent users, and the most users that are shown. */
const LATEST_EVENTS = 100;
const MOST_USERS = 12;

/** Registers the list of users, and a user's page: facts, preferences, history, and a live inbox. */
export function userPages({ route, db, keys, config, signToken }: PageDeps): void {
  /** Trims spaces, which are mostly pasted by accident, unless a user's id has them. */
  const userIdOf = async (tenantId: string, given: string) => {
    const trimmed = given.trim();
    if (given === trimmed || textFault(given) !== undefined) return trimmed;
    const [exact] = await usersWho(db, WHO.id(given), tenantId, 1);
    return exact?.userId ?? trimmed;
  };

  route("GET /tenants/:tenantId/users", async ({ tenant, query, run, base }) => {
    const search = (query.get("search") ?? "").trim();
    const pageOf = (id: string) => redirect(`${base}/users?user=${encodeURIComponent(id)}`);
    if (search !== "" && textFault(search) === undefined) {
      const { users: found, more } = await run(findUsers, { search });
      if (found.length === 0) return pageOf(search);
      if (found.length === 1) return pageOf(found[0]!.userId);
      return page("users", say`Users`, { search, found, more });
    }
    const userId = await userIdOf(tenant.id, query.get("user") ?? "");
    const wanted = search || userId;
    const fault = wanted === "" ? undefined : textFault(wanted);
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
      return page("users", say`Users`, { search: wanted, fault, lately, ...list }, status);
    }
    const owner = { tenantId: tenant.id, userId };
    const before = idOf(query, "before");
    const [found, unread, facts, erasure] = await Promise.all([
      listNotifications(db, { ...owner, limit: PAGE + 1, before, view: "all" }),
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
      ...facts,
      erasure,
      userId,
      items,
      unread,
      next,
      wsUrl,
      isUnknown,
      showsInbox,
    });
  });

  // For the live inbox: a token as a tenant's backend would sign it, which lets the browser read only what the page
  // shows.
  route("POST /tenants/:tenantId/users/token", async ({ tenant, form, run }) => {
    const userId = form.get("user") ?? "";
    const { channels } = await run(openInbox, { userId });
    const token = await signToken({ sub: userId, tenant: tenant.id, concealed: true });
    return json({ token, channels });
  });
}

const EVENTS = 10;

/** Returns the facts on a user's page. */
async function userFacts(
  db: Database,
  keys: SecretKeys,
  { tenantId, userId }: { tenantId: string; userId: string },
) {
  const [user, tenant, shown, { events: lately, searchedTo, next }, indexed] = await Promise.all([
    findUser(db, tenantId, userId),
    showTenant(db, tenantId),
    shownPreferences(db, { tenantId, userId }),
    searchEvents(db, { tenantId, userId, limit: EVENTS }),
    eventIdsOfUser(db, keys, { tenantId, userId, most: EVENTS }),
  ]);
  // The search index has events of any age, but gets new ones some seconds late. Those are among the newest events.
  const older = indexed.filter((id) => !lately.some((event) => event.id === id));
  const events = [...lately, ...(await eventsByIds(db, older, tenantId))]
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, EVENTS);
  const ids = events.map(({ id }) => id);
  return {
    user,
    /** Whether the directory, an event or a preference names the user. */
    isKnown: user !== undefined || events.length > 0 || shown.preferences.length > 0,
    quietHours: quietHoursOf(user?.quietFrom ?? null, user?.quietTo ?? null),
    defaults: { timezone: tenant.timezone, quietHours: tenant.quietHours },
    devices: await devicesOfUser(db, tenantId, userId),
    cells: cellRows(shown),
    channels: PREFERENCE_CHANNELS,
    suppressions: await suppressionsOfUser(db, tenantId, user, ids),
    sent: events.map((event) => ({ ...event, states: statesOf(event) })),
    /** The time to which the search went back; undefined if there can be no older events. */
    lookedBackTo: next === undefined || indexed.length > 0 ? undefined : searchedTo,
  };
}

/** Returns a row for all categories, one for each, and one for each deleted category that has preferences. */
function cellRows({ preferences, categories }: ShownPreferences) {
  const said = Map.groupBy(preferences, ({ category }) => category);
  const keys = new Set([ANY, ...categories.map(({ key }) => key), ...said.keys()]);
  return [...keys].map((key) => {
    const category = categories.find((one) => one.key === key);
    return {
      key,
      label: key === ANY ? say`All categories` : (category?.label[""] ?? key),
      required: category?.required === true,
      isOffByDefault: category?.defaultOn === false,
      isGone: key !== ANY && category === undefined,
      cells: PREFERENCE_CHANNELS.map((channel) => ({
        channel,
        said: said.get(key)?.find((one) => one.channel === channel),
      })),
    };
  });
}

interface State {
  channel: Channel;
  status: string;
  /** The stored reason. */
  reason?: string | null;
  why?: Words;
}

/** Returns the state of an event on each channel that it was meant for, and why it was not sent. */
function statesOf({ deliveries, pushed, outcome }: FoundEvent) {
  return CHANNELS.flatMap((channel): State[] => {
    const delivery = deliveries.find((one) => one.channel === channel);
    if (delivery !== undefined) {
      const { status, reason } = delivery;
      const stored = reason ?? outcome?.waits?.[channel] ?? null;
      const why = whyNot({ status, reason })?.sentence ?? reasonText(stored ?? "");
      return [{ channel, status, reason, ...(why && { why }) }];
    }
    for (const status of ["failed", "skipped"] as const) {
      const reason = outcome?.[status]?.[channel];
      if (reason === undefined) continue;
      // The event was never meant for the channel.
      if (status === "skipped" && !isMeant(reason)) return [];
      const why = whyNot({ status, reason })?.sentence;
      return [{ channel, status, reason, ...(why && { why }) }];
    }
    return pushed && channel === IN_APP ? [{ channel, status: "published" }] : [];
  });
}
