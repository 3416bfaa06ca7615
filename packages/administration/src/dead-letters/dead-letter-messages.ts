import { isProviderChannel, type ProviderChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import { decodeQueueMessage } from "@belfry/contracts/streams";
import { type Database, inTransaction } from "@belfry/database/connection";
import type { DeadLetters } from "./change-dead-letters.ts";
import type { DeadLetterFilter, DeadLetterGroup } from "./dead-letters.ts";
import {
  type DeadMessageRow,
  deadMessages,
  deleteDeadMessage,
  reopenEvents,
  restDeliveries,
} from "./dead-message-rows.ts";

/** NATS messages that were set aside. Kept apart: they name deliveries or events, and are none. */

const MAX_MESSAGES = 1_000;

export async function deadMessageGroups(
  db: Database,
  filter: DeadLetterFilter,
): Promise<DeadLetterGroup[]> {
  const rows = await messagesOf(db, filter);
  const groups = Map.groupBy(rows, (row) => `${placeOf(row)} ${row.reason}`);
  return [...groups.values()].map((group) => ({
    ...placeParts(group[0]!),
    provider: null,
    class: "message",
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
    ...placeParts(row),
    createdAt: createdAt.toISOString(),
    // Ids and trace ids, never content.
    items: items ?? null,
    data: items === undefined ? data.toString("base64") : undefined,
    replayable: items !== undefined,
  };
}

/** Replays: what the message named goes out again by way of Postgres, and the message is deleted. */
export async function changeDeadMessages(
  db: Database,
  letters: DeadLetters,
  options: {
    action: "replay" | "discard";
    dryRun: boolean;
    /** How many may be changed. */
    left: number;
    /** Those that were set aside later are left alone. */
    endedBefore: string;
    note(ids: readonly string[]): void;
    refuse(id: string, reason: string): void;
  },
): Promise<void> {
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
      if (options.action === "replay") await revive(transaction, row, items ?? []);
      await deleteDeadMessage(transaction, row.id);
    };
    if (!options.dryRun) await inTransaction(db, run);
    left -= 1;
    options.note([row.id]);
  }
}

/** The end of the millisecond of `endedBefore`, or `until` where that is before. */
function earlier(until: Date | undefined, endedBefore: string): Date {
  const end = new Date(Date.parse(endedBefore) + 1);
  return until !== undefined && until < end ? until : end;
}

async function revive(db: Database, row: DeadMessageRow, items: readonly { id: string }[]) {
  const ids = items.map(({ id }) => id).filter((id) => UUID.test(id));
  if (placeParts(row).channel === null) await reopenEvents(db, ids);
  else await restDeliveries(db, ids);
}

async function messagesOf(db: Database, filter: DeadLetterFilter): Promise<DeadMessageRow[]> {
  if (filter.provider !== undefined) return [];
  if (filter.class !== undefined && filter.class !== "message") return [];
  return await deadMessages(db, filter, MAX_MESSAGES);
}

function placeOf(row: DeadMessageRow): string {
  const { tenantId, channel } = placeParts(row);
  return `${row.stream} ${tenantId} ${channel}`;
}

/** `<prefix>.deliveries.<CHANNEL>.<tenant>`; an event's message may name several tenants' events. */
function placeParts({ subject }: DeadMessageRow): {
  tenantId: string | null;
  channel: ProviderChannel | null;
} {
  const [tenantId = null, channel, kind] = subject.split(".").reverse();
  const isOfDeliveries = kind === "deliveries" && isProviderChannel(channel);
  return isOfDeliveries ? { tenantId, channel } : { tenantId: null, channel: null };
}
