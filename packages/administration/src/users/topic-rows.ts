import { MAX_TOPICS, Topic } from "@belfry/contracts/topics";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { columnsOf } from "../columns.ts";
import { invalid, NotFound, TooLate } from "../input-error.ts";
import { holdTenant } from "../tenants/tenant-rows.ts";

/** Most topics that one step of `leaveTopics` changes. */
const ERASED_TOPICS = 1_000;
const DELETED_MEMBERS = 10_000;

/**
 * Identifies a topic. A change of members first locks the topic's row, so that its counter is exact. Several topics are
 * locked in the order of keys, and the tenant's row, if needed, before them.
 */
interface Place {
  tenantId: string;
  key: string;
}

const COLUMNS = columnsOf(Topic, "t", { members: sql`t.members::integer` });

/** Returns a page of a tenant's topics by key. */
export async function topicsOfTenant(
  db: Database,
  tenantId: string,
  { after = "", limit }: { after?: string | undefined; limit: number },
) {
  const { rows } = await sql<Topic>`
    select ${COLUMNS} from topics t
    where t.tenant_id = ${tenantId} and t.deleted_at is null and t.key > ${after}
    order by t.key limit ${limit}`.execute(db);
  return rows;
}

export async function topicOf(db: Database, { tenantId, key }: Place) {
  const { rows } = await sql<Topic>`
    select ${COLUMNS} from topics t
    where t.tenant_id = ${tenantId} and t.deleted_at is null and t.key = ${key}`.execute(db);
  return rows.at(0);
}

/** Finds a topic. Throws `NotFound`. */
export async function requireTopic(db: Database, place: Place) {
  const topic = await topicOf(db, place);
  if (topic !== undefined) return topic;
  throw new NotFound("key", `no topic has the key ${JSON.stringify(place.key)}`);
}

/** Returns a page of the user ids in a topic, in the order of their bytes. */
export async function membersOfTopic(
  db: Database,
  { tenantId, key }: Place,
  {
    after = "",
    limit,
    beginning = "",
  }: { after?: string | undefined; limit: number; beginning?: string | undefined },
): Promise<string[]> {
  const { rows } = await sql<{ userId: string }>`
    select m.user_id as "userId" from topic_members m
    where m.tenant_id = ${tenantId} and m.topic = ${key} and m.user_id > ${after}
      ${
        beginning === ""
          ? sql``
          : // U+10FFFF sorts last, so the range contains every id with this beginning.
            sql`and m.user_id >= ${beginning} and m.user_id <= ${`${beginning}\u{10ffff}`}
                and starts_with(m.user_id, ${beginning})`
      }
    order by m.user_id limit ${limit}`.execute(db);
  return rows.map(({ userId }) => userId);
}

/**
 * Locks a topic until the transaction ends, and creates it if there is none. Throws `TooLate` while its members are
 * being deleted, `NotFound` for an unknown tenant, `InvalidInput` if the tenant has too many topics.
 */
export async function holdTopic(db: Database, place: Place, field = "key"): Promise<void> {
  if (await heldTopic(db, place)) return;
  const { tenantId, key } = place;
  await holdTenant(db, tenantId);
  // Another transaction may have created the topic while this one waited for the tenant's lock.
  if (await heldTopic(db, place)) return;
  const { count } = await db
    .selectFrom("topics")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow();
  if (count >= MAX_TOPICS)
    throw invalid(field, `is one too many: a tenant has at most ${MAX_TOPICS} topics`);
  await db.insertInto("topics").values({ tenant_id: tenantId, key }).execute();
}

/** Locks a topic. Returns false if there is none. Throws `TooLate` while its members are being deleted. */
export async function heldTopic(db: Database, { tenantId, key }: Place): Promise<boolean> {
  const row = await db
    .selectFrom("topics")
    .select("deleted_at as deletedAt")
    .where("tenant_id", "=", tenantId)
    .where("key", "=", key)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row?.deletedAt) throw new TooLate(`the topic ${key} is being deleted: try again in a moment`);
  return row !== undefined;
}

interface ChangedMembers {
  added: number;
  removed: number;
  /** Number of members after the change. */
  members: number;
}

/** Adds and removes users. The topic must be locked. No user may be in both lists, or in one of them twice. */
export async function changeMembersOf(
  db: Database,
  { tenantId, key }: Place,
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<ChangedMembers> {
  const { rows } = await sql<{ [Name in keyof ChangedMembers]: string }>`
    with added as (
      insert into topic_members (tenant_id, topic, user_id)
      select ${tenantId}, ${key}, u.id from unnest(${add}::text[]) u (id)
      order by u.id collate "C"
      on conflict do nothing returning 1
    ),
    removed as (
      delete from topic_members
      where tenant_id = ${tenantId} and topic = ${key} and user_id = any (${remove}::text[]) returning 1
    ),
    counts as (select (select count(*) from added) as added, (select count(*) from removed) as removed)
    update topics t set members = t.members + c.added - c.removed from counts c
    where t.tenant_id = ${tenantId} and t.key = ${key}
    returning c.added, c.removed, t.members`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("the topic is not held");
  return { added: Number(row.added), removed: Number(row.removed), members: Number(row.members) };
}

/** Removes a user from all topics. Returns the number of these topics. */
export async function leaveTopics(
  db: Database,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<number> {
  for (let total = 0; ; ) {
    const { rows } = await sql<{ key: string }>`
      select t.key from topics t
      where t.tenant_id = ${tenantId} and t.key = any (array(
        select m.topic from topic_members m
        where m.tenant_id = ${tenantId} and m.user_id = ${userId} order by m.topic limit ${ERASED_TOPICS}))
      order by t.key for no key update`.execute(db);
    const keys = rows.map(({ key }) => key);
    const { rows: left } = await sql<{ count: number }>`
      with removed as (
        delete from topic_members
        where tenant_id = ${tenantId} and user_id = ${userId} and topic = any (${keys}::text[]) returning topic
      ),
      counted as (
        update topics t set members = t.members - 1 from removed r
        where t.tenant_id = ${tenantId} and t.key = r.topic
      )
      select count(*)::integer as count from removed`.execute(db);
    total += left[0]?.count ?? 0;
    if (keys.length < ERASED_TOPICS) return total;
  }
}

export async function countTopicsOfUser(
  db: Database,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<number> {
  const { count } = await db
    .selectFrom("topic_members")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("tenant_id", "=", tenantId)
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Deletes up to 10,000 members of a topic. If there are no more, deletes the topic and returns true. Otherwise marks
 * the topic as deleted, so that nobody can use it any more, and returns false. The topic must be locked.
 */
export async function deleteSomeOfTopic(db: Database, { tenantId, key }: Place): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from topic_members m using (
      select user_id from topic_members where tenant_id = ${tenantId} and topic = ${key}
      order by user_id limit ${DELETED_MEMBERS}
    ) gone
    where m.tenant_id = ${tenantId} and m.topic = ${key} and m.user_id = gone.user_id`.execute(db);
  const isEmpty = numAffectedRows < BigInt(DELETED_MEMBERS);
  if (isEmpty) {
    await db
      .deleteFrom("topics")
      .where("tenant_id", "=", tenantId)
      .where("key", "=", key)
      .execute();
  } else {
    await sql`
      update topics set deleted_at = coalesce(deleted_at, now()), members = members - ${numAffectedRows}::bigint
      where tenant_id = ${tenantId} and key = ${key}`.execute(db);
  }
  return isEmpty;
}

/**
 * Continues the deletion of one topic that no other process works on. Returns false if there is none. All replicas may
 * call it.
 */
export async function workTopicDeletion(db: Database): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<Place>`
      select tenant_id as "tenantId", key from topics where deleted_at is not null
      order by deleted_at limit 1 for no key update skip locked`.execute(transaction);
    const [place] = rows;
    if (place === undefined) return false;
    await deleteSomeOfTopic(transaction, place);
    return true;
  });
}
