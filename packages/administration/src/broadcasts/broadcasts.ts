import {
  BROADCAST_PATH,
  BROADCAST_TRANSITIONS,
  BROADCASTS_PATH,
  Broadcast,
  type BroadcastState,
  CANCEL_BROADCAST_PATH,
  PAUSE_BROADCAST_PATH,
  RESUME_BROADCAST_PATH,
} from "@belfry/contracts/broadcasts";
import { channelsOfMask } from "@belfry/contracts/channels";
import { id } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { type Access, defineAct, defineRead, note } from "../act.ts";
import { columnsOf } from "../columns.ts";
import { EXAMPLE_ID } from "../events/event-example.ts";
import { NotFound, TooLate } from "../input-error.ts";
import { pageFields, pageFrom, pageOf } from "../pages.ts";
import type { UserOfTenant } from "../tenants/realtime.ts";

export const SEND_BROADCAST: Access = { scope: "tenant", person: "editor", key: "trigger" };
const READ_BROADCAST: Access = { scope: "tenant", person: "viewer", key: "read" };

const BROADCAST_ID = id({ description: "of the broadcast", examples: [EXAMPLE_ID] });
export const EXAMPLE: Broadcast = {
  id: EXAMPLE_ID,
  state: "running",
  reason: null,
  eventType: "product.news",
  topics: ["product-news"],
  channels: null,
  locale: null,
  provider: null,
  total: 120_000,
  expanded: 4_200,
  byStatus: { accepted: 3_900, queued: 180, skipped: 120 },
  sendAt: null,
  resumesAt: null,
  createdAt: "2026-11-20T08:30:00.000Z",
  startedAt: "2026-11-20T08:30:00.400Z",
  endedAt: null,
};

export const listBroadcasts = defineRead({
  name: "broadcast list",
  http: `GET ${BROADCASTS_PATH}`,
  access: READ_BROADCAST,
  tool: true,
  pages: true,
  summary: "List a tenant's broadcasts, the newest first",
  input: Type.Object(pageFields(200, 50, (place) => UUID.test(place))),
  output: pageOf(Broadcast),
  example: { input: {}, output: { items: [EXAMPLE] } },
  async run({ db, tenantId }, { limit = 50, after }) {
    const { rows } = await sql<Row>`
      select ${COLUMNS} from broadcasts b
      where b.tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and b.id < ${after}::uuid`}
      order by b.id desc limit ${limit + 1}`.execute(db);
    return pageFrom(rows.map(toBroadcast), limit, (last) => last.id);
  },
});

export const showBroadcast = defineRead({
  name: "broadcast show",
  http: `GET ${BROADCAST_PATH}`,
  access: READ_BROADCAST,
  tool: true,
  summary: "Show how far a broadcast is",
  input: Type.Object({ broadcastId: BROADCAST_ID }),
  output: Broadcast,
  example: { input: { broadcastId: EXAMPLE_ID }, output: EXAMPLE },
  flags: { broadcastId: "<id>" },
  run: ({ db, tenantId }, input) => requireBroadcast(db, tenantId, input.broadcastId),
});

export const pauseBroadcast = defineAct({
  name: "broadcast pause",
  http: `POST ${PAUSE_BROADCAST_PATH}`,
  access: SEND_BROADCAST,
  summary: "Pause a broadcast: nothing more is sent until it is resumed",
  description:
    "Messages that are on their way to a provider at that moment, about one second's worth, are still delivered.",
  input: Type.Object({ broadcastId: BROADCAST_ID }),
  output: Broadcast,
  example: {
    input: { broadcastId: EXAMPLE_ID },
    output: { ...EXAMPLE, state: "paused" },
  },
  flags: { broadcastId: "<id>" },
  async run({ db, tenantId }, input) {
    const before = await lockedFor(db, tenantId, input.broadcastId, ["paused"]);
    await sql`update broadcasts set state = 'paused', reason = null, next_at = null where id = ${before.id} and tenant_id = ${tenantId}`.execute(
      db,
    );
    return { output: await requireBroadcast(db, tenantId, before.id), before };
  },
  audit: (_, { before, output }) => noteOf("pause", before, output),
});

export const resumeBroadcast = defineAct({
  name: "broadcast resume",
  http: `POST ${RESUME_BROADCAST_PATH}`,
  access: SEND_BROADCAST,
  summary: "Resume a paused broadcast where it stopped",
  description:
    "If the reason for the pause still holds, such as a missing provider, the broadcast pauses again.",
  input: Type.Object({ broadcastId: BROADCAST_ID }),
  output: Broadcast,
  example: { input: { broadcastId: EXAMPLE_ID }, output: EXAMPLE },
  flags: { broadcastId: "<id>" },
  async run({ db, tenantId }, input) {
    const before = await lockedFor(db, tenantId, input.broadcastId, ["running"]);
    await sql`
      update broadcasts b
      set state = case when b.started_at is null and b.send_at > clock_timestamp() then 'scheduled' else 'running' end,
          reason = null,
          next_at = case when not b.is_expanded then greatest(clock_timestamp(), case when b.started_at is null then b.send_at end) end
      where b.id = ${before.id} and b.tenant_id = ${tenantId} and b.state = 'paused'`.execute(db);
    return { output: await requireBroadcast(db, tenantId, before.id), before };
  },
  audit: (_, { before, output }) => noteOf("resume", before, output),
});

export const cancelBroadcast = defineAct({
  name: "broadcast cancel",
  http: `POST ${CANCEL_BROADCAST_PATH}`,
  access: SEND_BROADCAST,
  summary: "Cancel a broadcast: nothing more is sent after the answer",
  description:
    "A call to a provider that is in progress may still deliver. Belfry counts in the background how many events reached nobody (`cancelled`) and for how many it was too late (`tooLate`); both are final once the state is cancelled.",
  input: Type.Object({ broadcastId: BROADCAST_ID }),
  output: Broadcast,
  example: {
    input: { broadcastId: EXAMPLE_ID },
    output: { ...EXAMPLE, state: "cancelling", cancelled: 0 },
  },
  flags: { broadcastId: "<id>" },
  async run({ db, tenantId }, input) {
    const before = await lockedFor(db, tenantId, input.broadcastId, ["cancelling", "cancelled"]);
    // Waits for transactions that dispatch or claim parts of the broadcast. Later ones see `cancel_asked_at`.
    await sql`select pg_advisory_xact_lock(broadcast_lock(${before.id}::uuid))`.execute(db);
    await sql`
      update broadcasts
      set state = 'cancelling', reason = null, cancel_asked_at = clock_timestamp(), next_at = clock_timestamp()
      where id = ${before.id} and tenant_id = ${tenantId} and cancel_asked_at is null`.execute(db);
    await sql`
      select end_broadcast(b.id, clock_timestamp()) from broadcasts b
      where b.id = ${before.id} and b.tenant_id = ${tenantId} and b.state = 'cancelling' and b.chunks = 0`.execute(
      db,
    );
    return { output: await requireBroadcast(db, tenantId, before.id), before };
  },
  audit: (_, { before, output }) => noteOf("cancel", before, output),
});

function noteOf(verb: string, before: Broadcast, after: Broadcast) {
  const of = ({ state, reason }: Broadcast) => ({ state, reason });
  return note(`broadcast.${verb}`, `broadcast ${after.id}`, {
    before: of(before),
    after: of(after),
  });
}

const Stored = Type.Omit(Broadcast, ["channels", "cancelled", "tooLate"]);
type Row = Static<typeof Stored> & { mask: number | null; isCancelled: boolean };

const COLUMNS = sql`
  ${columnsOf(Stored, "b", {
    reason: sql`reason_in_words(b.reason)`,
    provider: sql`b.provider_id`,
    byStatus: sql`b.counts`,
    resumesAt: sql`case when b.state = 'paused' then b.next_at end`,
  })}, b.channels as mask, b.cancel_asked_at is not null as "isCancelled"`;

function toBroadcast({ mask, isCancelled, ...row }: Row): Broadcast {
  const { cancelled = 0 } = row.byStatus;
  return {
    ...row,
    channels: channelsOfMask(mask),
    ...(isCancelled && { cancelled }),
    ...(row.state === "cancelled" && { tooLate: row.expanded - cancelled }),
  };
}

export async function findBroadcast(db: Database, tenantId: string, broadcastId: string) {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from broadcasts b where b.id = ${broadcastId}::uuid and b.tenant_id = ${tenantId}`.execute(
    db,
  );
  return rows[0] && toBroadcast(rows[0]);
}

async function requireBroadcast(
  db: Database,
  tenantId: string,
  broadcastId: string,
): Promise<Broadcast> {
  const found = UUID.test(broadcastId) ? await findBroadcast(db, tenantId, broadcastId) : undefined;
  if (found === undefined) throw new NotFound("broadcastId", "no such broadcast");
  return found;
}

/**
 * Locks a broadcast's row and returns the broadcast. Throws `NotFound`, or `TooLate` if the broadcast neither is in one
 * of these states nor can move to one.
 */
async function lockedFor(
  db: Database,
  tenantId: string,
  broadcastId: string,
  states: readonly BroadcastState[],
): Promise<Broadcast> {
  const row = UUID.test(broadcastId)
    ? await db
        .selectFrom("broadcasts")
        .select(["id", "state"])
        .where("id", "=", broadcastId)
        .where("tenant_id", "=", tenantId)
        .forUpdate()
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw new NotFound("broadcastId", "no such broadcast");
  const within = [row.state, ...BROADCAST_TRANSITIONS[row.state]];
  if (states.some((state) => within.includes(state))) {
    return await requireBroadcast(db, tenantId, broadcastId);
  }
  throw new TooLate(`the broadcast is ${row.state}`);
}

/**
 * Removes a user who is being erased from the lists of the tenant's broadcasts. Until the transaction ends, no
 * broadcast of the tenant creates events; those created before are committed, so the erasure finds them. Call it before
 * `leaveTopics`.
 */
export async function leaveBroadcasts(
  db: Database,
  { tenantId, userId }: UserOfTenant,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(people_lock(${tenantId}))`.execute(db);
  await sql`
    delete from broadcast_people p using broadcasts b
    where b.tenant_id = ${tenantId} and b.ended_at is null and p.broadcast_id = b.id
      and p.is_excepted in (true, false) and p.user_id = ${userId}`.execute(db);
  // `reached` is the id of the last user for whom the broadcast created an event. If it is this user's, it moves back to
  // the user before, or becomes "" if the broadcast has ended.
  await sql`
    update broadcasts b set reached = case when b.ended_at is null then coalesce((
      select max(before.user_id) from (
        (select p.user_id from broadcast_people p
         where p.broadcast_id = b.id and not p.is_excepted and p.user_id < ${userId}
         order by p.user_id desc limit 1)
        union all
        select m.user_id from unnest(b.topics) t (topic) cross join lateral (
          select m.user_id from topic_members m
          where m.tenant_id = b.tenant_id and m.topic = t.topic and m.user_id < ${userId}
          order by m.user_id desc limit 1) m
      ) before), '') else '' end
    where b.tenant_id = ${tenantId} and b.reached = ${userId}`.execute(db);
}
