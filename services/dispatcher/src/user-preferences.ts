import { type Channel, channelsOfMask } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
import type { StoredEvent } from "@belfry/database/functions/dispatch-events";
import {
  type PreferenceQuestion,
  type PreferenceVerdict,
  preferencesOf,
  type Recipient,
  recipientsOf,
} from "@belfry/database/functions/recipients";
import type { Routing } from "./routing-cache.ts";

/** An event's user: the entry in the directory and the preferences. */
export interface UserPreferences {
  /** Undefined: the tenant names no users, has no quiet hours, and nobody has a say. */
  recipient: Recipient | undefined;
  /** Verdicts for the channels that the event may use; undefined if no relevant preference is off. */
  verdicts: ReadonlyMap<Channel, PreferenceVerdict> | undefined;
}

export const NO_PREFERENCES: UserPreferences = { recipient: undefined, verdicts: undefined };

/**
 * Reads the preferences of a batch, in its order: one statement for the users, one for the preferences of those who may
 * have said no, and none for tenants that have neither. Read anew each time, so that a change binds what is
 * dispatched after it.
 */
export async function readUserPreferences(
  pool: Pool,
  events: readonly StoredEvent[],
  routing: Routing,
) {
  const preferences = events.map(() => NO_PREFERENCES);
  const known = [...events.keys()].filter((at) => events[at]!.mayHavePreferences);
  const recipients = await recipientsOf(
    pool,
    known.map((at) => events[at]!),
  );
  for (const [place, at] of known.entries()) {
    preferences[at] = { recipient: recipients[place], verdicts: undefined };
  }
  const asked = known.filter((at) => preferences[at]!.recipient?.chooses);
  if (asked.length === 0) return preferences;
  const verdicts = await preferencesOf(
    pool,
    asked.map((at) => questionOf(events[at]!, routing)),
  );
  for (const [place, at] of asked.entries()) {
    preferences[at] = { ...preferences[at]!, verdicts: verdicts[place] };
  }
  return preferences;
}

/** Asks about the channels that the event has templates for and may use. */
function questionOf(event: StoredEvent, routing: Routing): PreferenceQuestion {
  const { tenantId, userId, eventType } = event;
  const requested = channelsOfMask(event.channels);
  const channels = [...routing.templates(tenantId, eventType).keys()].filter(
    (channel) => requested?.includes(channel) ?? true,
  );
  return { tenantId, userId, eventType, channels };
}
