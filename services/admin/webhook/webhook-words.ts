import { CHANNEL_ROWS, CHANNELS, listed } from "@belfry/contracts/channels";
import { TEST_TYPE, type WebhookMessageType, type WebhookType } from "@belfry/contracts/webhooks";

/** What an endpoint may be told, as its form offers it. */
export const TYPE_GROUPS: readonly {
  title: string;
  types: Readonly<Partial<Record<WebhookType, string>>>;
}[] = [
  {
    title: `Messages by ${listed(
      CHANNELS.map((channel) => CHANNEL_ROWS[channel].words.inSentence),
      "and",
    )}`,
    types: {
      "delivery.accepted": "Accepted by the provider",
      "delivery.delivered": "Delivered, according to the provider",
      "delivery.bounced": "Bounced: the address does not work",
      "delivery.complained": "Marked as spam by the recipient",
      "delivery.failed": "Failed, and not retried any more",
      "delivery.expired": "Expired before it could be sent",
      "delivery.skipped": "Skipped: turned off, suppressed, or no address",
      "delivery.unknown": "Unknown: perhaps sent, but no answer came",
    },
  },
  {
    title: "Notifications in the inbox",
    types: {
      "notification.created": "Stored in the inbox",
      "notification.read": "Read by the user",
    },
  },
  {
    title: "Preferences",
    types: { "preference.changed": "A user's preferences have changed" },
  },
];

const WORDS: Readonly<Record<string, string>> = {
  ...Object.assign({}, ...TYPE_GROUPS.map(({ types }) => types)),
  [TEST_TYPE satisfies WebhookMessageType]: "Test message",
};

/** A sentence for a type; the type itself where there is none. */
export function typeWords(type: string): string {
  return Object.hasOwn(WORDS, type) ? (WORDS[type] ?? type) : type;
}

/** Of a list: `everything`, or the types. */
export function typesInShort(types: readonly string[]): string {
  return types.length === 0 ? "everything" : types.join(", ");
}
