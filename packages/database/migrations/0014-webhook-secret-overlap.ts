import { type Kysely, sql } from "kysely";

/** The webhook secret before the last rotation, which goes on to be taken until a time: machines change one by one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tenants
      add column previous_webhook_secret text,
      add column previous_webhook_secret_until timestamptz,
      add check ((previous_webhook_secret is null) = (previous_webhook_secret_until is null))`.execute(
    db,
  );
  await sql`comment on column tenants.previous_webhook_secret is 'compact JWE'`.execute(db);
}
