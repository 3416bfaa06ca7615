import { type Kysely, sql } from "kysely";

/**
 * Earlier events of a user are looked for by user and acceptance. The sweeper goes by ids, so that an
 * accepted event costs no more indexes than before.
 */
export const withoutTransaction = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists undispatched_events_of_user`.execute(db);
  await sql`
    create index concurrently undispatched_events_of_user
    on undispatched_events (user_key, accepted_at)`.execute(db);
  await sql`drop index concurrently if exists undispatched_events_by_age`.execute(db);
}
