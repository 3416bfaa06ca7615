import assert from "node:assert/strict";
import type { Database } from "@belfry/database/connection";
import { eventually } from "@belfry/testing/eventually";
import { sql } from "kysely";

/** For the tests of this package: a transaction that has done something, and is open until it is told. */
export async function hold(db: Database, work: (transaction: Database) => Promise<unknown>) {
  const [done, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const running = db.transaction().execute(async (transaction) => {
    await work(transaction);
    done.resolve();
    await end.promise;
  });
  await Promise.race([done.promise, running]);
  const commit = async () => {
    end.resolve();
    await running;
  };
  return { commit, [Symbol.asyncDispose]: commit };
}

/** That so many statements wait for another transaction. */
export async function areWaiting(db: Database, count: number): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    assert.equal(rows.length, count);
  });
}
