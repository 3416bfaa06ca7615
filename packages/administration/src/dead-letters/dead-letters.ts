import { EXAMPLE_CHANNEL, listed, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { documented, moment, oneOf, orNull, text, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { reasonWords } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { defineRead, LOOK, optional } from "../act.ts";
import { NotFound } from "../input-error.ts";
import { isoTimes } from "../pages.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";
import { deadMessageGroups, showDeadMessage } from "./dead-letter-messages.ts";
import {
  DEAD_CLASSES,
  type DeadDeliveryRow,
  type DeadGroupRow,
  type DeadLetterFilter,
  type DeadSelection,
  deadAttempts,
  deadDeliveries,
  deadGroups,
} from "./dead-letter-rows.ts";

/** Filter fields that the acts on dead letters share. */
export const filterFields = {
  channel: optional(oneOf(PROVIDER_CHANNELS), listed(PROVIDER_CHANNELS, "or")),
  class: optional(oneOf(DEAD_CLASSES), DEAD_CLASSES.join(", ")),
  provider: optional(text(), "its kind, for example sendgrid"),
  since: optional(
    moment({ description: "ended at or after, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago" }),
  ),
  until: optional(moment({ description: "ended before" })),
};
const FilterInput = Type.Object(filterFields);

/** Builds the filter. An empty `tenantId`, as on the command line without a tenant, means all tenants. */
export function filterOf(
  { channel, class: ofClass, provider, since, until }: Static<typeof FilterInput>,
  tenantId: string,
): DeadLetterFilter {
  return {
    tenantId: tenantId || undefined,
    channel,
    class: ofClass,
    provider,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  };
}

const DeadLetterGroup = Type.Object({
  tenantId: orNull(Type.String({ description: "null: the message does not say" })),
  channel: orNull(oneOf(PROVIDER_CHANNELS)),
  provider: orNull(Type.String()),
  class: Type.String(),
  count: Type.Integer(),
  oldest: time("When the first of them ended"),
  newest: time("When the last of them ended"),
  examples: Type.Array(
    Type.Object({
      id: Type.String(),
      eventId: orNull(Type.String()),
      reason: orNull(Type.String()),
      endedAt: Type.String(),
    }),
    { description: "The newest, at most 3" },
  ),
});
type DeadLetterGroup = Static<typeof DeadLetterGroup>;

export const listDead = defineRead({
  name: "dead list",
  http: "GET /dead-letters",
  access: LOOK,
  tool: true,
  summary: "Groups by tenant, channel, provider and error class, with counts and examples",
  input: FilterInput,
  output: Type.Array(DeadLetterGroup),
  example: { input: { class: "permanent" }, output: [] },
  flags: { provider: "--provider <kind>", since: "--since <time>", until: "--until <time>" },
  run: ({ db, tenantId }, input) => listDeadLetters(db, filterOf(input, tenantId)),
});

type ShownDeadLetter = Awaited<ReturnType<typeof showDeadLetter>>;

const LETTER: ShownDeadLetter = {
  id: "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79",
  eventId: "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a70",
  eventType: "order.confirmed",
  userId: "user-1",
  tenantId: "tnt_shop",
  channel: EXAMPLE_CHANNEL,
  status: "failed",
  class: "permanent",
  provider: "sandbox",
  reason: "refused",
  createdAt: "2026-11-20T09:00:00.000Z",
  endedAt: "2026-11-20T09:00:01.000Z",
  expiresAt: null,
  replayable: true,
  obstacle: null,
  attempts: [],
};

export const showDead = defineRead({
  name: "dead show",
  http: "GET /dead-letters/:id",
  access: LOOK,
  summary: "One delivery with its attempts and what the provider answered, or one message",
  input: Type.Object({ id: documented({ description: "as the list has it" }) }),
  output: Type.Unsafe<ShownDeadLetter>({
    type: "object",
    description: "The delivery or message, its class, and whether it can be replayed",
  }),
  example: { input: { id: LETTER.id }, output: LETTER },
  flags: { id: "<id>" },
  run: ({ db, tenantId }, { id }) => showDeadLetter(db, id, tenantId || undefined),
});

interface DeadLetterGlance {
  groups: DeadLetterGroup[];
  /** The number of dead letters that were read, if there may be more; undefined if all were read. */
  ofNewest: number | undefined;
}

const MOST_AT_A_GLANCE = 3_000;

/** Lists the groups of dead letters. Throws `NotFound` for an unknown tenant. */
export async function listDeadLetters(
  db: Database,
  filter: DeadLetterFilter = {},
): Promise<DeadLetterGroup[]> {
  await requireTenantOf(db, filter);
  const selection = deliverySelection(filter);
  const groups = selection === undefined ? [] : await deadGroups(db, selection);
  return [...groups.map(groupView), ...(await deadMessageGroups(db, filter))];
}

/**
 * Like `listDeadLetters`, but reads at most `most` deliveries (the newest, if a tenant is given), so that a page costs
 * little even if there are many. Throws `NotFound` for an unknown tenant.
 */
export async function glanceAtDeadLetters(
  db: Database,
  filter: { tenantId?: string | undefined },
  most = MOST_AT_A_GLANCE,
): Promise<DeadLetterGlance> {
  await requireTenantOf(db, filter);
  const groups = await deadGroups(db, filter, most);
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return {
    groups: [...groups.map(groupView), ...(await deadMessageGroups(db, filter))],
    ofNewest: count < most ? undefined : most,
  };
}

/** Returns one delivery (dead or not) with its attempts, or one message. Throws `NotFound`. */
export async function showDeadLetter(db: Database, id: string, tenantId?: string) {
  const [row] = UUID.test(id) ? await deadDeliveries(db, { ids: [id], tenantId }, 1) : [];
  if (row === undefined) {
    const message = tenantId === undefined ? await showDeadMessage(db, id) : undefined;
    if (message !== undefined) return message;
    throw new NotFound("id", `no dead letter has the id ${JSON.stringify(id)}`);
  }
  return { ...deliveryView(row), attempts: inWords(await deadAttempts(db, row.id)) };
}

/** Finds the newest dead letters that match the filter, without messages. */
export async function newestDeadLetters(db: Database, filter: DeadLetterFilter, most: number) {
  await requireTenantOf(db, filter);
  const selection = deliverySelection(filter);
  return selection === undefined
    ? []
    : (await deadDeliveries(db, selection, most)).map(deliveryView);
}

/** Returns the filter for deliveries, or undefined if the filter selects messages only. */
export function deliverySelection(filter: DeadLetterFilter): DeadSelection | undefined {
  const { class: wanted, ...rest } = filter;
  return wanted === "message" ? undefined : { ...rest, class: wanted };
}

/** Throws `NotFound` if the filter names an unknown tenant. */
export async function requireTenantOf(
  db: Database,
  { tenantId }: { tenantId?: string | undefined },
): Promise<void> {
  if (tenantId !== undefined) await requireTenant(db, tenantId);
}

function groupView(group: DeadGroupRow) {
  return { ...isoTimes(group), examples: inWords(group.examples) };
}

function inWords<Row extends { reason: string | null }>(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, reason: reasonWords(row.reason) }));
}

function deliveryView({ obstacle, ...row }: DeadDeliveryRow) {
  return {
    ...isoTimes(row),
    reason: reasonWords(row.reason),
    replayable: obstacle === null,
    /** Why the delivery cannot be replayed; null if it can. */
    obstacle,
  };
}
