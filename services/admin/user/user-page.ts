import { type FoundEvent, searchEvents } from "@belfry/administration/events/search-events";
import { eventIdsOfUser } from "@belfry/administration/search/find-anything";
import { eventsByIds } from "@belfry/administration/search/search-rows";
import { showTenant } from "@belfry/administration/tenants/tenants";
import { findUser, suppressionsOfUser } from "@belfry/administration/users/user-rows";
import { CHANNELS, IN_APP } from "@belfry/contracts/channels";
import { ANY, PREFERENCE_CHANNELS } from "@belfry/contracts/preferences";
import { quietHoursOf } from "@belfry/contracts/quiet-hours";
import { reasonWords } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import { type ShownPreferences, shownPreferences } from "@belfry/database/shown-preferences";
import { isMeant, whyNot } from "../event/why-not.ts";

const EVENTS = 10;

/** What is known of a user of a tenant, as the page of the user shows it. */
export async function userFacts(
  db: Database,
  keys: SecretKeys,
  { tenantId, userId }: { tenantId: string; userId: string },
) {
  const [user, tenant, wishes, { events: lately, searchedTo, next }, indexed] = await Promise.all([
    findUser(db, tenantId, userId),
    showTenant(db, tenantId),
    shownPreferences(db, { tenantId, userId }),
    searchEvents(db, { tenantId, userId, limit: EVENTS }),
    eventIdsOfUser(db, keys, { tenantId, userId, most: EVENTS }),
  ]);
  // By index however old they are; what was accepted in the last seconds is among the newest of the tenant.
  const older = indexed.filter((id) => !lately.some((event) => event.id === id));
  const events = [...lately, ...(await eventsByIds(db, older, tenantId))]
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, EVENTS);
  const ids = events.map(({ id }) => id);
  return {
    user,
    /** In the directory, by an event, or by a preference. */
    isKnown: user !== undefined || events.length > 0 || wishes.preferences.length > 0,
    quietHours: quietHoursOf(user?.quietFrom ?? null, user?.quietTo ?? null),
    defaults: { timezone: tenant.timezone, quietHours: tenant.quietHours },
    cells: cellRows(wishes),
    channels: PREFERENCE_CHANNELS,
    suppressions: await suppressionsOfUser(db, tenantId, user, ids),
    sent: events.map((event) => ({ ...event, states: statesOf(event) })),
    /** How far back was looked, where there may be more. */
    lookedBackTo: next === undefined || indexed.length > 0 ? undefined : searchedTo,
  };
}

/** A row for all categories, one for each, and one for each that is gone and of which something was said. */
function cellRows({ preferences, categories }: ShownPreferences) {
  const said = Map.groupBy(preferences, ({ category }) => category);
  const keys = new Set([ANY, ...categories.map(({ key }) => key), ...said.keys()]);
  return [...keys].map((key) => {
    const category = categories.find((one) => one.key === key);
    return {
      key,
      label: key === ANY ? "All categories" : (category?.label[""] ?? key),
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

/** What became of an event on each channel that it was meant for, and why not. */
function statesOf({ deliveries, pushed, outcome }: FoundEvent) {
  return CHANNELS.flatMap((channel) => {
    const delivery = deliveries.find((one) => one.channel === channel);
    const skipped = outcome?.skipped?.[channel];
    const failed = outcome?.failed?.[channel];
    const waits = outcome?.waits?.[channel];
    const state = (status: string, why?: string) => [{ channel, status, why }];
    if (delivery !== undefined) {
      const { status, reason } = delivery;
      return state(
        status,
        whyNot({ status, reason })?.sentence ?? reasonWords(reason ?? waits ?? null) ?? undefined,
      );
    }
    if (failed !== undefined)
      return state("failed", whyNot({ status: "failed", reason: failed })?.sentence);
    if (skipped !== undefined) {
      // Nothing is said of a channel that the event was never for.
      return isMeant(skipped)
        ? state("skipped", whyNot({ status: "skipped", reason: skipped })?.sentence)
        : [];
    }
    return pushed && channel === IN_APP ? state("published") : [];
  });
}
