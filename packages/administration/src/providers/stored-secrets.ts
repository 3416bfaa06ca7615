import type { Database } from "@belfry/database/connection";
import {
  deviceOwner,
  providerSettingsOwner,
  searchKeyOwner,
  totpOwner,
  webhookOwner,
  webhookSecretOwner,
} from "@belfry/database/secrets";
import { sql } from "kysely";

/** A column with encrypted secrets. Its comment in the database contains `compact JWE`. */
export interface SecretColumn {
  table: string;
  column: string;
  /** The type of the primary key. */
  idType: "text" | "uuid";
  /** The primary key. Default: `id`. */
  idColumn?: string;
  /** The column with the id of the tenant or person that the secret belongs to. */
  holderColumn: string;
  /** Returns the owner for which the secret was encrypted. It decrypts only for the same owner. */
  ownerOf(holderId: string, id: string): string;
}

const OWN_ID = { idType: "text", holderColumn: "id" } as const;
const OF_TENANT = { idType: "uuid", holderColumn: "tenant_id" } as const;
const OF_PERSON = { idType: "uuid", idColumn: "person_id", holderColumn: "person_id" } as const;

/** All columns with secrets. Add new ones here. */
export const SECRET_COLUMNS: readonly SecretColumn[] = [
  { table: "tenants", column: "webhook_secret", ...OWN_ID, ownerOf: webhookSecretOwner },
  { table: "tenants", column: "previous_webhook_secret", ...OWN_ID, ownerOf: webhookSecretOwner },
  { table: "providers", column: "settings", ...OF_TENANT, ownerOf: providerSettingsOwner },
  { table: "webhooks", column: "secret", ...OF_TENANT, ownerOf: webhookOwner },
  { table: "webhooks", column: "previous_secret", ...OF_TENANT, ownerOf: webhookOwner },
  { table: "devices", column: "token", ...OF_TENANT, ownerOf: deviceOwner },
  { table: "search_key", column: "secret", ...OWN_ID, ownerOf: searchKeyOwner },
  { table: "person_totp", column: "secret", ...OF_PERSON, ownerOf: totpOwner },
];

export interface StoredSecret {
  id: string;
  holderId: string;
  ciphertext: string;
}

/** Returns the next page of a column's secrets, in the order of id. `after`: the last id of the previous page. */
export async function readSecrets(
  db: Database,
  { table, column, holderColumn, idColumn = "id" }: SecretColumn,
  page: { after: string | undefined; most: number },
): Promise<StoredSecret[]> {
  const id = sql.ref(`${table}.${idColumn}`);
  const { rows } = await sql<StoredSecret>`
    select ${id}::text as id, ${sql.ref(holderColumn)} as "holderId", ${sql.ref(column)} as ciphertext
    from ${sql.table(table)}
    where ${sql.ref(column)} is not null
      and ${page.after === undefined ? sql`true` : sql`${id} > ${page.after}`}
    order by ${id} limit ${page.most}`.execute(db);
  return rows;
}

export interface SecretSwap {
  id: string;
  from: string;
  to: string;
}

/**
 * Replaces `from` by `to` in each row that still contains `from`, and returns the ids of these rows. Skips rows that
 * are locked, so that nobody waits.
 */
export async function swapSecrets(
  db: Database,
  { table, column, idType, idColumn = "id" }: SecretColumn,
  swaps: readonly SecretSwap[],
): Promise<Set<string>> {
  const name = sql.ref(column);
  const id = sql.ref(idColumn);
  const ids = sql`${swaps.map(({ id }) => id)}::${sql.raw(idType)}[]`;
  const { rows } = await sql<{ id: string }>`
    with swap as materialized (
      select * from unnest(${ids}, ${swaps.map(({ from }) => from)}::text[],
        ${swaps.map(({ to }) => to)}::text[]) s (id, before, after)
    ),
    free as materialized (
      select ${id} as id from ${sql.table(table)} where ${id} = any (${ids})
      order by 1 for no key update skip locked
    )
    update ${sql.table(table)} t set ${name} = swap.after
    from swap, free
    where t.${id} = any (${ids}) and t.${id} = swap.id and t.${id} = free.id and t.${name} = swap.before
    returning t.${id}::text as id`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
