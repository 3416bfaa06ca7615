import { ADDRESSES } from "@belfry/contracts/addresses";
import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { suppressedForm } from "../events/suppression-rows.ts";
import type { UserRow } from "./user-rows.ts";

const ADDRESS_COLUMNS = sql.join(Object.values(ADDRESSES).map(({ column }) => sql.ref(column)));

/**
 * Which of a person's addresses nothing is sent to, by channel and address: those that the directory has, and those
 * of these events, as they name them and as they were sent to.
 */
export async function suppressionsOfUser(
  db: Database,
  tenantId: string,
  user: Pick<UserRow, "email" | "phone"> | undefined,
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
  const known = [user?.email, user?.phone].filter((one) => typeof one === "string");
  const addresses = [...rows.map((row) => row.address), ...known].map(suppressedForm);
  if (addresses.length === 0) return [];
  return await db
    .selectFrom("suppressions")
    .select(["channel", "address", "reason", "source", "created_at as createdAt"])
    .where("tenant_id", "=", tenantId)
    .where("channel", "in", PROVIDER_CHANNELS)
    .where("address", "in", [...new Set(addresses)])
    .orderBy("channel")
    .orderBy("address")
    .orderBy("reason")
    .execute();
}
