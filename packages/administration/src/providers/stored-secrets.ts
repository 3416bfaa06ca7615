import type { Database } from "@belfry/database/connection";
import {
  providerSettingsOwner,
  searchKeyOwner,
  webhookOwner,
  webhookSecretOwner,
} from "@belfry/database/secret-owners";
import { sql } from "kysely";

/** A column of secrets at rest; its comment in the database says `compact JWE`. */
export interface SecretColumn {
  table: string;
  column: string;
  /** The primary key is `id`, of this type. */
  idType: "text" | "uuid";
  /** The column with the tenant's id. */
  tenantColumn: string;
  /** As who encrypted it said. */
  ownerOf(tenantId: string, id: string): string;
}

/** All of them, as data: what encrypts into a new column adds a row. */
export const SECRET_COLUMNS: readonly SecretColumn[] = [
  {
    table: "tenants",
    column: "webhook_secret",
    idType: "text",
    tenantColumn: "id",
    ownerOf: webhookSecretOwner,
  },
  {
    table: "tenants",
    column: "previous_webhook_secret",
    idType: "text",
    tenantColumn: "id",
    ownerOf: webhookSecretOwner,
  },
  {
    table: "providers",
    column: "settings",
    idType: "uuid",
    tenantColumn: "tenant_id",
    ownerOf: providerSettingsOwner,
  },
  {
    table: "webhooks",
    column: "secret",
    idType: "uuid",
    tenantColumn: "tenant_id",
    ownerOf: webhookOwner,
  },
  {
    table: "webhooks",
    column: "previous_secret",
    idType: "uuid",
    tenantColumn: "tenant_id",
    ownerOf: webhookOwner,
  },
  {
    table: "search_key",
    column: "secret",
    idType: "text",
    tenantColumn: "id",
    ownerOf: searchKeyOwner,
  },
];

export interface StoredSecret {
  id: string;
  tenantId: string;
  ciphertext: string;
}

/** The next secrets of a column, by id; `after` is the id of the last one seen. */
export async function readSecrets(
  db: Database,
  { table, column, tenantColumn }: SecretColumn,
  page: { after: string | undefined; most: number },
): Promise<StoredSecret[]> {
  const { rows } = await sql<StoredSecret>`
    select id::text as id, ${sql.ref(tenantColumn)} as "tenantId", ${sql.ref(column)} as ciphertext
    from ${sql.table(table)}
    where ${sql.ref(column)} is not null
      and ${page.after === undefined ? sql`true` : sql`id > ${page.after}`}
    order by ${sql.table(table)}.id limit ${page.most}`.execute(db);
  return rows;
}

export interface SecretSwap {
  id: string;
  from: string;
  to: string;
}

/**
 * Puts `to` where `from` still stands, and returns the ids where it did. A row that somebody has
 * changed, or holds at this moment, stays as it is: nobody waits for anybody.
 */
export async function swapSecrets(
  db: Database,
  { table, column, idType }: SecretColumn,
  swaps: readonly SecretSwap[],
): Promise<Set<string>> {
  const name = sql.ref(column);
  const ids = sql`${swaps.map(({ id }) => id)}::${sql.raw(idType)}[]`;
  const { rows } = await sql<{ id: string }>`
    with swap as materialized (
      select * from unnest(${ids}, ${swaps.map(({ from }) => from)}::text[],
        ${swaps.map(({ to }) => to)}::text[]) s (id, before, after)
    ),
    free as materialized (
      select id from ${sql.table(table)} where id = any (${ids})
      order by id for no key update skip locked
    )
    update ${sql.table(table)} t set ${name} = swap.after
    from swap, free
    where t.id = any (${ids}) and t.id = swap.id and t.id = free.id and t.${name} = swap.before
    returning t.id::text as id`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
