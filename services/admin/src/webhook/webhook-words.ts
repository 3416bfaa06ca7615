import { CHANNELS } from "@belfry/contracts/channels";
import type { DeliveryStatus } from "@belfry/contracts/delivery";
import type { MessageStatus } from "@belfry/contracts/webhook-endpoints";
import {
  TEST_TYPE,
  type WebhookMessageType,
  type WebhookType,
} from "@belfry/contracts/webhook-payload";
import { reasonText } from "../event/own-reasons.ts";
import { type Phrase, say, type Words } from "../page/language.ts";
import { ago, listedChannels, seconds, term } from "../page/words.ts";

/** The types of messages that the form offers. */
export const TYPE_GROUPS: readonly {
  title: Phrase;
  types: Readonly<Partial<Record<WebhookType, Phrase>>>;
}[] = [
  {
    title: say`Messages by ${listedChannels(CHANNELS, "and")}`,
    types: {
      "delivery.accepted": say`Accepted by the provider`,
      "delivery.delivered": say`Delivered, according to the provider`,
      "delivery.bounced": say`Bounced: the address does not work`,
      "delivery.complained": say`Marked as spam by the recipient`,
      "delivery.failed": say`Failed, and not retried any more`,
      "delivery.expired": say`Expired before it could be sent`,
      "delivery.skipped": say`Skipped: turned off, suppressed, or no address`,
      "delivery.unknown": say`Unknown: perhaps sent, but no answer came`,
    },
  },
  {
    title: say`Notifications in the inbox`,
    types: {
      "notification.created": say`Stored in the inbox`,
      "notification.read": say`Read by the user`,
    },
  },
  {
    title: say`Preferences`,
    types: { "preference.changed": say`A user's preferences have changed` },
  },
  {
    title: say`Devices`,
    types: {
      "device.added": say`A user has a new browser or phone`,
      "device.gone": say`A vendor does not know a browser or phone any more`,
    },
  },
  {
    title: say`Broadcasts`,
    types: {
      "broadcast.progress": say`A broadcast has moved on; at most every 10 seconds`,
      "broadcast.done": say`A broadcast is done, or its cancel is`,
    },
  },
];

const WORDS: Readonly<Record<string, Phrase>> = {
  ...Object.assign({}, ...TYPE_GROUPS.map(({ types }) => types)),
  [TEST_TYPE satisfies WebhookMessageType]: say`Test message`,
};

/** Returns a sentence for a message type, or the type itself if it has no sentence. */
export function typeWords(type: string): Words {
  return Object.hasOwn(WORDS, type) ? (WORDS[type] ?? type) : type;
}

/** Returns the list of types, or `everything` if the list is empty. */
export function typesInShort(types: readonly string[]): Words {
  return types.length === 0 ? say`everything` : types.join(", ");
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
  text: Phrase;
  /** A sentence with the reason or the time of the state; null if there is nothing to add. */
  note: Phrase | null;
}

/** Returns the state of an endpoint in words. */
export function endpointState(endpoint: EndpointFacts, now = Date.now()): EndpointState {
  const { active, disabledAt, disabledReason, failingSince, pausedUntil } = endpoint;
  if (!active && disabledReason !== null) {
    const note = say`Disabled ${ago(disabledAt)}: ${reasonText(disabledReason)}.`;
    return { tone: "bad", text: say`disabled`, note };
  }
  if (!active)
    return { tone: "quiet", text: say`disabled`, note: say`Disabled ${ago(disabledAt)}.` };
  if (pausedUntil !== null && new Date(pausedUntil).getTime() > now) {
    const note = say`Too many failures in a row. Next attempt ${ago(pausedUntil)}.`;
    return { tone: "busy", text: say`paused`, note };
  }
  if (failingSince !== null) {
    const failingSeconds = (now - new Date(failingSince).getTime()) / 1000;
    return { tone: "bad", text: say`failing`, note: say`Failing for ${seconds(failingSeconds)}.` };
  }
  return { tone: "good", text: say`active`, note: null };
}

/** The state of a message in words, by the state of its delivery. */
export const MESSAGE_STATES: Readonly<Record<MessageStatus, { tone: string; text: Phrase }>> = {
  queued: { tone: "busy", text: say`on its way` },
  sending: { tone: "busy", text: say`being sent` },
  waiting: { tone: "busy", text: say`to be tried again` },
  accepted: { tone: "good", text: say`arrived` },
  failed: { tone: "bad", text: say`given up` },
  skipped: { tone: "quiet", text: say`not sent` },
};

export function messageState(status: DeliveryStatus): { tone: string; text: Phrase } {
  return isMessageStatus(status) ? MESSAGE_STATES[status] : { tone: "quiet", text: term(status) };
}

export function isMessageStatus(status: string): status is MessageStatus {
  return Object.hasOwn(MESSAGE_STATES, status);
}
