import type { Channel } from "@belfry/contracts/channels";
import type pg from "pg";
import { callFunction } from "./call-function.ts";

/** Is an event of this type to be sent to the user on these channels? */
export interface PreferenceQuestion {
  tenantId: string;
  userId: string;
  eventType: string;
  channels: readonly Channel[];
}

export interface PreferenceVerdict {
  sends: boolean;
  /** Why it is not sent, after `skipped: `, in the words of the timeline; null: it is. */
  reason: string | null;
  /** The event type's; null: it has none. */
  category: string | null;
  /** The category is sent whatever is turned off, and at any hour. */
  required: boolean;
  /** The most specific one that is off, as `offers/*`; null: none is. */
  cell: string | null;
}

/**
 * Asks the one rule on preferences for a batch, in one statement. Answers come in the order of the batch, by
 * channel.
 */
export async function preferencesOf(
  pool: pg.Pool,
  batch: readonly PreferenceQuestion[],
): Promise<Map<Channel, PreferenceVerdict>[]> {
  /** Without a channel: of all that were asked for. */
  type Row = PreferenceVerdict & { place: number; channel: Channel | null };
  const rows = await callFunction<Row>(pool, "preferences_of", {
    p_tenants: batch.map((one) => one.tenantId),
    p_users: batch.map((one) => one.userId),
    p_event_types: batch.map((one) => one.eventType),
    p_channels: batch.map((one) => one.channels.join(" ")),
  });
  const verdicts = batch.map(() => new Map<Channel, PreferenceVerdict>());
  for (const { place, channel, ...verdict } of rows) {
    const channels = channel === null ? batch[place - 1]!.channels : [channel];
    for (const one of channels) verdicts[place - 1]!.set(one, verdict);
  }
  return verdicts;
}
