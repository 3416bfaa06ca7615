import {
  EXAMPLE_CHANNEL,
  PROVIDER_CHANNELS,
  type ProviderChannel,
} from "@belfry/contracts/channels";
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  DIGEST_ITEM_STATES,
} from "@belfry/contracts/delivery";
import { id, integer, oneOf, orNull, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { reasonWords } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { type RawBuilder, sql } from "kysely";
import { defineAct, defineRead, LOOK, note, optional, SEND } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import { type IsoTimes, isoTimes } from "../pages.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";

const MOST_LISTED = 1_000;
const MOST_EVENTS = 100;

/** A message that combines several events; times are ISO 8601, UTC. */
type Digest = IsoTimes<DigestRow>;

const DIGEST_ID = "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79";
const digest = {
  id: Type.String(),
  eventType: Type.String(),
  channel: oneOf(PROVIDER_CHANNELS),
  userId: Type.String(),
  recipient: orNull(Type.String()),
  locale: Type.String({ description: "Locale of the template's variant; empty: the default" }),
  key: Type.String({ description: "The key that separates its events from others; empty: none" }),
  openedAt: time("When its first event came"),
  windowEndsAt: time("Until when events join it; quiet hours may hold it longer"),
  closedAt: orNull(time("When nothing could join it any more")),
  count: Type.Integer({ description: "Events that the message combines" }),
  delivery: Type.Union([
    Type.Object({
      id: Type.String(),
      status: oneOf(DELIVERY_STATUSES),
      reason: orNull(Type.String()),
      dueAt: orNull(time("When it is tried next; null once settled")),
    }),
    Type.Null({ description: "Only its first event so far, which was sent by itself" }),
  ]),
  open: Type.Boolean({ description: "Events may join it" }),
};
const ShownDigest = Type.Object({
  ...digest,
  events: Type.Array(
    Type.Object({
      eventId: Type.String(),
      state: oneOf(DIGEST_ITEM_STATES),
      addedAt: time("When it came"),
    }),
    { description: `The oldest ${MOST_EVENTS}` },
  ),
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
  output: Type.Array(Type.Object(digest, { title: "Digest" })),
  example: { input: {}, output: [EXAMPLE] },
  async run({ db, tenantId }, { limit = MOST_LISTED }) {
    await requireTenant(db, tenantId, "tenant");
    return (await openDigests(db, tenantId, limit)).map(shownDigest);
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

function shownDigest({ delivery, ...row }: DigestRow): Digest {
  const inWords = delivery && { ...delivery, reason: reasonWords(delivery.reason) };
  return { ...isoTimes(row), delivery: inWords };
}

/** Returns one page of the open digests, ordered by user. The cost does not depend on the number of digests. */
export async function digestPage(
  db: Database,
  tenantId: string,
  { after, limit }: { after?: { userId: string; id: string } | undefined; limit: number },
): Promise<{ digests: Digest[]; next: { userId: string; id: string } | undefined }> {
  const rows = await openDigestsByUser(db, tenantId, { after, most: limit + 1 });
  const page = rows.slice(0, limit);
  return { digests: page.map(shownDigest), next: rows.length > limit ? page.at(-1) : undefined };
}

/** Reads a digest with its oldest events. Throws `NotFound`. */
async function readDigest(db: Database, tenantId: string, digestId: string) {
  await requireTenant(db, tenantId, "tenant");
  const row = UUID.test(digestId) ? await digestById(db, tenantId, digestId) : undefined;
  if (row === undefined) {
    throw new NotFound("id", `no digest of the tenant has the id ${JSON.stringify(digestId)}`);
  }
  const items = await itemsOfDigest(db, row.id, MOST_EVENTS);
  return { ...shownDigest(row), events: items.map(isoTimes) };
}

/** A digest without the variables of its events. */
interface DigestRow {
  id: string;
  eventType: string;
  channel: ProviderChannel;
  userId: string;
  recipient: string | null;
  /** The locale of the template's variant; empty: the default variant. */
  locale: string;
  /** Events with different keys go to different digests; empty: the template sets no key. */
  key: string;
  openedAt: Date;
  /** Time until which events join the digest. Quiet hours may delay the message further. */
  windowEndsAt: Date;
  closedAt: Date | null;
  /** Number of events in the message. */
  count: number;
  /** null if there is only the first event so far, which was sent by itself. */
  delivery: DigestDelivery | null;
  /** True while events may still join the digest. */
  open: boolean;
}

interface DigestDelivery {
  id: string;
  status: DeliveryStatus;
  reason: string | null;
  /** Time of the next attempt in ISO 8601; null once the delivery has ended. */
  dueAt: string | null;
}

/** A digest is open until its delivery is released or tried; without a delivery, until its window ends. */
const OPEN = sql<boolean>`g.closed_at is null and case when d.id is null
  then g.window_ends_at > clock_timestamp()
  else d.status = 'queued' and d.released_at is null and d.attempts = 0 end`;

function select(rows: RawBuilder<unknown>) {
  return sql<DigestRow>`
    select g.id, g.event_type as "eventType", g.channel, g.user_id as "userId", g.recipient, g.locale, g.key,
           g.opened_at as "openedAt", g.window_ends_at as "windowEndsAt", g.closed_at as "closedAt",
           (select count(*)::integer from digest_items i where i.digest_id = g.id and i.state = 'in') as count,
           case when d.id is not null then json_build_object('id', d.id, 'status', d.status, 'reason', d.reason,
             'dueAt', to_char(d.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as delivery,
           ${OPEN} as open
    from ${rows} g
    left join lateral (select * from deliveries d where d.event_id = g.id limit 1) d on true`;
}

/** Returns a tenant's open digests, the one that is due first at the top. */
async function openDigests(db: Database, tenantId: string, most: number) {
  const found = sql`(
    select g.* from digests g
    left join lateral (select * from deliveries d where d.event_id = g.id limit 1) d on true
    where g.tenant_id = ${tenantId} and ${OPEN}
    order by coalesce(d.due_at, g.window_ends_at), g.id limit ${most})`;
  const { rows } = await sql<DigestRow>`
    ${select(found)} order by coalesce(d.due_at, g.window_ends_at), g.id`.execute(db);
  return rows;
}

/** Returns a tenant's open digests, ordered by user, because an index has this order. */
async function openDigestsByUser(
  db: Database,
  tenantId: string,
  { after, most }: { after?: { userId: string; id: string } | undefined; most: number },
): Promise<DigestRow[]> {
  const beyond =
    after === undefined ? sql`` : sql`and (g.user_id, g.id) > (${after.userId}, ${after.id}::uuid)`;
  const found = sql`(
    select g.* from digests g
    left join lateral (select * from deliveries d where d.event_id = g.id limit 1) d on true
    where g.tenant_id = ${tenantId} and ${OPEN} ${beyond}
    order by g.user_id, g.id limit ${most})`;
  const { rows } = await sql<DigestRow>`${select(found)} order by g.user_id, g.id`.execute(db);
  return rows;
}

export async function digestById(db: Database, tenantId: string, id: string) {
  const found = sql`(select * from digests where id = ${id} and tenant_id = ${tenantId})`;
  const { rows } = await select(found).execute(db);
  return rows[0];
}

/** Returns the events of a digest, oldest first. */
async function itemsOfDigest(db: Database, id: string, most: number) {
  return await db
    .selectFrom("digest_items")
    .select(["event_id as eventId", "state", "added_at as addedAt"])
    .where("digest_id", "=", id)
    .orderBy("event_id")
    .limit(most)
    .execute();
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
