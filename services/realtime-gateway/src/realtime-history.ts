import {
  MAX_PUSH_ACTIONS,
  MAX_PUSH_ADDRESS_CHARACTERS,
  MAX_PUSH_BODY_CHARACTERS,
  MAX_PUSH_LABEL_CHARACTERS,
  MAX_PUSH_TITLE_CHARACTERS,
} from "@belfry/contracts/identifiers";
import { type Publication, publicationTags } from "@belfry/contracts/realtime-message";
import type { Database } from "@belfry/database/connection";
import type { ChannelKey } from "@belfry/database/functions/realtime-channels";
import { createAskedBatcher } from "@belfry/service/batcher";
import { sql } from "kysely";

/** A client that missed more publications than this recovers none, and its page reloads the state. */
export const MAX_RECOVERED = 300;
const TEXT_CHARACTERS =
  MAX_PUSH_TITLE_CHARACTERS +
  MAX_PUSH_BODY_CHARACTERS +
  MAX_PUSH_ACTIONS * MAX_PUSH_LABEL_CHARACTERS;
/** Most bytes of an item's addresses, which are ASCII. */
const ADDRESS_BYTES = (1 + MAX_PUSH_ACTIONS) * MAX_PUSH_ADDRESS_CHARACTERS;
/** Largest JSON of a publication or an inbox item, in bytes. A character of its texts takes up to four bytes. */
export const ITEM_BYTES = 4 * TEXT_CHARACTERS + ADDRESS_BYTES + 2048;
/** Most bytes of large answers that are read from Postgres at a time, for all connections. */
export const MAX_READING_BYTES = 16 * 1024 * 1024;

export type StoredPublication = Omit<Publication, "channel">;

export interface ChannelRead extends ChannelKey {
  /** Publications with a larger offset are read. */
  after: number;
  /** Most publications to read; 0 reads only the position. */
  limit: number;
  /** If there are more than `limit` publications, true reads the oldest of them and false reads none. */
  partial: boolean;
}

/** The state of a channel, from one snapshot. */
export interface ChannelState {
  /** Changes when the channel was deleted and its offsets began at 1 again. */
  epoch: string;
  /** The offset of the newest publication that was ever committed; 0 if there is none. */
  top: number;
  /** In ascending order, without publications that retention or the user has deleted. */
  publications: StoredPublication[];
}

interface Row {
  position: string;
  epoch: string;
  top: string;
  channel_offset: string | null;
  id: string;
  event_type: string;
  title: string;
  body: string;
  created_at: Date;
  url: string | null;
  actions: string | null;
}

/** SQL for a channel's epoch: the epoch of all channels (`e`) and the number of resets of the user's slot (`r`). */
const EPOCH = sql<string>`e.epoch || coalesce('.' || r.resets, '')`;
const RESETS = sql`
    left join lateral (
      select r.resets from realtime_resets r
      where r.slot = realtime_slot(item.tenant_id, item.user_id) limit 1
    ) r on true`;

/** Reads many channels in one statement. Results come in the order of the reads. */
export async function readChannels(
  db: Database,
  reads: readonly ChannelRead[],
): Promise<ChannelState[]> {
  if (reads.length === 0) return [];
  // The lateral joins and limits make the planner use the index of each table, whatever the statistics are.
  const { rows } = await sql<Row>`
    select item.position, ${EPOCH} as epoch, coalesce(top.top_offset, 0) as top,
           n.channel_offset, n.id, n.event_type, n.title, n.body, n.created_at, n.url, n.actions
    from unnest(
        ${reads.map((read) => read.tenantId)}::text[], ${reads.map((read) => read.userId)}::text[],
        ${reads.map((read) => read.name)}::text[], ${reads.map((read) => read.after)}::bigint[],
        ${reads.map((read) => read.limit)}::integer[], ${reads.map((read) => read.partial)}::boolean[]
      ) with ordinality as item (tenant_id, user_id, name, after, most, partial, position)
    cross join realtime_epoch e
    ${RESETS}
    left join lateral (
      select c.top_offset from realtime_channels c
      where c.tenant_id = item.tenant_id and c.user_id = item.user_id and c.channel_name = item.name
      limit 1
    ) top on true
    left join lateral (
      select * from notifications n
      where n.tenant_id = item.tenant_id and n.user_id = item.user_id and n.channel_name = item.name
        and n.channel_offset > item.after and n.deleted_at is null
        and (item.partial or top.top_offset - item.after <= item.most)
      order by n.channel_offset limit item.most
    ) n on true
    order by item.position, n.channel_offset`.execute(db);
  const states: ChannelState[] = [];
  for (const row of rows) {
    const index = Number(row.position) - 1;
    const state = states[index] ?? { epoch: row.epoch, top: Number(row.top), publications: [] };
    states[index] = state;
    if (row.channel_offset !== null) state.publications.push(publication(row));
  }
  return states;
}

export type ChannelTop = Pick<ChannelState, "epoch" | "top">;

/** Reads the epoch and newest offset of each channel in one statement. Results have the order of the channels. */
export async function readTops(
  db: Database,
  channels: readonly ChannelKey[],
): Promise<ChannelTop[]> {
  const { rows } = await sql<{ epoch: string; top: string }>`
    select ${EPOCH} as epoch, coalesce(top.top_offset, 0) as top
    from unnest(
        ${channels.map((channel) => channel.tenantId)}::text[],
        ${channels.map((channel) => channel.userId)}::text[],
        ${channels.map((channel) => channel.name)}::text[]
      ) with ordinality as item (tenant_id, user_id, name, position)
    cross join realtime_epoch e
    ${RESETS}
    left join lateral (
      select c.top_offset from realtime_channels c
      where c.tenant_id = item.tenant_id and c.user_id = item.user_id and c.channel_name = item.name
      limit 1
    ) top on true
    order by item.position`.execute(db);
  return rows.map(({ epoch, top }) => ({ epoch, top: Number(top) }));
}

export interface HistoryPage extends ChannelKey {
  limit: number;
  reverse: boolean;
  /** The page begins after this offset, or before it with `reverse`. Undefined: at the oldest or newest publication. */
  since?: number | undefined;
}

/** Reads a page of one channel's publications, oldest first or, with `reverse`, newest first. */
export async function readChannelPage(db: Database, page: HistoryPage): Promise<ChannelState> {
  const [state] = await readChannels(db, [
    { ...page, after: page.since ?? 0, limit: page.reverse ? 0 : page.limit, partial: true },
  ]);
  if (state === undefined) throw new Error("no row for a channel");
  if (!page.reverse) return state;
  const { rows } = await sql<Row>`
    select channel_offset, id, event_type, title, body, created_at, url, actions from notifications
    where tenant_id = ${page.tenantId} and user_id = ${page.userId} and channel_name = ${page.name}
      and channel_offset < ${page.since ?? state.top + 1} and deleted_at is null
    order by channel_offset desc limit ${page.limit}`.execute(db);
  return { ...state, publications: rows.map(publication) };
}

function publication(row: Row): StoredPublication {
  return {
    offset: Number(row.channel_offset),
    data: { title: row.title, body: row.body, category: row.event_type, eventType: row.event_type },
    tags: publicationTags({ ...row, createdAt: row.created_at }),
  };
}

export interface HistoryReader {
  /** Reads everything that was committed before the call, or more. Rejects if Postgres does not answer. */
  read(read: ChannelRead): Promise<ChannelState>;
}

/** Most statements in flight. Further reads wait and share the next statement. */
const MAX_IN_FLIGHT = 2;
/** How long the first read waits for others, so that a storm of subscribes costs few statements. */
const LINGER_MS = 5;
/** The second statement begins when the first has taken this long. */
const SLOW_MS = 20;
const MAX_READS_OF_STATEMENT = 500;

/** Batches the reads of all connections, so that a storm of subscribes costs two statements at a time. */
export function createHistoryReader(
  readChannels: (reads: readonly ChannelRead[]) => Promise<ChannelState[]>,
): HistoryReader {
  return {
    read: createAskedBatcher<ChannelRead, ChannelState>({
      run: readChannels,
      bytesOf: ({ limit }) => limit * ITEM_BYTES,
      maxItems: MAX_READS_OF_STATEMENT,
      maxBytes: MAX_READING_BYTES / MAX_IN_FLIGHT,
      maxInFlight: MAX_IN_FLIGHT,
      lingerMs: LINGER_MS,
      slowMs: SLOW_MS,
    }),
  };
}
