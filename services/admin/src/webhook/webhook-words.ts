import { CHANNEL_ROWS, CHANNELS, listed } from "@belfry/contracts/channels";
import type { DeliveryStatus } from "@belfry/contracts/delivery";
import type { MessageStatus } from "@belfry/contracts/webhook-endpoints";
import {
  TEST_TYPE,
  type WebhookMessageType,
  type WebhookType,
} from "@belfry/contracts/webhook-payload";
import { type Phrase, say } from "../page/language.ts";
import { ago, seconds } from "../page/words.ts";

/** The types of messages that the form offers. */
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
  {
    title: "Broadcasts",
    types: {
      "broadcast.progress": "A broadcast has moved on; at most every 10 seconds",
      "broadcast.done": "A broadcast is done, or its cancel is",
    },
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

/** `everything`, or the types. */
export function typesInShort(types: readonly string[]): string {
  return types.length === 0 ? "everything" : types.join(", ");
}

/** The fields of an endpoint that decide its state. */
interface EndpointFacts {
  active: boolean;
  disabledAt: string | null;
  disabledReason: string | null;
  failingSince: string | null;
  pausedUntil: string | null;
}

interface EndpointState {
  tone: "good" | "busy" | "bad" | "quiet";
  text: string;
  /** A sentence. */
  note: Phrase | null;
}

/** The state of an endpoint in words. */
export function endpointState(endpoint: EndpointFacts, now = Date.now()): EndpointState {
  const { active, disabledAt, disabledReason, failingSince, pausedUntil } = endpoint;
  if (!active && disabledReason !== null) {
    const note = say`Disabled ${ago(disabledAt)}: ${disabledReason}.`;
    return { tone: "bad", text: "disabled", note };
  }
  if (!active) return { tone: "quiet", text: "disabled", note: say`Disabled ${ago(disabledAt)}.` };
  if (pausedUntil !== null && new Date(pausedUntil).getTime() > now) {
    const note = say`Too many failures in a row. Next attempt ${ago(pausedUntil)}.`;
    return { tone: "busy", text: "paused", note };
  }
  if (failingSince !== null) {
    const failingSeconds = (now - new Date(failingSince).getTime()) / 1000;
    return { tone: "bad", text: "failing", note: say`Failing for ${seconds(failingSeconds)}.` };
  }
  return { tone: "good", text: "active", note: null };
}

/** The state of a message in words, by the state of its delivery. */
export const MESSAGE_STATES: Readonly<Record<MessageStatus, { tone: string; text: string }>> = {
  queued: { tone: "busy", text: "on its way" },
  sending: { tone: "busy", text: "being sent" },
  waiting: { tone: "busy", text: "to be tried again" },
  accepted: { tone: "good", text: "arrived" },
  failed: { tone: "bad", text: "given up" },
  skipped: { tone: "quiet", text: "not sent" },
};

export function messageState(status: DeliveryStatus): { tone: string; text: string } {
  return isMessageStatus(status) ? MESSAGE_STATES[status] : { tone: "quiet", text: status };
}

export function isMessageStatus(status: string): status is MessageStatus {
  return Object.hasOwn(MESSAGE_STATES, status);
}
