import type { AddressField } from "./addresses.ts";

/** Content of a channel: a mail, a short text, or a title with a body. */
export type Content = "email" | "text" | "notification";

/** A way by which an event can reach its recipient (specification, 2.1). */
interface AnyRow {
  /** Its part of the mask in `events.channels`: never another's, as stored events hold it. */
  bit: number;
  content: Content;
  /** Its name as a label, within a sentence, and as a plural for its messages. */
  words: { label: string; inSentence: string; plural: string };
  /** The same for the readers of messages, by their language; without them `words` are used. */
  readersWords?: Readonly<Record<string, ReadersWords>>;
}

/** A channel's name on a page of its own, and how a message comes by it, within a sentence. */
export interface ReadersWords {
  label: string;
  by: string;
}

/** It leaves through a tenant's provider. */
export interface SentRow extends AnyRow {
  /** The address that an event needs for a delivery on the channel. */
  address: AddressField;
  sender: {
    /** The process, `services/<service>`. */
    service: string;
    /** The wait before each try after the first, jittered by ±20 %. */
    retrySeconds: readonly number[];
  };
}

/** It is ours: the dispatcher publishes it, to the user. */
interface PublishedRow extends AnyRow {
  address: null;
  sender: null;
}

export type ChannelRow = SentRow | PublishedRow;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const RETRY_SECONDS = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];

/** Everything that differs between channels; their order is the order of every list. */
const ROWS = {
  EMAIL: {
    bit: 1,
    content: "email",
    address: "recipientEmail",
    words: { label: "Email", inSentence: "email", plural: "emails" },
    readersWords: {
      en: { label: "Email", by: "by email" },
      de: { label: "E-Mail", by: "per E-Mail" },
      fr: { label: "E-mail", by: "par e-mail" },
      es: { label: "Correo electrónico", by: "por correo electrónico" },
    },
    sender: { service: "email-sender", retrySeconds: RETRY_SECONDS },
  },
  SMS: {
    bit: 2,
    content: "text",
    address: "recipientPhone",
    words: { label: "SMS", inSentence: "SMS", plural: "text messages" },
    readersWords: {
      en: { label: "SMS", by: "by SMS" },
      de: { label: "SMS", by: "per SMS" },
      fr: { label: "SMS", by: "par SMS" },
      es: { label: "SMS", by: "por SMS" },
    },
    sender: { service: "sms-sender", retrySeconds: RETRY_SECONDS },
  },
  PUSH: {
    bit: 4,
    content: "notification",
    address: null,
    words: { label: "Push", inSentence: "push", plural: "push messages" },
    readersWords: {
      en: { label: "In the app", by: "in the app" },
      de: { label: "In der App", by: "in der App" },
      fr: { label: "Dans l’application", by: "dans l’application" },
      es: { label: "En la aplicación", by: "en la aplicación" },
    },
    sender: null,
  },
} as const satisfies Record<string, ChannelRow>;

type Rows = typeof ROWS;
export type Channel = keyof Rows;
export type ProviderChannel = {
  [C in Channel]: Rows[C]["sender"] extends null ? never : C;
}[Channel];

export const CHANNEL_ROWS: Readonly<Record<Channel, ChannelRow>> = ROWS;
export const CHANNELS = Object.keys(ROWS) as [Channel, ...Channel[]];
export const PROVIDER_CHANNELS = CHANNELS.filter(isProviderChannel);
/** For examples in documents. */
export const EXAMPLE_CHANNEL = PROVIDER_CHANNELS[0] as ProviderChannel;

/** Status webhooks to tenants (webhook-payload.ts): no channel of an event, but queued, released and retried as one. */
export const WEBHOOK = "WEBHOOK";
/** Channels whose messages are rows of `deliveries` that a sender delivers. */
export type SentChannel = ProviderChannel | typeof WEBHOOK;
export const SENT_CHANNELS: readonly SentChannel[] = [...PROVIDER_CHANNELS, WEBHOOK];

/** The process that sends on a channel, `services/<service>`. */
export function senderService(channel: SentChannel): string {
  return channel === WEBHOOK ? "webhook-sender" : sentRow(channel).sender.service;
}

/** Our own: published to open browsers, and one notification in the history for each event. */
export const IN_APP: Exclude<Channel, ProviderChannel> = "PUSH";

/** On which Belfry writes to owners and operators. */
export const MAIL: ProviderChannel = "EMAIL";

export function isChannel(value: unknown): value is Channel {
  return typeof value === "string" && Object.hasOwn(ROWS, value);
}

export function isProviderChannel(value: unknown): value is ProviderChannel {
  return isChannel(value) && CHANNEL_ROWS[value].sender !== null;
}

export function sentRow(channel: ProviderChannel): SentRow {
  return CHANNEL_ROWS[channel] as SentRow;
}

export function channelsWith(content: Content): Channel[] {
  return CHANNELS.filter((channel) => CHANNEL_ROWS[channel].content === content);
}

/** Returns the channels on which an event needs this address. */
export function channelsTo(address: AddressField): Channel[] {
  return CHANNELS.filter((channel) => CHANNEL_ROWS[channel].address === address);
}

/** The requested channels as one small number; null (all) for none given or an empty list. */
export function channelMask(channels: readonly Channel[] | undefined): number | null {
  if (channels === undefined || channels.length === 0) return null;
  return channels.reduce((mask, channel) => mask | CHANNEL_ROWS[channel].bit, 0);
}

export function channelsOfMask(mask: number | null): Channel[] | null {
  if (mask === null) return null;
  return CHANNELS.filter((channel) => (mask & CHANNEL_ROWS[channel].bit) !== 0);
}

/** `EMAIL, SMS or PUSH`. Not by `Intl.ListFormat`, which takes 2.7 MB of every process. */
export function listed(names: readonly string[], last: string): string {
  return names.join(", ").replace(/, ([^,]*)$/, ` ${last} $1`);
}
