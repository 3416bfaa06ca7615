import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import type { Database } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { sql } from "kysely";
import { type Audited, audited } from "../src/audited.ts";
import { InvalidInput } from "../src/input-error.ts";
import { createTenant } from "../src/tenants/tenants.ts";

/** The keys that encrypt the secrets of this package's tests. */
export const TEST_KEYS = parseSecretKeys(`t1:${randomBytes(32).toString("base64")}`);

export async function testDatabase(t: Cleanup): Promise<Database> {
  return (await connectedDatabase(t)).db;
}

/** Creates a database with one tenant. `audited` makes changes in the name of a test person. */
export async function tenantDatabase(t: Cleanup, options: { maxConnections?: number } = {}) {
  const connected = await connectedDatabase(t, options);
  const { db } = connected;
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const nobody = { personId: null, person: "a test", address: "127.0.0.1" };
  const byNobody: Audited = (change, note) => audited(db, nobody, change, note);
  return { ...connected, tenantId, audited: byNobody };
}

/** Runs `work` in a transaction that stays open until `commit` is called. */
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

/** Resolves when exactly this many statements wait for a lock of another transaction. */
export async function areWaiting(db: Database, count: number): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    assert.equal(rows.length, count);
  });
}

/** Returns the error with which an input is refused. Fails if it is not refused. */
export async function refusal(work: Promise<unknown>, what = "it"): Promise<InvalidInput> {
  const error = await work.then(
    () => assert.fail(`${what} was not refused`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof InvalidInput, `${what}: ${error}`);
  return error;
}

export async function refusedWith(work: Promise<unknown>, words: RegExp): Promise<void> {
  assert.match((await refusal(work)).message, words);
}

/** Asserts that the call refuses each input with these words. A failure names the input. */
export async function refusesEach<Input>(
  call: (input: Input) => Promise<unknown>,
  cases: readonly (readonly [input: Input, words: RegExp])[],
): Promise<void> {
  for (const [input, words] of cases) {
    const what = inspect(input, { breakLength: Infinity, maxStringLength: 60, maxArrayLength: 5 });
    const { message } = await refusal(call(input), what);
    assert.ok(words.test(message), `${what} is to be refused with ${words}, not "${message}"`);
  }
}
