import type { AddressField } from "./addresses.ts";

/** What goes over a channel: a mail, a short text, or a title with a body. */
export type Content = "email" | "text" | "notification";

/** A way by which an event can reach its recipient (specification, 2.1). */
export interface ChannelRow {
  /** Its part of the mask in `events.channels`: never another's, as stored events hold it. */
  bit: number;
  content: Content;
  /** Without it an event has no delivery on the channel; null: it goes to the user, who needs none. */
  address: AddressField | null;
  /** As people read it. */
  words: { label: string };
  /** The process that calls the tenant's provider, and how long it waits before each try after the first; null: the dispatcher publishes it. */
  sender: { service: string; retrySeconds: readonly number[] } | null;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const RETRY_SECONDS = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];

/** Everything that differs between channels; their order is the order of every list. */
const ROWS = {
  EMAIL: {
    bit: 1,
    content: "email",
    address: "recipientEmail",
    words: { label: "Email" },
    sender: { service: "email-sender", retrySeconds: RETRY_SECONDS },
  },
  SMS: {
    bit: 2,
    content: "text",
    address: "recipientPhone",
    words: { label: "SMS" },
    sender: { service: "sms-sender", retrySeconds: RETRY_SECONDS },
  },
  PUSH: {
    bit: 4,
    content: "notification",
    address: null,
    words: { label: "Push" },
    sender: null,
  },
} as const satisfies Record<string, ChannelRow>;

type Rows = typeof ROWS;
export type Channel = keyof Rows;
/** A channel that leaves through a tenant's provider. */
export type ProviderChannel = {
  [C in Channel]: Rows[C]["sender"] extends null ? never : C;
}[Channel];

export type SentRow = ChannelRow & { sender: NonNullable<ChannelRow["sender"]> };

export const CHANNEL_ROWS: Readonly<Record<Channel, ChannelRow>> = ROWS;
export const CHANNELS = Object.keys(ROWS) as readonly Channel[];
export const PROVIDER_CHANNELS = CHANNELS.filter(isProviderChannel);

export function isChannel(value: unknown): value is Channel {
  return typeof value === "string" && Object.hasOwn(ROWS, value);
}

export function isProviderChannel(value: unknown): value is ProviderChannel {
  return isChannel(value) && CHANNEL_ROWS[value].sender !== null;
}

export function sentRow(channel: ProviderChannel): SentRow {
  return CHANNEL_ROWS[channel] as SentRow;
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

const LIST = {
  and: new Intl.ListFormat("en-GB", { type: "conjunction" }),
  or: new Intl.ListFormat("en-GB", { type: "disjunction" }),
};

/** `EMAIL, SMS or PUSH` */
export function listed(channels: readonly Channel[], last: "and" | "or"): string {
  return LIST[last].format(channels);
}
