import type { ProviderChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import {
  countReplayable,
  type DeadClass,
  type DeadDeliveryRow,
  type DeadGroupRow,
  type DeadSelection,
  databaseNow,
  deadAttempts,
  deadDeliveries,
  deadGroups,
  discardDead,
  requeueDead,
} from "@belfry/database/dead-letters";
import { tenantById } from "@belfry/database/tenants";
import { changeDeadMessages, deadMessageGroups, showDeadMessage } from "./dead-letters-messages.ts";
import { InvalidInput, NotFound } from "./input-error.ts";
import { tenantNotFound } from "./tenants.ts";

/** `message`: a NATS message that was undecodable or redelivered too often. */
export const DEAD_CLASSES = [
  "permanent",
  "credentials",
  "throttled",
  "transient",
  "ambiguous",
  "untried",
  "expired",
  "unknown",
  "message",
] as const satisfies readonly (DeadClass | "message")[];

/** What all dead letters of a filter have in common; times are of their end. */
export interface DeadLetterFilter {
  tenantId?: string | undefined;
  channel?: ProviderChannel | undefined;
  class?: (typeof DEAD_CLASSES)[number] | undefined;
  /** Kind of the provider. */
  provider?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

export interface DeadLetterGroup {
  /** null: the message does not say. */
  tenantId: string | null;
  channel: ProviderChannel | null;
  provider: string | null;
  class: string;
  count: number;
  oldest: string;
  newest: string;
  /** The newest, at most 3. */
  examples: { id: string; eventId: string | null; reason: string | null; endedAt: string }[];
}

/** By ids, or by what they have in common. */
export type DeadLetters =
  | { ids: readonly string[]; tenantId?: string | undefined }
  | DeadLetterFilter;

export interface DeadLetterChange {
  dryRun: boolean;
  /** How many were changed; with `dryRun`, how many would be. */
  count: number;
  /** At most 100 of them. */
  ids: string[];
  /** Those that were not, at most 100; of a filter only those that it left out on purpose. */
  refused: { id: string; reason: string }[];
}

const MAX_NAMED = 100;
const BATCH_DELIVERIES = 200;
/** Sent too late, or perhaps twice: only when a person asks for just these. */
const ONLY_WHEN_ASKED: readonly DeadClass[] = ["expired", "unknown"];
const REPLAYED = "replayed by hand";

/** Throws `NotFound` for an unknown tenant. */
export async function listDeadLetters(
  db: Database,
  filter: DeadLetterFilter = {},
): Promise<DeadLetterGroup[]> {
  await requireTenant(db, filter.tenantId);
  const selection = deliverySelection(filter);
  const groups = selection === undefined ? [] : await deadGroups(db, selection);
  return [...groups.map(groupView), ...(await deadMessageGroups(db, filter))];
}

/** One delivery (dead or not) with its attempts, or one message. Throws `NotFound`. */
export async function showDeadLetter(db: Database, id: string, tenantId?: string) {
  const [row] = UUID.test(id) ? await deadDeliveries(db, { ids: [id], tenantId }, 1) : [];
  if (row === undefined) {
    const message = tenantId === undefined ? await showDeadMessage(db, id) : undefined;
    if (message !== undefined) return message;
    throw new NotFound("id", `no dead letter has the id ${JSON.stringify(id)}`);
  }
  return { ...deliveryView(row), attempts: await deadAttempts(db, row.id) };
}

/** The newest dead letters of a filter, messages not included. */
export async function newestDeadLetters(db: Database, filter: DeadLetterFilter, most: number) {
  await requireTenant(db, filter.tenantId);
  const selection = deliverySelection(filter);
  return selection === undefined
    ? []
    : (await deadDeliveries(db, selection, most)).map(deliveryView);
}

/**
 * Puts dead letters back in the queue, in small batches: each gets a new attempt of the same delivery,
 * in turn with all others. Never one that a provider has accepted, by its answer or by a receipt. An
 * expiry that has passed is lifted. A filter leaves out what is expired or unknown, unless it asks for
 * that class.
 */
export async function replayDeadLetters(
  db: Database,
  letters: DeadLetters,
  options: { dryRun?: boolean } = {},
): Promise<DeadLetterChange> {
  const { ids, selection } = await selected(db, letters);
  const except = ids === undefined && selection?.class === undefined ? ONLY_WHEN_ASKED : [];
  return await change(db, letters, options.dryRun === true, {
    deliveries: selection === undefined ? undefined : { ...selection, except },
    count: (chosen) => countReplayable(db, chosen),
    run: (chosen, endedBefore) =>
      requeueDead(db, chosen, { endedBefore, most: BATCH_DELIVERIES, reason: REPLAYED }),
    obstacle: (row) => row.obstacle,
    messages: "replay",
  });
}

/** Ends dead letters for good, in small batches; their attempts stay. Messages are deleted. */
export async function discardDeadLetters(
  db: Database,
  letters: DeadLetters,
  options: { dryRun?: boolean } = {},
): Promise<DeadLetterChange> {
  const { selection } = await selected(db, letters);
  return await change(db, letters, options.dryRun === true, {
    deliveries: selection,
    async count(chosen) {
      const groups = await deadGroups(db, chosen);
      return groups.reduce((sum, group) => sum + group.count, 0);
    },
    run: (chosen, endedBefore) => discardDead(db, chosen, { endedBefore, most: BATCH_DELIVERIES }),
    obstacle: ({ status }) =>
      ["failed", "expired", "unknown"].includes(status) ? null : `it is ${status}`,
    messages: "discard",
  });
}

interface Change {
  /** undefined: messages only. */
  deliveries: DeadSelection | undefined;
  count(selection: DeadSelection): Promise<number>;
  run(selection: DeadSelection, endedBefore: string): Promise<string[]>;
  obstacle(row: DeadDeliveryRow): string | null;
  messages: "replay" | "discard";
}

async function change(
  db: Database,
  letters: DeadLetters,
  dryRun: boolean,
  { deliveries, count, run, obstacle, messages }: Change,
): Promise<DeadLetterChange> {
  const result: DeadLetterChange = { dryRun, count: 0, ids: [], refused: [] };
  const note = (ids: readonly string[]) => {
    result.count += ids.length;
    result.ids.push(...ids.slice(0, Math.max(0, MAX_NAMED - result.ids.length)));
  };
  const refuse = (id: string, reason: string) => {
    if (result.refused.length < MAX_NAMED) result.refused.push({ id, reason });
  };
  if (deliveries !== undefined) {
    const rows = await deadDeliveries(db, deliveries, deliveries.ids?.length ?? MAX_NAMED);
    for (const row of rows) {
      const why = obstacle(row);
      if (why !== null) refuse(row.id, why);
      else if (dryRun && result.ids.length < MAX_NAMED) result.ids.push(row.id);
    }
    if (dryRun) {
      const ids = deliveries.ids === undefined ? undefined : result.ids;
      result.count = ids?.length ?? (await count(deliveries));
    } else {
      // What fails again meanwhile is not taken a second time.
      const endedBefore = await databaseNow(db);
      for (;;) {
        const changed = await run(deliveries, endedBefore);
        note(changed);
        if (changed.length < BATCH_DELIVERIES) break;
      }
    }
  }
  await changeDeadMessages(db, letters, { action: messages, dryRun, note, refuse });
  if ("ids" in letters) {
    const known = new Set([...result.ids, ...result.refused.map(({ id }) => id)]);
    for (const id of letters.ids.slice(0, MAX_NAMED)) {
      if (!known.has(id.toLowerCase())) refuse(id, "no dead letter has this id");
    }
  }
  return result;
}

async function selected(db: Database, letters: DeadLetters) {
  await requireTenant(db, letters.tenantId);
  if (!("ids" in letters)) return { ids: undefined, selection: deliverySelection(letters) };
  const { ids, tenantId } = letters;
  const wrong = ids.find((id) => !UUID.test(id));
  if (wrong !== undefined) {
    throw new InvalidInput([{ field: "id", message: `${JSON.stringify(wrong)} is not an id` }]);
  }
  if (ids.length > MAX_NAMED) {
    throw new InvalidInput([{ field: "id", message: `at most ${MAX_NAMED} at a time` }]);
  }
  return { ids, selection: { ids: ids.map((id) => id.toLowerCase()), tenantId } };
}

/** undefined: the filter asks for messages. */
function deliverySelection(filter: DeadLetterFilter): DeadSelection | undefined {
  const { class: wanted, ...rest } = filter;
  return wanted === "message" ? undefined : { ...rest, class: wanted };
}

async function requireTenant(db: Database, tenantId: string | undefined): Promise<void> {
  if (tenantId !== undefined && (await tenantById(db, tenantId)) === undefined) {
    throw tenantNotFound(tenantId, "tenantId");
  }
}

function groupView(row: DeadGroupRow): DeadLetterGroup {
  return { ...row, oldest: row.oldest.toISOString(), newest: row.newest.toISOString() };
}

function deliveryView({ obstacle, ...row }: DeadDeliveryRow) {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    replayable: obstacle === null,
    /** Why it cannot be replayed. */
    obstacle,
  };
}
