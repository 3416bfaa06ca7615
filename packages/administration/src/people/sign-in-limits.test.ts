import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase, createPool, type Database } from "@belfry/database/connection";
import { createTestDatabase } from "@belfry/testing/postgres";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { testDatabase } from "../../test/database.ts";
import {
  deleteOldTries,
  forgiveSignIn,
  takeFrom,
  takePasswordChange,
  takeSignIn,
} from "./sign-in-limits.ts";

const ADA = { address: "192.0.2.7", email: "ada@example.com" };

/** So many that were let through. */
async function letThrough(takes: Promise<number>[]): Promise<number> {
  return (await Promise.all(takes)).filter((seconds) => seconds === 0).length;
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

test("of many tries at once, over several replicas, ten for one account from one address are let through, and no more", async (t) => {
  const { url, [Symbol.asyncDispose]: drop } = await createTestDatabase();
  const replicas = times(3, () =>
    createDatabase(createPool({ url, applicationName: "test", maxConnections: 5 })),
  );
  t.after(async () => {
    for (const db of replicas) await db.destroy();
    await drop();
  });
  const [db] = replicas as [Database];
  for (let n = 0; n < 4; n += 1) assert.equal(await takeSignIn(db, ADA), 0);
  const pool = createPool({ url, applicationName: "test" });
  t.after(() => pool.end());
  const holder = await pool.connect();
  await holder.query("begin");
  await holder.query("select from sign_in_tries for update");
  // All of them find six left, and wait for each other.
  const takes = letThrough(times(15, (n) => takeSignIn(replicas[n % 3]!, ADA)));
  await untilBlocked(pool, 15);
  await holder.query("commit");
  holder.release();
  assert.equal(await takes, 6);

  const seconds = await takeSignIn(db, ADA);
  assert.ok(seconds > 14 * 60 && seconds <= 15 * 60, `${seconds} s`);
  assert.equal((await pool.query("select from sign_in_tries")).rows.length, 3);
});

test("an account is guessed at a hundred times from anywhere, an address has fifty tries, then both wait; others do not", async (t) => {
  const db = await testDatabase(t);
  const from = (n: number) => `192.0.${Math.floor(n / 250)}.${(n % 250) + 1}`;
  const guesses = times(120, (n) => takeSignIn(db, { ...ADA, address: from(n) }));
  assert.equal(await letThrough(guesses), 100);
  const address = "2001:db8::1";
  const others = times(60, (n) => takeSignIn(db, { address, email: `${n}@example.com` }));
  assert.equal(await letThrough(others), 50);
  const sameNetwork = { address: "2001:db8::2", email: "new@example.com" };
  assert.notEqual(await takeSignIn(db, sameNetwork), 0, "another address of the same network");
  assert.equal(await takeSignIn(db, { address: "2001:db8:1::1", email: "new@example.com" }), 0);
});

test("a try that is refused counts nowhere: whoever is stopped cannot stop others", async (t) => {
  const db = await testDatabase(t);
  for (let n = 0; n < 40; n += 1) await takeSignIn(db, ADA);
  assert.deepEqual((await countsOf(db)).rows, [10, 10, 10]);
});

test("the right password takes its try back, and forgets the wrong ones before it", async (t) => {
  const db = await testDatabase(t);
  for (let n = 0; n < 9; n += 1) await takeSignIn(db, ADA);
  await takeSignIn(db, ADA);
  await forgiveSignIn(db, ADA);
  assert.deepEqual((await countsOf(db)).rows, [9, 9]);
  assert.equal(await takeSignIn(db, ADA), 0);
});

test("after the window the tries are free again, and what has ended is deleted", async (t) => {
  const db = await testDatabase(t);
  for (let n = 0; n < 11; n += 1) await takeSignIn(db, ADA);
  await db.updateTable("sign_in_tries").set({ ends_at: new Date() }).execute();
  assert.equal(await takeSignIn(db, ADA), 0);
  assert.deepEqual((await countsOf(db)).rows, [1, 1, 1]);
  await db.updateTable("sign_in_tries").set({ ends_at: new Date() }).execute();
  await takeFrom(db, "join", "192.0.2.8");
  assert.deepEqual((await countsOf(db)).rows, [1], "only the new one is left");
});

test("the rows are bounded: beyond it the oldest are forgotten", async (t) => {
  const db = await testDatabase(t);
  for (let n = 0; n < 20; n += 1) await takeFrom(db, "join", `192.0.2.${n}`);
  await deleteOldTries(db, 5);
  const { rows, ends } = await countsOf(db);
  assert.equal(rows.length, 5);
  await takeFrom(db, "join", "192.0.2.200");
  assert.ok(ends.every((end) => end > Date.now() + 14 * 60_000));
  for (let n = 15; n < 20; n += 1) {
    for (let more = 0; more < 49; more += 1) await takeFrom(db, "join", `192.0.2.${n}`);
    assert.notEqual(await takeFrom(db, "join", `192.0.2.${n}`), 0, "the newest are still counted");
  }
});

test("links that invite, and the password that is asked before it is changed, are bounded too", async (t) => {
  const db = await testDatabase(t);
  assert.equal(await letThrough(times(60, () => takeFrom(db, "join", "192.0.2.7"))), 50);
  assert.equal(await takeFrom(db, "join", "192.0.2.8"), 0);
  assert.equal(await letThrough(times(20, () => takePasswordChange(db, "a person"))), 10);
  assert.equal(await takePasswordChange(db, "another"), 0);
});

async function countsOf(db: Database): Promise<{ rows: number[]; ends: number[] }> {
  const rows = await db.selectFrom("sign_in_tries").select(["count", "ends_at"]).execute();
  return { rows: rows.map(({ count }) => count), ends: rows.map((row) => row.ends_at.getTime()) };
}
