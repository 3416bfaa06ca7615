import { CHANNELS, type Channel } from "./channels.ts";

const BITS: Readonly<Record<Channel, number>> = { EMAIL: 1, SMS: 2, PUSH: 4 };

/** The requested channels as one small number; null (all) for none given or an empty list. */
export function channelMask(channels: readonly Channel[] | undefined): number | null {
  if (channels === undefined || channels.length === 0) return null;
  return channels.reduce((mask, channel) => mask | BITS[channel], 0);
}

export function channelsOfMask(mask: number | null): Channel[] | null {
  if (mask === null) return null;
  return CHANNELS.filter((channel) => (mask & BITS[channel]) !== 0);
}
