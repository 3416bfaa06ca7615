import { type Kysely, sql } from "kysely";

/**
 * reconciliations: what was lost or stalled on the way, found in Postgres and sent again: an hour a row,
 * for the system page of the Admin UI.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reconciliations (
      hour timestamptz not null,
      what text not null check (what in ('events', 'deliveries')),
      count bigint not null,
      primary key (hour, what)
    )`.execute(db);
}
