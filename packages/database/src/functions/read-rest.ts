import { SENT_CHANNELS, type SentChannel } from "@belfry/contracts/channels";
import type pg from "pg";
import { callFunction } from "../connection.ts";

/** The state of waiting work, by the database's clock, which is all that an idle dispatcher reads. */
export interface Rest {
  /** Channels with unreleased deliveries, due or not. Other channels have nothing to release. */
  channels: SentChannel[];
  /** Whether a scheduled event is due. */
  isEventDue: boolean;
  /** Whether a broadcast must move on, or a part of one must be counted, within a tenth of a second. */
  isBroadcastDue: boolean;
  /** Whether an import is due, or rows of a deleted topic are left. */
  isImportDue: boolean;
  /** Whether the erasure of a user has not ended. */
  isErasureOpen: boolean;
  /** Whether the deletion of a tenant has not ended. */
  isDeletionOpen: boolean;
  /** Whether an event waits for the erasure of its variables. */
  hasSensitive: boolean;
  /** The version of the configuration. */
  version: string;
}

/** Reads all of it in one statement. */
export async function readRest(pool: pg.Pool): Promise<Rest> {
  const [rest] = await callFunction<Rest>(pool, "read_rest", { p_channels: SENT_CHANNELS });
  return rest!;
}
