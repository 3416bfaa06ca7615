import { type Channel, channelsOfMask, IN_APP, TO_DEVICES } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
import { usersWithDevices } from "@belfry/database/functions/devices";
import type { StoredEvent } from "@belfry/database/functions/dispatch-events";
import {
  type PreferenceQuestion,
  type PreferenceVerdict,
  preferencesOf,
  type Recipient,
  recipientsOf,
} from "@belfry/database/functions/recipients";
import type { Routing } from "./routing-cache.ts";

/** The directory entry and the preferences of an event's user. */
export interface UserPreferences {
  /** Undefined if the tenant has no users in the directory, no quiet hours and no preferences. */
  recipient: Recipient | undefined;
  /**
   * For each channel that the event may use, whether preferences forbid it; undefined if no preference can forbid any
   * channel.
   */
  verdicts: ReadonlyMap<Channel, PreferenceVerdict> | undefined;
  /** Whether the user has a device. Read only for events that may go to devices. */
  hasDevice: boolean;
}

export const NO_PREFERENCES: UserPreferences = {
  recipient: undefined,
  verdicts: undefined,
  hasDevice: false,
};

/**
 * Reads the preferences of a batch; the result has its order. Runs one statement for the users, one for the
 * preferences of users who may have turned something off, and one for users of events that may go to devices; none if
 * no tenant of the batch uses any of these. Nothing is cached, so that a change applies to all events that are
 * dispatched after it.
 */
export async function readUserPreferences(
  pool: Pool,
  events: readonly StoredEvent[],
  routing: Routing,
): Promise<readonly UserPreferences[]> {
  const read = events.some((event) => event.mayHavePreferences)
    ? await readKnown(pool, events, routing)
    : events.map(() => NO_PREFERENCES);
  const reaching = [...events.keys()].filter((at) => mayReachDevice(events[at]!, routing));
  if (reaching.length === 0) return read;
  const users = await usersWithDevices(
    pool,
    reaching.map((at) => events[at]!),
  );
  const withDevice = new Set(reaching.filter((_, place) => users[place]));
  return read.map((preferences, at) =>
    withDevice.has(at) ? { ...preferences, hasDevice: true } : preferences,
  );
}

/** Whether an event may be sent to its user's devices, as far as the configuration in memory says. */
function mayReachDevice({ tenantId, eventType, channels }: StoredEvent, routing: Routing): boolean {
  const tenant = routing.tenant(tenantId);
  return (
    tenant?.usesDevices === true &&
    tenant.providerChannels.includes(TO_DEVICES) &&
    routing.templates(tenantId, eventType).has(TO_DEVICES) &&
    (channelsOfMask(channels)?.includes(TO_DEVICES) ?? true)
  );
}

async function readKnown(pool: Pool, events: readonly StoredEvent[], routing: Routing) {
  const preferences = events.map(() => NO_PREFERENCES);
  const known = [...events.keys()].filter((at) => events[at]!.mayHavePreferences);
  const recipients = await recipientsOf(
    pool,
    known.map((at) => {
      const { tenantId, userId, eventType } = events[at]!;
      const readsUser = routing.templates(tenantId, eventType).get(IN_APP)?.readsUser === true;
      return { tenantId, userId, eventType, readsUser };
    }),
  );
  for (const [place, at] of known.entries()) {
    preferences[at] = { ...NO_PREFERENCES, recipient: recipients[place] };
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

/** Builds the question for the channels for which the event has templates and that the trigger allows. */
function questionOf(event: StoredEvent, routing: Routing): PreferenceQuestion {
  const { tenantId, userId, eventType } = event;
  const requested = channelsOfMask(event.channels);
  const channels = [...routing.templates(tenantId, eventType).keys()].filter(
    (channel) => requested?.includes(channel) ?? true,
  );
  return { tenantId, userId, eventType, channels };
}
