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

/** A user's choice for a cell: a category and a channel. */
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
  /** The category is always sent, even if the user has turned it off. */
  required: boolean;
  /** If false, the category is only sent to users who have turned it on. */
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

/** Returns all categories of a tenant, in the tenant's order. */
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
 * Writes cells of one user, for every event that is dispatched from now on. If a cell occurs several times, the last
 * one counts. A cell that already has its value keeps its source and time. Returns how many cells changed. The tenant
 * must exist. If `db` is a transaction, the change runs in it.
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

/** Writes webhook messages about what each of these users has changed, in the transaction of the change. */
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

/** Deletes all preferences of a user; returns how many cells. If `db` is a transaction, it runs in that one. */
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
 * later read the preferences again. Call it before the transaction of the change: inside, the tenant's row would stay
 * locked, and changes of other users would wait. Most calls write nothing, because one note per second is enough.
 */
export async function notePreferenceChange(db: Database, tenantId: string): Promise<void> {
  await sql`
    update tenants set preferences_changed_at = clock_timestamp()
    where id = ${tenantId} and coalesce(preferences_changed_at < clock_timestamp() - interval '1 second', true)
  `.execute(db);
}

/**
 * Locks the rows of users until the transaction ends. Every writer calls it before it writes anything about what users
 * chose, so that two writers never deadlock. A user without a row gets one that the directory does not show.
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
  // A separate statement, so that it sees what the first has waited for. It makes one index look-up per user: Postgres
  // has no statistics of rows that were just inserted, and a join with them would compare all with all.
  await sql`
    select from ${users} cross join lateral (
      select from recipients r where r.tenant_id = ${tenantId} and r.user_id = u.user_id for update
    ) held`.execute(transaction);
}

/** A user's preferences and the tenant's categories, as every API returns them. */
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

/** `at` is the index of the change, from 0. */
type ChangeFault = PreferenceFault & { at: number };

/**
 * Writes a user's choices for known categories and channels: all of them, or nothing if there is a fault. `changed` is
 * the number of cells that changed. The tenant must exist. If `db` is a transaction, the change runs in it.
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
