import { createHash } from "node:crypto";
import {
  BROADCASTS_PATH,
  Broadcast,
  BroadcastRequest,
  broadcastFault,
  idempotencyKey,
  MAX_BROADCAST_BODY_BYTES,
  MAX_BROADCAST_VARIABLE_BYTES,
} from "@belfry/contracts/broadcasts";
import { type Channel, channelMask, isAddressChannel } from "@belfry/contracts/channels";
import { FAULT } from "@belfry/contracts/fields";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { canonicalLocale } from "@belfry/contracts/locale";
import { KEY_OF_ANOTHER_CALL } from "@belfry/contracts/problems";
import {
  daysOfMs,
  daysWords,
  mostRestMs,
  REPEATED_CALL_HOURS,
  restRule,
} from "@belfry/contracts/retention";
import { momentOf } from "@belfry/contracts/scheduled";
import { HEADERS } from "@belfry/contracts/trigger";
import { bumpConfigurationVersion, keptDays } from "@belfry/database/configuration-version";
import { chunks, type Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { defineAct, note } from "../act.ts";
import { InvalidInput, invalid, TooLate } from "../input-error.ts";
import { EXAMPLE, findBroadcast, SEND_BROADCAST } from "./broadcasts.ts";

/** Maximum number of a tenant's broadcasts that have not ended. */
const MAX_OPEN = 100;

/** Number of named users that one statement stores. */
const PEOPLE_AT_A_TIME = 5_000;

const INPUT = Type.Object(
  { ...BroadcastRequest.properties, idempotencyKey },
  { [FAULT]: broadcastFault },
);

export const createBroadcast = defineAct({
  name: "broadcast create",
  http: `POST ${BROADCASTS_PATH}`,
  headers: { idempotencyKey: HEADERS.idempotencyKey },
  access: SEND_BROADCAST,
  maxBodyBytes: MAX_BROADCAST_BODY_BYTES,
  summary: "Send one event to the members of topics, or to a list of users",
  description:
    "Users are reached at their stored addresses. Each user gets the message once, as a separate event, with the current templates and the user's preferences. The tenant's other messages are sent before it. It uses at most a part of the tenant's daily cap.",
  input: INPUT,
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
    const requestHash = hashOf(input);
    if (key !== undefined) {
      await freeOldKey(db, tenantId, key);
      const made = await findMade(db, tenantId, key, requestHash);
      if (made !== undefined) return { output: made, isNew: false };
    }
    const variables = input.variables === undefined ? null : JSON.stringify(input.variables);
    if (variables !== null && Buffer.byteLength(variables) > MAX_BROADCAST_VARIABLE_BYTES) {
      throw invalid("variables", `must be at most ${MAX_BROADCAST_VARIABLE_BYTES} bytes of JSON`);
    }
    await requireTemplates(db, tenantId, eventType);
    const provider = await findProvider(db, tenantId, input.provider);
    const sendAt = await startTime(db, tenantId, input.sendAt);
    const users = new Set(input.userIds);
    const excepted = new Set(exceptUserIds);
    const topics = input.topics === undefined ? null : [...new Set(input.topics)];
    const total = topics
      ? await countMembers(db, tenantId, topics)
      : [...users].filter((user) => !excepted.has(user)).length;
    await requireRoom(db, tenantId);
    const newId = uuidv7();
    const { rows } = await sql<{ id: string }>`
      insert into broadcasts (id, tenant_id, state, event_type, topics, channels, locale, provider_id, provider_channel,
          variables, trace_id, idempotency_key, request, send_at, next_at, total)
      values (${newId}, ${tenantId}, ${sendAt === null ? "running" : "scheduled"}, ${eventType}, ${topics},
          ${channelMask(input.channels)}, ${canonicalLocale(input.locale ?? "") ?? null}, ${provider?.id ?? null},
          ${provider?.channel ?? null}, ${variables},
          ${newId}, ${key ?? null}, ${requestHash}, ${sendAt}, coalesce(${sendAt}::timestamptz, clock_timestamp()), ${total})
      on conflict (tenant_id, idempotency_key) where idempotency_key is not null do nothing
      returning id`.execute(db);
    // Another call with the same key created its broadcast at the same moment.
    if (rows.length === 0) {
      return { output: (await findMade(db, tenantId, key ?? "", requestHash))!, isNew: false };
    }
    // Senders look up a named provider only if their configuration says that a broadcast of the tenant names one.
    if (provider) await bumpConfigurationVersion(db);
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

/** Returns a hash of the request. The order of its own fields does not change it; that within `variables` does. */
function hashOf(input: Static<typeof INPUT>): Buffer {
  const fields = Object.keys(BroadcastRequest.properties) as (keyof BroadcastRequest)[];
  const asked = JSON.stringify(fields.map((name) => input[name] ?? null));
  return createHash("sha256").update(asked).digest();
}

async function freeOldKey(db: Database, tenantId: string, key: string): Promise<void> {
  await sql`
    update broadcasts set idempotency_key = null
    where tenant_id = ${tenantId} and idempotency_key = ${key}
      and created_at < now() - make_interval(hours => ${REPEATED_CALL_HOURS})`.execute(db);
}

/**
 * Finds the broadcast that a call with this key has created. Throws `InvalidInput` if that call had another request.
 */
async function findMade(db: Database, tenantId: string, key: string, requestHash: Buffer) {
  const made = await db
    .selectFrom("broadcasts")
    .select(["id", "request"])
    .where("tenant_id", "=", tenantId)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  if (made === undefined) return undefined;
  if (made.request !== null && !made.request.equals(requestHash)) {
    throw invalid("idempotencyKey", KEY_OF_ANOTHER_CALL);
  }
  return await findBroadcast(db, tenantId, made.id);
}

/** Throws `InvalidInput` if the event type has a sensitive template or no active one. */
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

/** Finds the provider by id or name, or returns undefined if none is named. Throws `InvalidInput`. */
async function findProvider(
  db: Database,
  tenantId: string,
  named: string | undefined,
): Promise<{ id: string; channel: Channel } | undefined> {
  if (named === undefined) return undefined;
  const rows = await db
    .selectFrom("providers")
    .select(["id", "channel"])
    .where("tenant_id", "=", tenantId)
    .where("active", "=", true)
    .where(sql<boolean>`(id::text = ${named.toLowerCase()} or name = ${named})`)
    .limit(2)
    .execute();
  const [provider] = rows;
  if (provider !== undefined && rows.length === 1) {
    if (isAddressChannel(provider.channel)) return provider;
    throw invalid("provider", `is of ${provider.channel}, whose provider each device decides`);
  }
  if (rows.length === 0) throw invalid("provider", "is no active provider");
  throw invalid("provider", "names several: give its id");
}

/**
 * Returns the start time, or null to start at once. Throws `InvalidInput` if the tenant's retention is too short for
 * it.
 */
export async function startTime(db: Database, tenantId: string, sendAt: string | undefined) {
  const moment = sendAt === undefined ? undefined : momentOf(sendAt);
  if (moment === undefined || moment.getTime() <= Date.now()) return null;
  const kept = await keptDays(db, tenantId);
  const mostMs = mostRestMs(kept);
  if (moment.getTime() - Date.now() <= mostMs) return moment;
  const bound = `must be at most ${daysWords(daysOfMs(mostMs))} ahead`;
  throw invalid("sendAt", `${bound}: ${restRule(kept)}`);
}

/** Counts the members of all topics together. A user in several topics counts more than once. */
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

/**
 * Stores the users that a broadcast names: its recipients, or the users that it leaves out. It stores them in parts,
 * because one statement for all of them can reach the statement timeout while the database is busy.
 */
async function insertPeople(
  db: Database,
  broadcastId: string,
  users: readonly string[],
  isExcepted: boolean,
): Promise<void> {
  for (const part of chunks(users.toSorted(), PEOPLE_AT_A_TIME)) {
    await sql`
      insert into broadcast_people (broadcast_id, user_id, is_excepted)
      select ${broadcastId}::uuid, u.user_id, ${isExcepted} from unnest(${part}::text[]) u (user_id)`.execute(
      db,
    );
  }
}
