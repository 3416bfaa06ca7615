import { type Channel, channelsOfMask } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
import type { StoredEvent } from "@belfry/database/functions/dispatch-events";
import {
  type PreferenceQuestion,
  type PreferenceVerdict,
  preferencesOf,
} from "@belfry/database/functions/preference-rule";
import { type Recipient, recipientsOf } from "@belfry/database/functions/recipients";
import type { Routing } from "./routing-cache.ts";

/** What is known of an event's user, and what the user wants. */
export interface UserWishes {
  /** Undefined: the tenant names no users and has no quiet hours. */
  recipient: Recipient | undefined;
  /** By channel, those that the event may be sent on; undefined: nobody of the tenant has said anything. */
  verdicts: ReadonlyMap<Channel, PreferenceVerdict> | undefined;
}

export const NO_WISHES: UserWishes = { recipient: undefined, verdicts: undefined };

/**
 * Reads the wishes of a batch, in its order: one statement for the users and one for their preferences, and
 * none for tenants that have none. Read anew each time, so that a change binds what is dispatched after it.
 */
export async function readUserWishes(
  pool: Pool,
  events: readonly StoredEvent[],
  routing: Routing,
): Promise<UserWishes[]> {
  const wishes = events.map(() => NO_WISHES);
  const named = placesOf(events, ({ hasRecipients }) => hasRecipients);
  const asked = placesOf(events, ({ hasPreferences }) => hasPreferences);
  const [recipients, verdicts] = await Promise.all([
    named.length === 0
      ? []
      : recipientsOf(
          pool,
          named.map((at) => events[at]!),
        ),
    asked.length === 0
      ? []
      : preferencesOf(
          pool,
          asked.map((at) => questionOf(events[at]!, routing)),
        ),
  ]);
  for (const [place, at] of named.entries()) {
    wishes[at] = { ...NO_WISHES, recipient: recipients[place] };
  }
  for (const [place, at] of asked.entries()) {
    wishes[at] = { ...wishes[at]!, verdicts: verdicts[place] };
  }
  return wishes;
}

function placesOf(
  events: readonly StoredEvent[],
  which: (event: StoredEvent) => boolean,
): number[] {
  return [...events.entries()].flatMap(([at, event]) => (which(event) ? [at] : []));
}

/** Of the channels that it has templates for and was not kept from. */
function questionOf(event: StoredEvent, routing: Routing): PreferenceQuestion {
  const { tenantId, userId, eventType } = event;
  const requested = channelsOfMask(event.channels);
  const channels = [...routing.templates(tenantId, eventType).keys()].filter(
    (channel) => requested?.includes(channel) ?? true,
  );
  return { tenantId, userId, eventType, channels };
}
