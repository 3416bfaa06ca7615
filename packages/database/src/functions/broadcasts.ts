import { CHANNELS, channelsOfMask, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import type pg from "pg";
import { callFunction } from "../connection.ts";

/** A broadcast that is due. */
export interface DueBroadcast {
  id: string;
  tenantId: string;
  /** The mask from `channelMask`. */
  channels: number | null;
}

export interface Expansion {
  /** Whether the broadcast has made progress, so that the next step may follow at once. */
  hasMoved: boolean;
  /** New events, whose ids must be published to the dispatcher. */
  events: { eventId: string; tenantId: string; traceId: string }[];
}

const CHUNKS_PER_COUNT = 20;

/**
 * Returns the due broadcasts by tenant, by the database's clock or at a test's `moment`: at most 10 of each tenant,
 * those that have waited longest first.
 */
export async function dueBroadcasts(
  pool: pg.Pool,
  moment?: Date,
): Promise<Map<string, DueBroadcast[]>> {
  const args = { p_moment: moment ?? null };
  const due = await callFunction<DueBroadcast>(pool, "broadcasts_in_turn", args);
  return Map.groupBy(due, ({ tenantId }) => tenantId);
}

/** Expands the next chunk of a broadcast, or pauses or ends it. Broadcasts may use `dayShare` of the daily cap. */
export async function expandBroadcast(
  pool: pg.Pool,
  { id, channels }: Pick<DueBroadcast, "id" | "channels">,
  { dayShare, moment }: { dayShare: number; moment?: Date | undefined },
): Promise<Expansion> {
  type Row = { eventId: string | null; tenantId: string; traceId: string };
  const wanted = channelsOfMask(channels) ?? CHANNELS;
  const rows = await callFunction<Row>(pool, "expand_broadcast", {
    p_id: id,
    p_channels: wanted,
    p_provided: PROVIDER_CHANNELS,
    p_day_share: dayShare,
    p_moment: moment ?? null,
  });
  const events = rows.flatMap(({ eventId, ...row }) => (eventId ? [{ eventId, ...row }] : []));
  return { hasMoved: rows.length > 0, events };
}

/** Counts the chunks that are due, and carries out cancels. Returns the number of chunks. */
export async function countChunks(pool: pg.Pool, moment?: Date): Promise<number> {
  const args = { p_most: CHUNKS_PER_COUNT, p_moment: moment ?? null };
  const rows = await callFunction<{ countChunks: number }>(pool, "count_chunks", args);
  return rows[0]?.countChunks ?? 0;
}
