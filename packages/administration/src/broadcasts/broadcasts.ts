import {
  BROADCAST_PATH,
  BROADCASTS_PATH,
  Broadcast,
  BroadcastRequest,
  type BroadcastState,
  broadcastFault,
  CANCEL_BROADCAST_PATH,
  idempotencyKey,
  MAX_BROADCAST_BODY_BYTES,
  MAX_BROADCAST_VARIABLE_BYTES,
  PAUSE_BROADCAST_PATH,
  RESUME_BROADCAST_PATH,
} from "@belfry/contracts/broadcasts";
import { channelMask, channelsOfMask } from "@belfry/contracts/channels";
import { FAULT, id } from "@belfry/contracts/fields";
import { PLATFORM, UUID } from "@belfry/contracts/identifiers";
import { canonicalLocale } from "@belfry/contracts/locale";
import { reasonWords } from "@belfry/contracts/reasons";
import { daysOfMs, daysWords, mostRestMs, restRule } from "@belfry/contracts/retention";
import { momentOf } from "@belfry/contracts/scheduled";
import { bumpConfigurationVersion, keptDays } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { type Access, defineAct, defineRead, note } from "../act.ts";
import { EXAMPLE_ID } from "../events/event-example.ts";
import { InvalidInput, invalid, NotFound, TooLate } from "../input-error.ts";
import { isoTimes, pageFields, pageFrom, pageOf } from "../pages.ts";
import { insertPeople } from "./broadcast-people.ts";

const SEND: Access = { scope: "tenant", person: "editor", key: "trigger" };
const LOOK: Access = { scope: "tenant", person: "viewer", key: "read" };
/** Of a tenant, not ended. */
const MAX_OPEN = 100;

const broadcastId = id({ description: "of the broadcast", examples: [EXAMPLE_ID] });
const EXAMPLE: Broadcast = {
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

export const createBroadcast = defineAct({
  name: "broadcast create",
  http: `POST ${BROADCASTS_PATH}`,
  access: SEND,
  maxBodyBytes: MAX_BROADCAST_BODY_BYTES,
  summary: "Send one event to the members of topics, or to a list of users",
  description:
    "The users are reached at the addresses that you have named for them. Each gets it once, as an event of its own, with today's templates and the user's preferences. It leaves behind everything else of the tenant, and uses up at most a part of its daily cap.",
  input: Type.Object(
    { ...BroadcastRequest.properties, idempotencyKey },
    { [FAULT]: broadcastFault },
  ),
  output: Broadcast,
  example: {
    input: {
      topics: ["product-news"],
      eventType: "product.news",
      variables: { title: "Dark mode is here" },
    },
    output: { ...EXAMPLE, state: "running", expanded: 0, byStatus: {}, startedAt: null },
  },
  flags: { idempotencyKey: "--idempotency-key <key>" },
  async run({ db, tenantId }, input) {
    const { eventType, idempotencyKey: key, exceptUserIds = [] } = input;
    const made = key === undefined ? undefined : await findByKey(db, tenantId, key);
    if (made !== undefined) return { output: made, isNew: false };
    const variables = input.variables === undefined ? null : JSON.stringify(input.variables);
    if (variables !== null && Buffer.byteLength(variables) > MAX_BROADCAST_VARIABLE_BYTES) {
      throw invalid("variables", `must be at most ${MAX_BROADCAST_VARIABLE_BYTES} bytes of JSON`);
    }
    await requireTemplates(db, tenantId, eventType);
    const provider = await findProvider(db, tenantId, input.provider);
    const sendAt = await beginning(db, tenantId, input.sendAt);
    const users = new Set(input.userIds);
    const excepted = new Set(exceptUserIds);
    const topics = input.topics === undefined ? null : [...new Set(input.topics)];
    const total = topics
      ? await countMembers(db, tenantId, topics)
      : [...users].filter((user) => !excepted.has(user)).length;
    await requireRoom(db, tenantId);
    const newId = uuidv7();
    const { rows } = await sql<{ id: string }>`
      insert into broadcasts (id, tenant_id, state, event_type, topics, channels, locale, provider_id, variables, trace_id,
          idempotency_key, send_at, next_at, total)
      values (${newId}, ${tenantId}, ${sendAt === null ? "running" : "scheduled"}, ${eventType}, ${topics},
          ${channelMask(input.channels)}, ${canonicalLocale(input.locale ?? "") ?? null}, ${provider}, ${variables},
          ${newId}, ${key ?? null}, ${sendAt}, coalesce(${sendAt}::timestamptz, clock_timestamp()), ${total})
      on conflict (tenant_id, idempotency_key) where idempotency_key is not null do nothing
      returning id`.execute(db);
    // Senders look for the provider of a delivery only where they know that a broadcast names one.
    if (provider !== null) await bumpConfigurationVersion(db);
    // The same key, at the same moment.
    if (rows.length === 0) {
      return { output: (await findByKey(db, tenantId, key ?? ""))!, isNew: false };
    }
    await insertPeople(db, newId, [...users], false);
    await insertPeople(db, newId, [...excepted], true);
    return { output: (await findBroadcast(db, tenantId, newId))!, isNew: true };
  },
  audit: ({ userIds }, { output, isNew }) =>
    isNew
      ? note("broadcast.create", `broadcast ${output.id}`, {
          after: {
            eventType: output.eventType,
            ...(output.topics ? { topics: output.topics } : { users: userIds?.length ?? 0 }),
            ...(output.sendAt && { sendAt: output.sendAt }),
          },
        })
      : undefined,
});

export const listBroadcasts = defineRead({
  name: "broadcast list",
  http: `GET ${BROADCASTS_PATH}`,
  access: LOOK,
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
  access: LOOK,
  tool: true,
  summary: "Show how far a broadcast is",
  input: Type.Object({ broadcastId }),
  output: Broadcast,
  example: { input: { broadcastId: EXAMPLE_ID }, output: EXAMPLE },
  flags: { broadcastId: "<id>" },
  run: ({ db, tenantId }, input) => requireBroadcast(db, tenantId, input.broadcastId),
});

export const pauseBroadcast = defineAct({
  name: "broadcast pause",
  http: `POST ${PAUSE_BROADCAST_PATH}`,
  access: SEND,
  summary: "Pause a broadcast: nothing more of it leaves until it is resumed",
  description:
    "What is on its way to a provider at that moment, about a second's worth, still arrives.",
  input: Type.Object({ broadcastId }),
  output: Broadcast,
  example: {
    input: { broadcastId: EXAMPLE_ID },
    output: { ...EXAMPLE, state: "paused" },
  },
  flags: { broadcastId: "<id>" },
  async run({ db, tenantId }, input) {
    const { id: one } = await lockedIn(db, tenantId, input.broadcastId, [
      "scheduled",
      "running",
      "paused",
    ]);
    await sql`update broadcasts set state = 'paused', reason = null, next_at = null where id = ${one}`.execute(
      db,
    );
    return { output: await requireBroadcast(db, tenantId, one) };
  },
  audit: (input) => note("broadcast.pause", `broadcast ${input.broadcastId}`),
});

export const resumeBroadcast = defineAct({
  name: "broadcast resume",
  http: `POST ${RESUME_BROADCAST_PATH}`,
  access: SEND,
  summary: "Let a paused broadcast go on where it stopped",
  description:
    "If what it was paused for still holds, such as a missing provider, it pauses again.",
  input: Type.Object({ broadcastId }),
  output: Broadcast,
  example: { input: { broadcastId: EXAMPLE_ID }, output: EXAMPLE },
  flags: { broadcastId: "<id>" },
  async run({ db, tenantId }, input) {
    const { id: one } = await lockedIn(db, tenantId, input.broadcastId, [
      "scheduled",
      "running",
      "paused",
    ]);
    await sql`
      update broadcasts b
      set state = case when b.started_at is null and b.send_at > clock_timestamp() then 'scheduled' else 'running' end,
          reason = null,
          next_at = case when not b.is_expanded then greatest(clock_timestamp(), case when b.started_at is null then b.send_at end) end
      where b.id = ${one} and b.state = 'paused'`.execute(db);
    return { output: await requireBroadcast(db, tenantId, one) };
  },
  audit: (input) => note("broadcast.resume", `broadcast ${input.broadcastId}`),
});

export const cancelBroadcast = defineAct({
  name: "broadcast cancel",
  http: `POST ${CANCEL_BROADCAST_PATH}`,
  access: SEND,
  summary: "Cancel a broadcast for good: from the answer on nothing more of it is sent",
  description:
    "A call to a provider that is under way may still arrive. How many events reached nobody (`cancelled`) and for how many it was too late is counted in the background, and final once the state is cancelled.",
  input: Type.Object({ broadcastId }),
  output: Broadcast,
  example: {
    input: { broadcastId: EXAMPLE_ID },
    output: { ...EXAMPLE, state: "cancelling", cancelled: 0 },
  },
  flags: { broadcastId: "<id>" },
  async run({ db, tenantId }, input) {
    const { id: one } = await lockedIn(db, tenantId, input.broadcastId, [
      "scheduled",
      "running",
      "paused",
      "cancelling",
      "cancelled",
    ]);
    // Waits for whoever dispatches or claims something of it; those after them see the flag.
    await sql`select pg_advisory_xact_lock(broadcast_lock(${one}::uuid))`.execute(db);
    await sql`
      update broadcasts
      set state = 'cancelling', reason = null, cancel_asked_at = clock_timestamp(), next_at = clock_timestamp()
      where id = ${one} and cancel_asked_at is null`.execute(db);
    await sql`
      select end_broadcast(b.id, clock_timestamp()) from broadcasts b
      where b.id = ${one} and b.state = 'cancelling' and b.chunks = 0`.execute(db);
    return { output: await requireBroadcast(db, tenantId, one) };
  },
  audit: (input) => note("broadcast.cancel", `broadcast ${input.broadcastId}`),
});

type Row = Omit<
  Broadcast,
  "channels" | "byStatus" | "createdAt" | "startedAt" | "endedAt" | "sendAt" | "resumesAt"
> & {
  channels: number | null;
  counts: Record<string, number>;
  isCancelled: boolean;
  sendAt: Date | null;
  resumesAt: Date | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
};

const COLUMNS = sql`b.id, b.state, b.reason, b.event_type as "eventType", b.topics, b.channels, b.locale, b.provider_id as provider, b.total,
  b.expanded, b.counts, b.cancel_asked_at is not null as "isCancelled", b.send_at as "sendAt",
  case when b.state = 'paused' then b.next_at end as "resumesAt", b.created_at as "createdAt",
  b.started_at as "startedAt", b.ended_at as "endedAt"`;

function toBroadcast({ counts, isCancelled, channels, reason, ...row }: Row): Broadcast {
  const { cancelled = 0 } = counts;
  return isoTimes({
    ...row,
    reason: reason === null ? null : reasonWords(reason),
    channels: channelsOfMask(channels),
    byStatus: counts,
    ...(isCancelled && { cancelled }),
    ...(row.state === "cancelled" && { tooLate: row.expanded - cancelled }),
  }) as Broadcast;
}

async function findBroadcast(db: Database, tenantId: string, one: string) {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from broadcasts b where b.id = ${one}::uuid and b.tenant_id = ${tenantId}`.execute(
    db,
  );
  return rows[0] && toBroadcast(rows[0]);
}

async function findByKey(db: Database, tenantId: string, key: string) {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from broadcasts b
    where b.tenant_id = ${tenantId} and b.idempotency_key = ${key}`.execute(db);
  return rows[0] && toBroadcast(rows[0]);
}

async function requireBroadcast(db: Database, tenantId: string, one: string): Promise<Broadcast> {
  const found = UUID.test(one) ? await findBroadcast(db, tenantId, one) : undefined;
  if (found === undefined) throw new NotFound("broadcastId", "no such broadcast");
  return found;
}

/** Locks its row. Throws `NotFound`, and `TooLate` in any other state. */
async function lockedIn(
  db: Database,
  tenantId: string,
  one: string,
  states: readonly BroadcastState[],
): Promise<{ id: string }> {
  const row = UUID.test(one)
    ? await db
        .selectFrom("broadcasts")
        .select(["id", "state"])
        .where("id", "=", one)
        .where("tenant_id", "=", tenantId)
        .forUpdate()
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw new NotFound("broadcastId", "no such broadcast");
  if (states.some((state) => state === row.state)) return row;
  throw new TooLate(`the broadcast is ${row.state}`);
}

/** At least one template that is active, and none that is sensitive. */
export async function requireTemplates(
  db: Database,
  tenantId: string,
  eventType: string,
): Promise<void> {
  const templates = await db
    .selectFrom("templates")
    .select(["active", "sensitive"])
    .where("tenant_id", "=", eventType.startsWith("global.") ? PLATFORM : tenantId)
    .where("event_type", "=", eventType)
    .execute();
  if (templates.some(({ sensitive }) => sensitive)) {
    throw invalid("eventType", "has a sensitive template: its content is for one person");
  }
  if (!templates.some(({ active }) => active)) {
    throw invalid("eventType", "has no active template");
  }
}

/** Its id, of an id or a name; null: none is named. Throws `InvalidInput`. */
async function findProvider(
  db: Database,
  tenantId: string,
  named: string | undefined,
): Promise<string | null> {
  if (named === undefined) return null;
  const rows = await db
    .selectFrom("providers")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("active", "=", true)
    .where(sql<boolean>`(id::text = ${named.toLowerCase()} or name = ${named})`)
    .limit(2)
    .execute();
  if (rows.length === 1) return rows[0]!.id;
  if (rows.length === 0) throw invalid("provider", "is no active provider");
  throw invalid("provider", "names several: give its id");
}

/** Null: at once. Throws `InvalidInput` for a time beyond what the tenant's retention lets rest. */
export async function beginning(db: Database, tenantId: string, sendAt: string | undefined) {
  const moment = sendAt === undefined ? undefined : momentOf(sendAt);
  if (moment === undefined || moment.getTime() <= Date.now()) return null;
  const kept = await keptDays(db, tenantId);
  const mostMs = mostRestMs(kept);
  if (moment.getTime() - Date.now() <= mostMs) return moment;
  const bound = `must be at most ${daysWords(daysOfMs(mostMs))} ahead`;
  throw invalid("sendAt", `${bound}: ${restRule(kept)}`);
}

/** Of all of them together: who is in several counts more than once. */
export async function countMembers(
  db: Database,
  tenantId: string,
  topics: readonly string[],
): Promise<number> {
  const rows = await db
    .selectFrom("topics")
    .select(["key", "members"])
    .where("tenant_id", "=", tenantId)
    .where("key", "in", topics)
    .where("deleted_at", "is", null)
    .execute();
  const known = new Map(rows.map(({ key, members }) => [key, Number(members)]));
  const faults = topics.flatMap((topic, at) =>
    known.has(topic) ? [] : [{ field: `topics[${at}]`, message: "is not the key of a topic" }],
  );
  if (faults.length > 0) throw new InvalidInput(faults);
  return [...known.values()].reduce((sum, members) => sum + members, 0);
}

async function requireRoom(db: Database, tenantId: string): Promise<void> {
  const { rows } = await sql<{ open: number }>`
    select count(*)::integer as open from (
      select from broadcasts b where b.tenant_id = ${tenantId} and b.ended_at is null limit ${MAX_OPEN}
    ) b`.execute(db);
  if (rows[0]!.open >= MAX_OPEN) throw new TooLate(`${MAX_OPEN} broadcasts have not ended yet`);
}
