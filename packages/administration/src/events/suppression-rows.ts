import type { AddressChannel } from "@belfry/contracts/channels";
import type { SuppressionReason } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { beginsWith } from "../search/search-rows.ts";

/** Queries of administration on `suppressions`. */

interface NewSuppression {
  tenantId: string;
  channel: AddressChannel;
  /** In the form that `suppressedForm` returns. */
  addresses: readonly string[];
  reason: SuppressionReason;
  source: string | null;
}

/** Returns the form in which addresses are stored and compared. The SQL that claims deliveries uses the same form. */
export function suppressedForm(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns why a tenant sends nothing to the address, or undefined if it is not suppressed. */
export async function suppressionReason(
  db: Database,
  tenantId: string,
  channel: AddressChannel,
  address: string,
): Promise<SuppressionReason | undefined> {
  const row = await db
    .selectFrom("suppressions")
    .select("reason")
    .where("tenant_id", "=", tenantId)
    .where("channel", "=", channel)
    .where("address", "=", suppressedForm(address))
    .orderBy("reason")
    .limit(1)
    .executeTakeFirst();
  return row?.reason;
}

/**
 * Adds the addresses that are not suppressed yet. An address keeps its first reason, but an opt-out is stored in
 * addition to another reason. Returns how many are new.
 */
export async function insertSuppressions(db: Database, entry: NewSuppression): Promise<number> {
  if (entry.addresses.length === 0) return 0;
  const result = await sql`
    insert into suppressions (tenant_id, channel, address, reason, source)
    select ${entry.tenantId}, ${entry.channel}, a.address, ${entry.reason}, ${entry.source}
    from (select distinct address from unnest(${entry.addresses}::text[]) a (address)) a
    where not exists (
      select from suppressions s
      where s.tenant_id = ${entry.tenantId} and s.channel = ${entry.channel} and s.address = a.address
        and (s.reason = 'opted out') = ${entry.reason === "opted out"}
      -- A subquery of its own, so that each address is looked up in the index. A plain join would compare every pair
      -- while Postgres has no statistics of rows that were inserted just now.
      offset 0
    )
    order by a.address collate "C"
    on conflict do nothing`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/** Deletes addresses with all their reasons. Returns how many of them were suppressed. */
export async function deleteSuppressions(
  db: Database,
  tenantId: string,
  channel: AddressChannel,
  addresses: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with locked as materialized (
      select address from suppressions
      where tenant_id = ${tenantId} and channel = ${channel} and address = any (${addresses}::text[])
      order by address, reason for update
    ),
    gone as (
      delete from suppressions
      where tenant_id = ${tenantId} and channel = ${channel}
        and address = any (array(select address from locked))
      returning address
    )
    select count(distinct address)::integer as count from gone`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Deletes the suppressions of addresses that this kind of provider reported as gone. */
export async function deleteBounces(
  db: Database,
  tenantId: string,
  channel: AddressChannel,
  kind: string,
): Promise<void> {
  await db
    .deleteFrom("suppressions")
    .where("tenant_id", "=", tenantId)
    .where("channel", "=", channel)
    .where("reason", "=", "bounced")
    .where("source", "=", kind)
    .execute();
}

/** The last row of a page, from which the next page continues. */
export interface SuppressionPlace {
  channel: AddressChannel;
  address: string;
  reason: SuppressionReason;
}

/**
 * Returns one page, ordered by channel, address and reason, after the last row of the previous page. If `beginning` is
 * given, only the addresses that begin with this text. Makes one index lookup per channel.
 */
export async function suppressionsOfTenant(
  db: Database,
  tenantId: string,
  page: {
    limit: number;
    channels: readonly AddressChannel[];
    beginning?: string | undefined;
    after?: SuppressionPlace | undefined;
  },
) {
  const { limit, channels, beginning, after } = page;
  const { rows } = await sql<SuppressionPlace & { source: string | null; createdAt: Date }>`
    select s.channel, s.address, s.reason, s.source, s.created_at as "createdAt"
    from unnest(${channels}::text[]) c (channel)
    cross join lateral (
      select s.* from suppressions s
      where s.tenant_id = ${tenantId} and s.channel = c.channel
        ${beginning === undefined ? sql`` : sql`and ${beginsWith(sql`s.address`, suppressedForm(beginning))}`}
        ${
          after === undefined
            ? sql``
            : sql`and (s.channel, s.address, s.reason) > (${after.channel}, ${after.address}, ${after.reason})`
        }
      order by s.channel, s.address, s.reason limit ${limit}
    ) s
    order by s.channel, s.address, s.reason limit ${limit}`.execute(db);
  return rows;
}
