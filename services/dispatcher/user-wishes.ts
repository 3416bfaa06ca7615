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
  /** Undefined: the tenant names no users, has no quiet hours, and nobody has a say. */
  recipient: Recipient | undefined;
  /** By channel, those that the event may be sent on; undefined: nothing that matters here is off. */
  verdicts: ReadonlyMap<Channel, PreferenceVerdict> | undefined;
}

export const NO_WISHES: UserWishes = { recipient: undefined, verdicts: undefined };

/**
 * Reads the wishes of a batch, in its order: one statement for the users, one for the preferences of those who may
 * have said no, and none for tenants that have neither. Read anew each time, so that a change binds what is
 * dispatched after it.
 */
export async function readUserWishes(pool: Pool, events: readonly StoredEvent[], routing: Routing) {
  const wishes = events.map(() => NO_WISHES);
  const known = [...events.keys()].filter((at) => events[at]!.hasWishes);
  const recipients = await recipientsOf(
    pool,
    known.map((at) => events[at]!),
  );
  for (const [place, at] of known.entries()) {
    wishes[at] = { recipient: recipients[place], verdicts: undefined };
  }
  const asked = known.filter((at) => wishes[at]!.recipient?.chooses);
  if (asked.length === 0) return wishes;
  const verdicts = await preferencesOf(
    pool,
    asked.map((at) => questionOf(events[at]!, routing)),
  );
  for (const [place, at] of asked.entries()) {
    wishes[at] = { ...wishes[at]!, verdicts: verdicts[place] };
  }
  return wishes;
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
