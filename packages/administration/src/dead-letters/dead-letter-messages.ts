import { isProviderChannel, type ProviderChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import { decodeQueueMessage } from "@belfry/contracts/streams";
import { type Database, inTransaction } from "@belfry/database/connection";
import { sql } from "kysely";
import type { DeadLetterFilter, DeadLetters, DeadSelection } from "./dead-letter-rows.ts";

/** Dead NATS messages. They only contain ids of deliveries or events, so dead-letter-rows.ts does not handle them. */

const MAX_MESSAGES = 1_000;

export async function deadMessageGroups(db: Database, filter: DeadLetterFilter) {
  const rows = await messagesOf(db, filter);
  const groups = Map.groupBy(rows, (row) => `${placeOf(row)} ${row.reason}`);
  return [...groups.values()].map((group) => ({
    ...parseSubject(group[0]!),
    provider: null,
    class: "message" as const,
    count: group.length,
    oldest: group.at(-1)!.createdAt.toISOString(),
    newest: group[0]!.createdAt.toISOString(),
    examples: group.slice(0, 3).map((row) => ({
      id: row.id,
      eventId: null,
      reason: row.reason,
      endedAt: row.createdAt.toISOString(),
    })),
  }));
}

export async function showDeadMessage(db: Database, id: string) {
  const [row] = UUID.test(id) ? await deadMessages(db, { ids: [id] }, 1) : [];
  if (row === undefined) return undefined;
  const { data, createdAt, ...rest } = row;
  const items = decodeQueueMessage(data)?.items;
  return {
    ...rest,
    class: "message" as const,
    ...parseSubject(row),
    createdAt: createdAt.toISOString(),
    // Items have ids and trace ids, never content.
    items: items ?? null,
    data: items === undefined ? data.toString("base64") : undefined,
    replayable: items !== undefined,
  };
}

/**
 * Replays or discards messages. A replay reopens the events or deliveries of a message and then deletes the message. A
 * discard only deletes it.
 */
export async function changeDeadMessages(
  db: Database,
  letters: DeadLetters,
  options: {
    action: "replay" | "discard";
    dryRun: boolean;
    /** Maximum number of messages to change. */
    left: number;
    /** Messages that were set aside later are not changed. */
    endedBefore: string;
    add(ids: readonly string[]): void;
    refuse(id: string, reason: string): void;
  },
): Promise<void> {
  // Some messages belong to no tenant, so a caller of a tenant cannot select messages by id.
  const rows =
    "ids" in letters
      ? letters.tenantId === undefined
        ? await deadMessages(db, { ids: letters.ids }, letters.ids.length)
        : []
      : await messagesOf(db, { ...letters, until: earlier(letters.until, options.endedBefore) });
  let { left } = options;
  for (const row of rows) {
    if (left <= 0) break;
    const items = decodeQueueMessage(row.data)?.items;
    if (options.action === "replay" && items === undefined) {
      options.refuse(row.id, "it cannot be decoded");
      continue;
    }
    const run = async (transaction: Database) => {
      if (options.action === "replay") await replayMessage(transaction, row, items ?? []);
      await deleteDeadMessage(transaction, row.id);
    };
    if (!options.dryRun) await inTransaction(db, run);
    left -= 1;
    options.add([row.id]);
  }
}

/** Returns the end of the millisecond of `endedBefore`, or `until` if that is earlier. */
function earlier(until: Date | undefined, endedBefore: string): Date {
  const end = new Date(Date.parse(endedBefore) + 1);
  return until !== undefined && until < end ? until : end;
}

async function replayMessage(db: Database, row: DeadMessageRow, items: readonly { id: string }[]) {
  const ids = items.map(({ id }) => id).filter((id) => UUID.test(id));
  if (parseSubject(row).channel === null) await reopenEvents(db, ids);
  else await makeDueAgain(db, ids);
}

async function messagesOf(db: Database, filter: DeadLetterFilter): Promise<DeadMessageRow[]> {
  if (filter.provider !== undefined) return [];
  if (filter.class !== undefined && filter.class !== "message") return [];
  return await deadMessages(db, filter, MAX_MESSAGES);
}

function placeOf(row: DeadMessageRow): string {
  const { tenantId, channel } = parseSubject(row);
  return `${row.stream} ${tenantId} ${channel}`;
}

/**
 * Parses `<prefix>.deliveries.<CHANNEL>.<tenant>`. Returns nulls for the subject of an event message, because one
 * message may contain events of several tenants.
 */
function parseSubject({ subject }: DeadMessageRow): {
  tenantId: string | null;
  channel: ProviderChannel | null;
} {
  const [tenantId = null, channel, kind] = subject.split(".").reverse();
  const isOfDeliveries = kind === "deliveries" && isProviderChannel(channel);
  return isOfDeliveries ? { tenantId, channel } : { tenantId: null, channel: null };
}

type DeadMessageSelection = Pick<DeadSelection, "ids" | "tenantId" | "channel" | "since" | "until">;

/** Finds messages, newest first. Only the subjects of deliveries' messages contain a tenant and a channel. */
async function deadMessages(db: Database, selection: DeadMessageSelection, most: number) {
  let query = db
    .selectFrom("dead_messages")
    .select(["id", "stream", "subject", "data", "deliveries", "reason", "created_at as createdAt"]);
  const { ids, tenantId, channel, since, until } = selection;
  if (ids !== undefined) query = query.where(sql<boolean>`id = any (${ids}::uuid[])`);
  if (tenantId !== undefined) query = query.where("subject", "like", `%.deliveries.%.${tenantId}`);
  if (channel !== undefined) query = query.where("subject", "like", `%.deliveries.${channel}.%`);
  if (since !== undefined) query = query.where("created_at", ">=", since);
  if (until !== undefined) query = query.where("created_at", "<", until);
  return await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(most).execute();
}

type DeadMessageRow = Awaited<ReturnType<typeof deadMessages>>[number];

export async function deleteDeadMessage(db: Database, id: string): Promise<boolean> {
  const result = await db.deleteFrom("dead_messages").where("id", "=", id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/**
 * Makes the sweeper publish these events again if they are still undispatched, or if the dispatcher failed them as a
 * whole. Dispatched events stay as they are. Returns how many were reopened.
 */
export async function reopenEvents(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with dead as materialized (
      select e.id from events e
      where e.id = any (${ids}::uuid[]) and e.dispatched_at is not null
        and e.outcome ? 'failed' and not e.outcome ? 'skipped'
        and not exists (select from deliveries d where d.event_id = e.id)
        and not exists (select from notifications n where n.id = e.id)
        and not exists (select from digest_items i where i.event_id = e.id)
      order by e.id for update of e
    ),
    given_up as (
      update events set dispatched_at = null, outcome = null
      where id = any (array(select id from dead)) returning id
    ),
    open as materialized (
      select event_id from undispatched_events where event_id = any (${ids}::uuid[])
      order by event_id for update
    ),
    reopened as (
      insert into undispatched_events (event_id, published_at) select id, 'epoch' from given_up
      on conflict do nothing returning event_id
    ),
    still_open as (
      update undispatched_events set published_at = 'epoch'
      where event_id = any (array(select event_id from open)) returning event_id
    )
    select ((select count(*) from reopened) + (select count(*) from still_open))::integer as count
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/** Marks these deliveries as not released and due now, so that the release loop publishes them again. */
export async function makeDueAgain(db: Database, ids: readonly string[]): Promise<number> {
  const result = await sql`
    with locked as materialized (
      select id from deliveries where id = any (${ids}::uuid[]) and status in ('queued', 'waiting')
      order by id for update
    )
    update deliveries set released_at = null, due_at = least(due_at, clock_timestamp())
    where id = any (array(select id from locked))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
