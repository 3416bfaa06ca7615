import { type Kysely, sql } from "kysely";

/**
 * sign_in_tries: how often somebody tried to sign in, by address, by account and by both, within a
 * window: exact over the replicas of the Admin UI. Rows whose window has ended are deleted by the next
 * try, and so are the oldest beyond a bound.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}

const statements = [
  sql`
    create table sign_in_tries (
      key bytea primary key,
      count integer not null,
      ends_at timestamptz not null
    )`,
  sql`comment on column sign_in_tries.key is 'SHA-256 of what is counted: no address and no account stands here'`,
  sql`create index sign_in_tries_by_end on sign_in_tries (ends_at)`,
];
