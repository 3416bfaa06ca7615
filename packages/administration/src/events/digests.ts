import { EXAMPLE_CHANNEL, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { DELIVERY_STATUSES, DIGEST_ITEM_STATES } from "@belfry/contracts/delivery";
import { id, integer, oneOf, orNull, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { type RawBuilder, sql } from "kysely";
import { defineAct, defineRead, LOOK, note, optional, SEND } from "../act.ts";
import { columnsOf } from "../columns.ts";
import { invalid, NotFound } from "../input-error.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";

const MOST_LISTED = 1_000;
const MOST_EVENTS = 100;

const DIGEST_ID = "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79";
const DigestDelivery = Type.Object({
  id: Type.String(),
  status: oneOf(DELIVERY_STATUSES),
  reason: orNull(Type.String()),
  dueAt: orNull(time("Time of the next attempt; null once the delivery has ended")),
});
/** A message that combines several events, without their variables. */
const Digest = Type.Object(
  {
    id: Type.String(),
    eventType: Type.String(),
    channel: oneOf(PROVIDER_CHANNELS),
    userId: Type.String(),
    recipient: orNull(Type.String()),
    locale: Type.String({ description: "Locale of the template's variant; empty: the default" }),
    key: Type.String({ description: "The key that separates its events from others; empty: none" }),
    openedAt: time("When its first event came"),
    windowEndsAt: time("Until when events join it; quiet hours may hold it longer"),
    closedAt: orNull(time("When the digest was closed")),
    count: Type.Integer({ description: "Events that the message combines" }),
    delivery: Type.Union([
      DigestDelivery,
      Type.Null({ description: "Only its first event so far, which was sent by itself" }),
    ]),
    open: Type.Boolean({ description: "Events may join it" }),
  },
  { title: "Digest" },
);
type Digest = Static<typeof Digest>;
const DigestEvent = Type.Object({
  eventId: Type.String(),
  state: oneOf(DIGEST_ITEM_STATES),
  addedAt: time("When it came"),
});
const ShownDigest = Type.Object({
  ...Digest.properties,
  events: Type.Array(DigestEvent, { description: `The oldest ${MOST_EVENTS}` }),
});
const EXAMPLE = {
  id: DIGEST_ID,
  eventType: "comment.added",
  channel: EXAMPLE_CHANNEL,
  userId: "user-1",
  recipient: "ann@example.com",
  locale: "",
  key: "post-7",
  count: 2,
  open: true,
  openedAt: "2026-11-20T09:00:00.000Z",
  windowEndsAt: "2026-11-20T09:30:00.000Z",
  closedAt: null,
  delivery: null,
};
const SHOWN = { ...EXAMPLE, events: [] };
const named = Type.Object({
  id: id({ description: "the digest's id, as in the list or in an event's report" }),
});

export const listDigests = defineRead({
  name: "digest list",
  http: "GET /digests",
  access: LOOK,
  tool: true,
  summary:
    "A tenant's open digests with their end and number of events, the one that ends next first",
  input: Type.Object({
    limit: optional(
      integer({ minimum: 1, maximum: MOST_LISTED }),
      "how many at most; default: 1,000",
    ),
  }),
  output: Type.Array(Digest),
  example: { input: {}, output: [EXAMPLE] },
  async run({ db, tenantId }, { limit = MOST_LISTED }) {
    await requireTenant(db, tenantId, "tenant");
    return await openDigests(db, tenantId, { order: BY_DUE_TIME, most: limit });
  },
});

export const showDigest = defineRead({
  name: "digest show",
  http: "GET /digests/:id",
  access: LOOK,
  tool: true,
  summary: "One digest, open or not, with the ids of its oldest 100 events",
  description: "Its events include those that are not in the message.",
  input: named,
  output: ShownDigest,
  example: { input: { id: DIGEST_ID }, output: SHOWN },
  run: ({ db, tenantId }, input) => readDigest(db, tenantId, input.id),
});

export const releaseDigest = defineAct({
  name: "digest release",
  http: "POST /digests/:id/release",
  access: SEND,
  summary: "Send an open digest now; quiet hours still apply",
  input: named,
  output: ShownDigest,
  example: { input: { id: DIGEST_ID }, output: SHOWN },
  async run({ db, tenantId }, input) {
    const { delivery } = await readDigest(db, tenantId, input.id);
    if (!(await makeDue(db, tenantId, input.id))) {
      const message =
        delivery === null
          ? "has nothing to send: its first event was sent by itself, and none has come since"
          : `cannot be released: it is ${delivery.status === "queued" ? "on its way" : delivery.status}`;
      throw invalid("id", message);
    }
    return { output: await readDigest(db, tenantId, input.id) };
  },
  audit: (_, { output: { id: target, count } }) =>
    note("digest.release", target, { after: { count } }),
});

/** Returns one page of the open digests, ordered by user. The cost does not depend on the number of digests. */
export async function digestPage(
  db: Database,
  tenantId: string,
  { after, limit }: { after?: { userId: string; id: string } | undefined; limit: number },
): Promise<{ digests: Digest[]; next: { userId: string; id: string } | undefined }> {
  const beyond = after && sql`and (g.user_id, g.id) > (${after.userId}, ${after.id}::uuid)`;
  const rows = await openDigests(db, tenantId, { order: BY_USER, beyond, most: limit + 1 });
  const digests = rows.slice(0, limit);
  return { digests, next: rows.length > limit ? digests.at(-1) : undefined };
}

/** Reads a digest with its oldest events. Throws `NotFound`. */
async function readDigest(db: Database, tenantId: string, digestId: string) {
  await requireTenant(db, tenantId, "tenant");
  const digest = UUID.test(digestId) ? await digestById(db, tenantId, digestId) : undefined;
  if (digest === undefined) {
    throw new NotFound("id", `no digest of the tenant has the id ${JSON.stringify(digestId)}`);
  }
  const { rows: events } = await sql<Static<typeof DigestEvent>>`
    select ${columnsOf(DigestEvent, "i")} from digest_items i
    where i.digest_id = ${digest.id} order by i.event_id limit ${MOST_EVENTS}`.execute(db);
  return { ...digest, events };
}

const DELIVERY = sql`
  left join lateral (select * from deliveries d where d.event_id = g.id limit 1) d on true`;

/** A digest is open until its delivery is released or tried; without a delivery, until its window ends. */
const OPEN = sql<boolean>`g.closed_at is null and case when d.id is null
  then g.window_ends_at > clock_timestamp()
  else d.status = 'queued' and d.released_at is null and d.attempts = 0 end`;

const DELIVERY_COLUMNS = columnsOf(DigestDelivery, "d", {
  reason: sql`reason_in_words(d.reason)`,
});
const COLUMNS = columnsOf(Digest, "g", {
  count: sql`(select count(*)::integer from digest_items i where i.digest_id = g.id and i.state = 'in')`,
  delivery: sql`case when d.id is not null then (
    select to_json(shown) from (select ${DELIVERY_COLUMNS}) shown) end`,
  open: OPEN,
});

const BY_DUE_TIME = sql`coalesce(d.due_at, g.window_ends_at), g.id`;
/** An index has this order. */
const BY_USER = sql`g.user_id, g.id`;

function selectDigests(found: RawBuilder<unknown>, order: RawBuilder<unknown>) {
  return sql<Digest>`select ${COLUMNS} from (${found}) g ${DELIVERY} order by ${order}`;
}

async function openDigests(
  db: Database,
  tenantId: string,
  page: { order: RawBuilder<unknown>; beyond?: RawBuilder<unknown> | undefined; most: number },
) {
  const { order, beyond = sql``, most } = page;
  const found = sql`select g.* from digests g ${DELIVERY}
    where g.tenant_id = ${tenantId} and ${OPEN} ${beyond} order by ${order} limit ${most}`;
  return (await selectDigests(found, order).execute(db)).rows;
}

export async function digestById(db: Database, tenantId: string, id: string) {
  const found = sql`select * from digests where id = ${id} and tenant_id = ${tenantId}`;
  return (await selectDigests(found, BY_USER).execute(db)).rows.at(0);
}

/** Makes an open digest due now. Returns false if it is no longer open or has no delivery. */
async function makeDue(db: Database, tenantId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    with locked as materialized (
      select d.id from deliveries d
      where d.event_id = ${id} and d.tenant_id = ${tenantId} order by d.id for update
    ),
    due as (
      update deliveries d set due_at = clock_timestamp()
      from digests g
      where d.id = any (array(select id from locked)) and g.id = d.event_id and ${OPEN}
      returning d.event_id, d.due_at
    )
    update digests g set window_ends_at = least(g.window_ends_at, (select min(due_at) from due))
    where g.id = any (array(select event_id from due)) returning g.id`.execute(db);
  return rows.length > 0;
}
