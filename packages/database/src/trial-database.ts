import type pg from "pg";

/** Said by whatever meets such a database; nothing in it is changed. */
export const TRIAL_DATABASE =
  "this database was made by a trial of Belfry from before its first release, and is not migrated: use an empty database, or drop this one when you need nothing of it";

/** Whether it has the migrations of before the squash: since then `applied_functions` comes first. */
export async function isTrialDatabase(client: Pick<pg.ClientBase, "query">): Promise<boolean> {
  const { rows } = await client.query<{ trial: boolean }>(
    `select to_regclass('kysely_migration') is not null
        and to_regclass('applied_functions') is null as trial`,
  );
  return rows[0]?.trial === true;
}
