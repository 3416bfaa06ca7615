import { type Kysely, sql } from "kysely";

/**
 * Events with a sensitive template on one channel and one that is not on another: the sender of that
 * other does not know that the variables have to go when its delivery, the last one, has ended.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table sensitive_events (event_id uuid primary key)`.execute(db);
}
