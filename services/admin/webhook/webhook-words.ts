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
      "delivery.accepted": "A provider has taken it",
      "delivery.delivered": "It has reached the recipient, as the provider says",
      "delivery.bounced": "It came back: the address does not work",
      "delivery.complained": "The recipient called it spam",
      "delivery.failed": "It failed, and is not tried any more",
      "delivery.expired": "It was too late to be sent",
      "delivery.skipped": "It is not sent, for a reason: turned off, suppressed, no address",
      "delivery.unknown": "It was perhaps sent: no answer came",
    },
  },
  {
    title: "Notifications in the inbox",
    types: {
      "notification.created": "One was stored",
      "notification.read": "The user has read it",
    },
  },
  {
    title: "Preferences",
    types: { "preference.changed": "A user's wishes have changed" },
  },
];

const WORDS: Readonly<Record<string, string>> = {
  ...Object.assign({}, ...TYPE_GROUPS.map(({ types }) => types)),
  [TEST_TYPE satisfies WebhookMessageType]: "A test message, sent by hand",
};

/** A sentence for a type; the type itself where there is none. */
export function typeWords(type: string): string {
  return Object.hasOwn(WORDS, type) ? (WORDS[type] ?? type) : type;
}

/** Of a list: `everything`, or the types. */
export function typesInShort(types: readonly string[]): string {
  return types.length === 0 ? "everything" : types.join(", ");
}
