import {
  type PreferenceChange,
  type PreferenceChannel,
  type PreferenceFault,
  type PreferenceSource,
  preferenceFaults,
} from "@belfry/contracts/preferences";
import { sql } from "kysely";
import { noteUse } from "./configuration-version.ts";
import { type Database, inTransaction } from "./connection.ts";
import type { Owner } from "./notifications.ts";

/** A cell that a user has said something of. */
export interface Preference {
  /** A category's key, or *. */
  category: string;
  channel: PreferenceChannel;
  enabled: boolean;
  source: PreferenceSource;
  at: Date;
}

/** Texts are by language; "" is the default. */
export interface Category {
  key: string;
  label: Record<string, string>;
  description: Record<string, string>;
  /** Sent whatever is turned off. */
  required: boolean;
  /** false: sent only to users who have turned it on. */
  defaultOn: boolean;
  position: number;
}

export async function preferencesOfUser(db: Database, owner: Owner): Promise<Preference[]> {
  return await db
    .selectFrom("preferences")
    .select(["category", "channel", "enabled", "source", "at"])
    .where("tenant_id", "=", owner.tenantId)
    .where("user_id", "=", owner.userId)
    .orderBy("category")
    .orderBy("channel")
    .execute();
}

/** All of a tenant, in their order. */
export async function categoriesOfTenant(db: Database, tenantId: string): Promise<Category[]> {
  return await db
    .selectFrom("categories")
    .select(["key", "label", "description", "required", "default_on as defaultOn", "position"])
    .where("tenant_id", "=", tenantId)
    .orderBy("position")
    .orderBy("key")
    .execute();
}

/**
 * Writes cells of one user, in force for every event that is dispatched from now on; of several of one cell the
 * last counts. A cell that says so already keeps its source and its time. Returns how many say something else
 * than before. The tenant must be there. Within a caller's transaction it joins that one.
 */
export async function setPreferences(
  db: Database,
  { tenantId, userId }: Owner,
  source: PreferenceSource,
  changes: readonly PreferenceChange[],
): Promise<number> {
  const byCell = new Map(changes.map((change) => [`${change.category}/${change.channel}`, change]));
  if (byCell.size === 0) return 0;
  const cells = [...byCell.values()];
  const wanted = sql`
    select * from unnest(${cells.map((cell) => cell.category)}::text[],
      ${cells.map((cell) => cell.channel)}::text[], ${cells.map((cell) => cell.enabled)}::boolean[]
    ) w (category, channel, enabled)`;
  await notePreferenceChange(db, tenantId);
  return await noteUse(db, tenantId, "uses_preferences", async (transaction) => {
    await holdUsers(transaction, tenantId, [userId]);
    const { rows } = await sql<{ changed: number }>`
      with wanted as materialized (${wanted}),
      forgotten as (
        delete from preferences p using wanted w
        where p.tenant_id = ${tenantId} and p.user_id = ${userId}
          and p.category = w.category and p.channel = w.channel and w.enabled is null
        returning 1
      ),
      written as (
        insert into preferences as p (tenant_id, user_id, category, channel, enabled, source)
        select ${tenantId}, ${userId}, w.category, w.channel, w.enabled, ${source}
        from wanted w where w.enabled is not null
        order by w.category collate "C", w.channel collate "C"
        on conflict (tenant_id, user_id, category, channel) do update
        set enabled = excluded.enabled, source = excluded.source, at = excluded.at
        where p.enabled <> excluded.enabled
        returning 1
      )
      select (select count(*) from forgotten)::integer + (select count(*) from written)::integer
        as changed`.execute(transaction);
    if (rows[0]!.changed > 0)
      await tellPreferences(transaction, tenantId, source, [{ userId, cells }]);
    return rows[0]!.changed;
  });
}

/** Tells the tenant's endpoints what each of these users has changed, in the transaction of the change. */
export async function tellPreferences(
  transaction: Database,
  tenantId: string,
  source: PreferenceSource,
  users: readonly { userId: string; cells: readonly PreferenceChange[] }[],
): Promise<void> {
  const cells = users.map((user) =>
    JSON.stringify(
      user.cells.map(({ category, channel, enabled }) => ({ category, channel, enabled })),
    ),
  );
  await sql`select tell_preferences(${tenantId}, ${source},
    ${users.map(({ userId }) => userId)}::text[], ${cells}::json[])`.execute(transaction);
}

/** Everything that a user has said; returns how many cells. Within a caller's transaction it joins that one. */
export async function deletePreferencesOfUser(db: Database, owner: Owner): Promise<number> {
  const remove = async (transaction: Database) => {
    await holdUsers(transaction, owner.tenantId, [owner.userId]);
    const result = await transaction
      .deleteFrom("preferences")
      .where("tenant_id", "=", owner.tenantId)
      .where("user_id", "=", owner.userId)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  };
  return await inTransaction(db, remove);
}

/**
 * Notes that a user of the tenant is about to change a preference, so that claims of events accepted up to a minute
 * after it ask for preferences again. Call it before the transaction of the change: within it the tenant's row stays
 * locked, and changes of other users wait. Most calls write nothing, as one note stands for a second.
 */
export async function notePreferenceChange(db: Database, tenantId: string): Promise<void> {
  await sql`
    update tenants set preferences_changed_at = clock_timestamp()
    where id = ${tenantId} and coalesce(preferences_changed_at < clock_timestamp() - interval '1 second', true)
  `.execute(db);
}

/**
 * Holds the rows of users until the transaction ends: before anything is written of what they say, by whoever writes
 * it, so that two writers never wait for each other. A user without a row gets one that no directory shows.
 */
export async function holdUsers(
  transaction: Database,
  tenantId: string,
  userIds: readonly string[],
): Promise<void> {
  const users = sql`(
    select distinct u.user_id collate "C" as user_id from unnest(${userIds}::text[]) u (user_id) order by user_id
  ) u`;
  await sql`
    insert into recipients (tenant_id, user_id, named) select ${tenantId}, u.user_id, false from ${users}
    on conflict (tenant_id, user_id) do nothing`.execute(transaction);
  // Another statement: it sees what the first has waited for. One look into the index a user: Postgres has no
  // statistics of rows that were inserted just now, and a join with them would compare all with all.
  await sql`
    select from ${users} cross join lateral (
      select from recipients r where r.tenant_id = ${tenantId} and r.user_id = u.user_id for update
    ) held`.execute(transaction);
}

/** A user's preferences and the tenant's categories, in the form of every API. */
export interface ShownPreferences {
  /** `at`: ISO 8601, UTC. */
  preferences: (Omit<Preference, "at"> & { at: string })[];
  /** In the tenant's order. */
  categories: Omit<Category, "position">[];
}

export async function shownPreferences(db: Database, owner: Owner): Promise<ShownPreferences> {
  const categories = await categoriesOfTenant(db, owner.tenantId);
  const preferences = await preferencesOfUser(db, owner);
  return {
    preferences: preferences.map((row) => ({ ...row, at: row.at.toISOString() })),
    categories: categories.map(({ position: _, ...category }) => category),
  };
}

/** Returns an upper bound for the bytes of a tenant's category texts as JSON. */
export async function categoryTextBytes(db: Database, tenantId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom("categories")
    .select(
      sql<number>`coalesce(sum(octet_length(label::text) + octet_length(description::text)), 0)::integer`.as(
        "bytes",
      ),
    )
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow();
  return bytes;
}

/** `at`: the place of the change, from 0. */
type ChangeFault = PreferenceFault & { at: number };

/**
 * Writes what a user says, of categories and channels that there are: all of it, or nothing where there is a
 * fault. `changed`: how many cells say something else than before. The tenant must be there. Within a caller's
 * transaction it joins that one.
 */
export async function changePreferencesOfUser(
  db: Database,
  owner: Owner,
  source: PreferenceSource,
  changes: readonly PreferenceChange[],
): Promise<{ faults: ChangeFault[]; changed: number }> {
  const known = await categoriesOfTenant(db, owner.tenantId);
  const categories = new Map(known.map((category) => [category.key, category]));
  const faults = changes.flatMap((change, at) =>
    preferenceFaults(change, categories).map((fault) => ({ at, ...fault })),
  );
  if (faults.length > 0) return { faults, changed: 0 };
  return { faults, changed: await setPreferences(db, owner, source, changes) };
}
