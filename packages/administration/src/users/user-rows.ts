import { ADDRESSES } from "@belfry/contracts/addresses";
import { ADDRESS_CHANNELS } from "@belfry/contracts/channels";
import { orNull } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { addressBeginning, formsOfText } from "@belfry/database/search-terms";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { suppressedForm } from "../events/suppression-rows.ts";
import { WHO } from "../search/search-rows.ts";

/** The columns of each field that a tenant stores about a user. */
const SAID = {
  email: ["email"],
  phone: ["phone"],
  chat: ["chat"],
  locale: ["locale"],
  timezone: ["timezone"],
  attributes: ["attributes"],
  quietHours: ["quiet_from", "quiet_to"],
} as const;

/**
 * Inserts or updates users; the list has each user once. Updates only `fields` of existing users. Returns the number of
 * users that were inserted.
 */
export async function storeUsers(
  db: Database,
  tenantId: string,
  users: readonly UserRow[],
  fields: readonly string[] = Object.keys(SAID),
): Promise<number> {
  const column = (name: keyof UserRow) => users.map((user) => user[name]);
  const written = Object.entries(SAID).flatMap(([field, columns]) =>
    fields.includes(field) ? columns : [],
  );
  const changes = written.map((name) => sql`${sql.id(name)} = excluded.${sql.id(name)},`);
  const { rows } = await sql<{ isNew: boolean }>`
    insert into recipients as r (tenant_id, user_id, email, phone, chat, locale, timezone, quiet_from, quiet_to, attributes)
    select ${tenantId}, u.* from unnest(
      ${column("userId")}::text[], ${column("email")}::text[], ${column("phone")}::text[],
      ${column("chat")}::text[], ${column("locale")}::text[], ${column("timezone")}::text[], ${column("quietFrom")}::time[],
      ${column("quietTo")}::time[], ${column("attributes")}::text[]
    ) u (user_id, email, phone, chat, locale, timezone, quiet_from, quiet_to, attributes)
    order by u.user_id collate "C"
    on conflict (tenant_id, user_id) do update set
      ${sql.join(changes, sql` `)}
      created_at = case when r.named then r.created_at else now() end, named = true,
      updated_at = now()
    -- No transaction has locked or changed a row that is new.
    returning r.xmax = 0 as "isNew"`.execute(db);
  return rows.filter(({ isNew }) => isNew).length;
}

export async function findUser(db: Database, tenantId: string, userId: string) {
  return await db
    .selectFrom("recipients")
    .select([
      "user_id as userId",
      "email",
      "phone",
      "chat",
      "locale",
      "timezone",
      "attributes",
      "quiet_from as quietFrom",
      "quiet_to as quietTo",
      "created_at as createdAt",
      "updated_at as updatedAt",
    ])
    .where("tenant_id", "=", tenantId)
    .where("user_id", "=", userId)
    .where("named", "=", true)
    .executeTakeFirst();
}

/**
 * Returns the users with these email addresses in the directory, at most two per address. The addresses are in the form
 * of suppressions.
 */
export async function usersAtAddresses(
  db: Database,
  tenantId: string,
  addresses: readonly string[],
): Promise<Map<string, string[]>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await sql<{ address: string; userId: string }>`
    select a.address, r.user_id as "userId"
    from (select distinct a.address from unnest(${addresses}::text[]) a (address)) a
    cross join lateral (
      select r.user_id from recipients r
      where r.tenant_id = ${tenantId} and r.email is not null
        and lower(r.email collate "C") = a.address collate "C"
      order by r.user_id limit 2) r`.execute(db);
  const users = Map.groupBy(rows, ({ address }) => address);
  return new Map([...users].map(([address, all]) => [address, all.map(({ userId }) => userId)]));
}

/** Returns the ids that belong to users: in the directory, in a topic, or named by an event. */
export async function knownUsers(
  db: Database,
  tenantId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const { rows } = await sql<{ userId: string }>`
    select u.id as "userId" from unnest(${userIds}::text[]) u (id)
    where exists (select from recipients r where r.tenant_id = ${tenantId} and r.user_id = u.id)
      or exists (select from topic_members m where m.tenant_id = ${tenantId} and m.user_id = u.id)
      or exists (select from search_users s where s.tenant_id = ${tenantId} and s.user_id = u.id)`.execute(
    db,
  );
  return new Set(rows.map(({ userId }) => userId));
}

/** A user's stored entry, with the fields of `User` and quiet hours as 22:00:00. */
export type UserRow = Omit<StoredUser, "createdAt" | "updatedAt">;

type StoredUser = NonNullable<Awaited<ReturnType<typeof findUser>>>;

/**
 * Deletes a user's row, with its summary of the user's preferences. Returns 1 if the tenant had stored the user, else
 * 0.
 */
export async function deleteUser(db: Database, tenantId: string, userId: string): Promise<number> {
  const result = await db
    .deleteFrom("recipients")
    .where("tenant_id", "=", tenantId)
    .where("user_id", "=", userId)
    .returning("named")
    .executeTakeFirst();
  return result?.named ? 1 : 0;
}

export const ListedUser = Type.Object({
  userId: Type.String(),
  email: orNull(Type.String({ description: "Address in the directory" })),
  phone: orNull(Type.String({ description: "Number in the directory" })),
  isNamed: Type.Boolean({
    description: "Whether the tenant has stored the user; if false, only events name it",
  }),
  lastEventAt: orNull(
    Type.String({ description: "When its newest event was accepted; null: none is known" }),
  ),
});
type ListedUser = Static<typeof ListedUser>;

/**
 * Returns a page of a tenant's users by id, read from indexes: users in the directory, users who have turned something
 * off, and users that only events name.
 */
export async function pageOfUsers(
  db: Database,
  tenantId: string,
  { after = "", limit }: { after?: string | undefined; limit: number },
): Promise<ListedUser[]> {
  return await usersOf(
    db,
    tenantId,
    sql`
      select u.user_id, false as is_exact from (
        (select r.user_id from recipients r
         where r.tenant_id = ${tenantId} and r.user_id > ${after} order by r.user_id limit ${limit})
        union
        (select s.user_id from search_users s
         where s.tenant_id = ${tenantId} and s.user_id > ${after} order by s.user_id limit ${limit})
      ) u
      order by u.user_id limit ${limit}`,
  );
}

/**
 * Finds by index the users whose id or address in the directory begins with a text, the user with exactly this id
 * first.
 */
export async function usersBeginning(
  db: Database,
  tenantId: string,
  { text, limit }: { text: string; limit: number },
): Promise<ListedUser[]> {
  const forms = formsOfText(text);
  const whom = [
    ...forms.map((form) => WHO.idBeginning(form, limit)),
    WHO.emailBeginning(addressBeginning(text), limit),
  ];
  const found = sql.join(
    whom.map(
      (who) =>
        sql`(select w.user_id from tenants t cross join lateral (${who}) w where t.id = ${tenantId})`,
    ),
    sql` union `,
  );
  return await usersOf(
    db,
    tenantId,
    sql`
      select u.user_id, u.user_id = any (${forms}::text[]) as is_exact from (${found}) u
      order by is_exact desc, u.user_id limit ${limit}`,
  );
}

async function usersOf(
  db: Database,
  tenantId: string,
  listed: ReturnType<typeof sql>,
): Promise<ListedUser[]> {
  const { rows } = await sql<ListedUser>`
    with listed as materialized (${listed})
    select l.user_id as "userId", r.email, r.phone, r.user_id is not null as "isNamed",
           iso_time(last.accepted_at) as "lastEventAt"
    from listed l
    left join lateral (
      select r.user_id, r.email, r.phone from recipients r
      where r.tenant_id = ${tenantId} and r.user_id = l.user_id and r.named limit 1
    ) r on true
    left join lateral (
      select s.hash from search_users s where s.tenant_id = ${tenantId} and s.user_id = l.user_id limit 1
    ) s on true
    left join lateral (
      select e.accepted_at from (
        select t.id as event_id from search_term_events(p_hashes => array[s.hash], p_most => 1) t (id)
        where s.hash is not null
      ) t
      join events e on e.id = t.event_id and e.tenant_id = ${tenantId}
    ) last on true
    order by l.is_exact desc, l.user_id`.execute(db);
  return rows;
}

const ADDRESS_COLUMNS = sql.join(Object.values(ADDRESSES).map(({ column }) => sql.ref(column)));

/**
 * Returns the suppressions of a user's addresses, by channel and address: the addresses in the directory, and those
 * that these events name or were sent to.
 */
export async function suppressionsOfUser(
  db: Database,
  tenantId: string,
  user: Pick<UserRow, "email" | "phone" | "chat"> | undefined,
  eventIds: readonly string[],
) {
  const { rows } = await sql<{ address: string }>`
    select a.address from events e, unnest(array[${ADDRESS_COLUMNS}]) a (address)
    where e.tenant_id = ${tenantId} and e.id = any (${eventIds}::uuid[]) and a.address is not null
    union
    select d.recipient from deliveries d
    where d.tenant_id = ${tenantId} and d.event_id = any (${eventIds}::uuid[]) and d.recipient is not null
    union
    select g.recipient from digest_items i join digests g on g.id = i.digest_id
    where g.tenant_id = ${tenantId} and i.event_id = any (${eventIds}::uuid[]) and g.recipient is not null
  `.execute(db);
  const known = [user?.email, user?.phone, user?.chat].filter((one) => typeof one === "string");
  const addresses = [...rows.map((row) => row.address), ...known].map(suppressedForm);
  if (addresses.length === 0) return [];
  return await db
    .selectFrom("suppressions")
    .select(["channel", "address", "reason", "source", "created_at as createdAt"])
    .where("tenant_id", "=", tenantId)
    .where("channel", "in", ADDRESS_CHANNELS)
    .where("address", "in", [...new Set(addresses)])
    .orderBy("channel")
    .orderBy("address")
    .orderBy("reason")
    .execute();
}
