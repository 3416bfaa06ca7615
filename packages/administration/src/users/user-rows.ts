import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Queries on `recipients`: whom a tenant notifies, where it names them (`named`). */

/** Stores them, or writes them anew; each user once. */
export async function storeUsers(db: Database, tenantId: string, users: readonly UserRow[]) {
  const column = (name: keyof UserRow) => users.map((user) => user[name]);
  await sql`
    insert into recipients as r (tenant_id, user_id, email, phone, locale, timezone, quiet_from, quiet_to)
    select ${tenantId}, u.* from unnest(
      ${column("userId")}::text[], ${column("email")}::text[], ${column("phone")}::text[],
      ${column("locale")}::text[], ${column("timezone")}::text[], ${column("quietFrom")}::time[],
      ${column("quietTo")}::time[]
    ) u (user_id, email, phone, locale, timezone, quiet_from, quiet_to)
    order by u.user_id collate "C"
    on conflict (tenant_id, user_id) do update set
      email = excluded.email, phone = excluded.phone, locale = excluded.locale,
      timezone = excluded.timezone, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
      created_at = case when r.named then r.created_at else now() end, named = true,
      updated_at = now()`.execute(db);
}

export async function findUser(db: Database, tenantId: string, userId: string) {
  return await db
    .selectFrom("recipients")
    .select([
      "user_id as userId",
      "email",
      "phone",
      "locale",
      "timezone",
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

/** What is stored of a user, as `User` has it; quiet hours as 22:00:00. */
export type UserRow = Omit<StoredUser, "createdAt" | "updatedAt">;

export type StoredUser = NonNullable<Awaited<ReturnType<typeof findUser>>>;

/** With what the user has said in short. Returns how many the tenant had named: 0 or 1. */
export async function deleteUser(db: Database, tenantId: string, userId: string): Promise<number> {
  const result = await db
    .deleteFrom("recipients")
    .where("tenant_id", "=", tenantId)
    .where("user_id", "=", userId)
    .returning("named")
    .executeTakeFirst();
  return result?.named ? 1 : 0;
}
