import {
  type Channel,
  channelsOfMask,
  IN_APP,
  type ProviderChannel,
  TO_CHAT,
  TO_DEVICES,
} from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
import { chatAddresses } from "@belfry/database/functions/chat-addresses";
import { usersWithDevices } from "@belfry/database/functions/devices";
import type { StoredEvent } from "@belfry/database/functions/dispatch-events";
import {
  type PreferenceQuestion,
  type PreferenceVerdict,
  preferencesOf,
  type Recipient,
  recipientsOf,
} from "@belfry/database/functions/recipients";
import { mayUse, type Routing } from "./routing-cache.ts";

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
  /** The address in a chat. Read only for events that may go to one. */
  chat: string | null;
}

export const NO_PREFERENCES: UserPreferences = {
  recipient: undefined,
  verdicts: undefined,
  hasDevice: false,
  chat: null,
};

/**
 * Reads the preferences of a batch; the result has its order. Runs one statement for the users, one for the
 * preferences of users who may have turned something off, and one each for events that may go to devices and to chats;
 * none if no tenant of the batch uses any of these. Nothing is cached, so that a change applies to all events that are
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
  const all = [...read];
  const askFor = async <T>(
    channel: ProviderChannel,
    ask: (pool: Pool, events: readonly StoredEvent[]) => Promise<readonly T[]>,
    said: (answer: T) => Partial<UserPreferences>,
  ) => {
    const places = [...events.keys()].filter((at) => mayUse(channel, events[at]!, routing));
    if (places.length === 0) return;
    const answers = await ask(
      pool,
      places.map((at) => events[at]!),
    );
    for (const [index, at] of places.entries()) all[at] = { ...all[at]!, ...said(answers[index]!) };
  };
  await askFor(TO_DEVICES, usersWithDevices, (hasDevice) => ({ hasDevice }));
  await askFor(TO_CHAT, chatAddresses, (chat) => ({ chat }));
  return all;
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
