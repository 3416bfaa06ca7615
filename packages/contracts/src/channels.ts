import type { AddressField } from "./addresses.ts";

/** The kind of a channel's content: a mail, a short text, a title with a body, or Markdown in a chat. */
export type Content = "email" | "text" | "notification" | "chat";

/** A channel by which an event can reach its recipient (specification, 2.1). */
interface AnyRow {
  /**
   * The channel's bit in the mask of `events.channels`. It must never change or be reused: stored events contain it.
   */
  bit: number;
  content: Content;
  /** If set, an event whose type has no template on the channel says nothing of it. Most tenants do not use it. */
  isOptional?: true;
  /** The channel's name as a label, the name within a sentence, and the plural for its messages. */
  words: { label: string; inSentence: string; plural: string };
  /** The same for the readers of messages, by their language. If absent, `words` are used. */
  readersWords?: Readonly<Record<string, ReadersWords>>;
}

/** A channel's label for readers, and how a message arrives, as part of a sentence. */
export interface ReadersWords {
  label: string;
  by: string;
}

/** A channel on which a tenant's provider sends. */
export interface SentRow extends AnyRow {
  /** The address that an event needs for a delivery on the channel. Null: the user's devices are the addresses. */
  address: AddressField | null;
  /** Whether an address begins with the kind of the providers that reach it. Those of other kinds are not used. */
  namesKind?: true;
  sender: {
    /** The name of the folder and process, `services/<service>`. */
    service: string;
    /** The wait before each retry, varied by ±20 %. */
    retrySeconds: readonly number[];
  };
}

/** A channel of Belfry itself: the dispatcher publishes its messages to the user. */
interface PublishedRow extends AnyRow {
  address: null;
  sender: null;
}

export type ChannelRow = SentRow | PublishedRow;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const RETRY_SECONDS = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];

/** All differences between the channels. All lists of channels have this order. */
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
  DEVICE: {
    bit: 8,
    content: "notification",
    isOptional: true,
    address: null,
    words: { label: "Device", inSentence: "device push", plural: "device pushes" },
    readersWords: {
      en: { label: "On your devices", by: "on your devices" },
      de: { label: "Auf Ihren Geräten", by: "auf Ihren Geräten" },
      fr: { label: "Sur vos appareils", by: "sur vos appareils" },
      es: { label: "En sus dispositivos", by: "en sus dispositivos" },
    },
    sender: { service: "device-sender", retrySeconds: RETRY_SECONDS },
  },
  CHAT: {
    bit: 16,
    content: "chat",
    isOptional: true,
    address: "recipientChat",
    namesKind: true,
    words: { label: "Chat", inSentence: "chat", plural: "chat messages" },
    readersWords: {
      en: { label: "Chat", by: "by chat" },
      de: { label: "Chat", by: "per Chat" },
      fr: { label: "Messagerie", by: "par messagerie" },
      es: { label: "Chat", by: "por chat" },
    },
    sender: { service: "chat-sender", retrySeconds: RETRY_SECONDS },
  },
} as const satisfies Record<string, ChannelRow>;

type Rows = typeof ROWS;
export type Channel = keyof Rows;
export type ProviderChannel = {
  [C in Channel]: Rows[C]["sender"] extends null ? never : C;
}[Channel];

/** A channel whose recipient is an address. */
export type AddressChannel = {
  [C in ProviderChannel]: Rows[C]["address"] extends null ? never : C;
}[ProviderChannel];

export const CHANNEL_ROWS: Readonly<Record<Channel, ChannelRow>> = ROWS;
export const CHANNELS = Object.keys(ROWS) as [Channel, ...Channel[]];
export const PROVIDER_CHANNELS = CHANNELS.filter(isProviderChannel);
export const ADDRESS_CHANNELS = CHANNELS.filter(isAddressChannel);
/** The channel for examples in documents. */
export const EXAMPLE_CHANNEL = ADDRESS_CHANNELS[0]!;

/**
 * Status webhooks to tenants (webhook-payload.ts). Events have no such channel, but its messages are queued, released
 * and retried like those of a channel.
 */
export const WEBHOOK = "WEBHOOK";
/** Channels whose messages are rows of `deliveries` that a sender sends. */
export type SentChannel = ProviderChannel | typeof WEBHOOK;
export const SENT_CHANNELS: readonly SentChannel[] = [...PROVIDER_CHANNELS, WEBHOOK];

/** Returns the process that sends on a channel, `services/<service>`. */
export function senderService(channel: SentChannel): string {
  return channel === WEBHOOK ? "webhook-sender" : sentRow(channel).sender.service;
}

/** Belfry's own channel. Each event is published to open browsers and is one notification in the history. */
export const IN_APP: Exclude<Channel, ProviderChannel> = "PUSH";

/** The channel whose messages reach each of a user's registered devices. */
export const TO_DEVICES: ProviderChannel = "DEVICE";

/** The kind of provider that stands in for kinds of which the tenant has no provider. */
export const ANY_KIND = "sandbox";

/** Returns the providers that reach addresses or devices of a kind: those of the kind, else those of `ANY_KIND`. */
export function providersForKind<Provider extends { kind: string }>(
  providers: readonly Provider[],
  kind: string,
): Provider[] {
  const own = providers.filter((one) => one.kind === kind);
  return own.length > 0 ? own : providers.filter((one) => one.kind === ANY_KIND);
}

/** The channel of messages in chats, whose addresses an event's own row does not have. */
export const TO_CHAT: AddressChannel = "CHAT";

/** The channels of which every event says something. */
export const USUAL_CHANNELS = CHANNELS.filter((channel) => !CHANNEL_ROWS[channel].isOptional);

/** Returns whether the channel's addresses name the kind of the providers that reach them. */
export function namesKind(channel: Channel): boolean {
  const row = CHANNEL_ROWS[channel];
  return row.sender !== null && row.namesKind === true;
}

export function isAddressChannel(value: unknown): value is AddressChannel {
  return isChannel(value) && CHANNEL_ROWS[value].address !== null;
}

export function addressOfChannel(channel: AddressChannel): AddressField {
  return ROWS[channel].address;
}

/** The channel on which Belfry sends its own messages to owners and operators. */
export const MAIL: AddressChannel = "EMAIL";

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

/** Returns the requested channels as a bit mask, or null (all channels) if none are given. */
export function channelMask(channels: readonly Channel[] | undefined): number | null {
  if (channels === undefined || channels.length === 0) return null;
  return channels.reduce((mask, channel) => mask | CHANNEL_ROWS[channel].bit, 0);
}

export function channelsOfMask(mask: number | null): Channel[] | null {
  if (mask === null) return null;
  return CHANNELS.filter((channel) => (mask & CHANNEL_ROWS[channel].bit) !== 0);
}

/** Returns a list such as `EMAIL, SMS or PUSH`. Without `Intl.ListFormat`, which needs 2.7 MB in every process. */
export function listed(names: readonly string[], last: string): string {
  return names.join(", ").replace(/, ([^,]*)$/, ` ${last} $1`);
}
