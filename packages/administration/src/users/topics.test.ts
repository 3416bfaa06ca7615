import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import type { Cleanup } from "@belfry/testing/cleanup";
import { databaseOver } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";
import { actsIn, programIn } from "../../test/acts.ts";
import { hold, refusesEach, tenantDatabase } from "../../test/database.ts";
import { eraseUser } from "../erasure/erase-user.ts";
import { openErasure } from "../erasure/erasures.ts";
import { NotFound, TooLate } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import {
  changeMembersOf,
  leaveTopics,
  membersOfTopic,
  topicsOfTenant,
  workTopicDeletion,
} from "./topic-rows.ts";
import { changeMembers, deleteTopic, listMembers, listTopics } from "./topics.ts";

async function world(t: Cleanup) {
  const { db, pool, tenantId } = await tenantDatabase(t, { maxConnections: 12 });
  const run = programIn(db, tenantId);
  const change = (key: string, add: string[], remove: string[] = []) =>
    run(changeMembers, { key, add, remove }).then(({ members }) => members);
  /** Returns the counter and the number of rows. */
  const counted = async (key: string) => {
    const rows =
      await pool.sql`select (select members::integer from topics where tenant_id = ${tenantId} and key = ${key}) as told,
      (select count(*)::integer from topic_members where tenant_id = ${tenantId} and topic = ${key}) as there`;
    return rows[0] as { told: number | null; there: number };
  };
  /** Stores many members without the calls. */
  const fill = async (key: string, count: number) => {
    await change(key, ["zz-last"]);
    await pool.sql`insert into topic_members
      select ${tenantId}, ${key}, 'user-' || lpad(n::text, 7, '0')
      from generate_series(1, ${count}::integer) n`;
    await pool.sql`update topics set members = members + ${count}
      where tenant_id = ${tenantId} and key = ${key}`;
    await pool.query("vacuum analyze topic_members");
  };
  return { db, pool, tenantId, run, change, counted, fill };
}

test("users are added and removed together; a repeated call changes nothing; the first one added makes the topic", async (t) => {
  const { run, change, counted } = await world(t);
  assert.equal(await change("news", [], ["a"]), 0);
  assert.deepEqual((await run(listTopics, {})).items, []);
  assert.equal(await change("news", ["b", "a", "a", "ä", "Z"]), 4);
  assert.equal(await change("news", ["b", "a", "ä", "Z"]), 4);
  assert.equal(await change("news", ["c"], ["a", "nobody", "nobody"]), 4);
  assert.equal(await change("news", ["c"], ["a"]), 4);
  assert.deepEqual(await counted("news"), { told: 4, there: 4 });
  const [topic, ...others] = (await run(listTopics, {})).items;
  assert.deepEqual([topic?.key, topic?.members, others], ["news", 4, []]);
  // In the order of bytes, whatever the language of the server.
  assert.deepEqual((await run(listMembers, { key: "news" })).items, ["Z", "b", "c", "ä"]);
});

test("what is refused changes nothing: a user in both lists, more than 1,000 together, a bad key, a bad user id", async (t) => {
  const { run, change, tenantId, db } = await world(t);
  await change("news", ["a"]);
  const changeBy = (input: object) => run(changeMembers, { key: "news", ...input } as never);
  const many = (count: number) => Array.from({ length: count }, (_, n) => `u-${n}`);
  const keys = ["", ".x", "a b", "x".repeat(65), "ä"];
  await refusesEach(changeBy, [
    [{ add: ["b", "c"], remove: ["c"] }, /^remove has a user that add has, too: "c"$/],
    [{ add: many(600), remove: ["x", ...many(400)] }, /^add and remove must have at most 1000/],
    [{ add: many(1001) }, /^add must have at most 1000 items$/],
    [{ add: ["b", ""] }, /^add has a bad item, \[1\]: it should not be empty$/],
    [{ add: ["a\u0000"] }, /^add has a bad item, \[0\]: it must not contain control characters$/],
    [{ add: "b" }, /^add must be an array of user ids$/],
    ...keys.map((key) => [{ key, add: ["b"] }, /^key must be 1 to 64 of A-Z/] as const),
  ]);
  assert.deepEqual((await run(listMembers, { key: "news" })).items, ["a"]);
  await db
    .insertInto("topics")
    .values(Array.from({ length: 9_999 }, (_, n) => ({ tenant_id: tenantId, key: `t-${n}` })))
    .execute();
  const full = /^key is one too many: a tenant has at most 10000 topics/;
  await refusesEach(changeBy, [[{ key: "more", add: ["b"] }, full]]);
});

test("the counter is exact whoever changes members at the same moment: calls, removals, erasures", async (t) => {
  const { db, tenantId, change, counted } = await world(t);
  const users = Array.from({ length: 40 }, (_, n) => `user-${n}`);
  const topics = ["one", "two"];
  const work: Promise<unknown>[] = [];
  for (let round = 0; round < 6; round += 1) {
    for (const key of topics) {
      work.push(change(key, users.slice(0, 30), users.slice(35)), change(key, users.slice(20)));
    }
    work.push(leaveTopics(db, { tenantId, userId: users[round]! }));
    work.push(openErasure(db, { tenantId, userId: users[round + 20]! }));
  }
  await Promise.all(work);
  for (const key of topics) {
    const { told, there } = await counted(key);
    assert.equal(told, there, key);
    assert.ok(there > 20, `${there}`);
  }
});

test("two calls that make the same topic make it once", async (t) => {
  const { db, tenantId, change, counted } = await world(t);
  await using held = await hold(db, async (transaction) => {
    await actsIn(transaction, tenantId);
    await transaction.selectFrom("tenants").select("id").forUpdate().execute();
  });
  const both = [change("news", ["a", "b"]), change("news", ["b", "c"])];
  await held.commit();
  assert.deepEqual((await Promise.all(both)).includes(3), true);
  assert.deepEqual(await counted("news"), { told: 3, there: 3 });
});

test("an erased user is in no topic any more, at once, and of no other tenant's topics anybody leaves", async (t) => {
  const { db, tenantId, change, counted } = await world(t);
  const { id: other } = await createTenant(db, { name: "Other" });
  for (const key of ["one", "two"]) await change(key, ["ada", "bob"]);
  await actsIn(db, other)(changeMembers, { key: "one", add: ["ada"] });
  const actor = { personId: null, person: "a test", address: "" };
  const disconnect = async () => undefined;
  const erase = (dryRun: boolean) =>
    eraseUser(db, { tenantId, userId: "ada", dryRun }, { actor, disconnect });
  assert.equal((await erase(true)).deleted.topics, 2);
  assert.deepEqual(await counted("one"), { told: 2, there: 2 });
  await openErasure(db, { tenantId, userId: "ada" });
  assert.deepEqual(await counted("one"), { told: 1, there: 1 });
  assert.equal((await erase(false)).deleted.topics, 0);
  await change("two", ["ada"]);
  assert.equal((await erase(false)).deleted.topics, 1);
  assert.deepEqual(await counted("two"), { told: 1, there: 1 });
  const place = { tenantId: other, key: "one" };
  assert.deepEqual(await membersOfTopic(db, place, { limit: 10 }), ["ada"]);
});

test("a page, a search and an erasure read a few rows of a topic, however many it has", async (t) => {
  const { db, pool, tenantId, run, fill, change } = await world(t);
  await fill("big", 30_000);
  await change("small", ["user-0000007"]);
  await pool.query("vacuum analyze");
  const place = { tenantId, key: "big" };
  const reads = (most: number, work: (over: Database) => Promise<unknown>) =>
    readsAtMost(pool, most, ["topic_members", "topics"], (client) => work(databaseOver(client)));
  await reads(120, async (over) => {
    const page = { limit: 100, after: "user-0020000" };
    assert.equal((await membersOfTopic(over, place, page)).length, 100);
  });
  await reads(20, (over) => membersOfTopic(over, place, { limit: 5, beginning: "user-002" }));
  await reads(20, (over) => topicsOfTenant(over, tenantId, { limit: 5 }));
  await reads(20, (over) => leaveTopics(over, { tenantId, userId: "user-0000007" }));
  await reads(30, (over) => changeMembersOf(over, place, { add: ["a"], remove: ["user-0000008"] }));
  const page = await run(listMembers, { key: "big", limit: 2, after: "user-0020000" });
  assert.deepEqual(page, { items: ["user-0020001", "user-0020002"], next: "user-0020002" });
  const search = (text: string) => membersOfTopic(db, place, { limit: 5, beginning: text });
  assert.deepEqual(await search("zz"), ["zz-last"]);
  assert.deepEqual(await search("user-002999_"), []);
  assert.deepEqual((await search("user-002999")).length, 5);
  assert.equal(await leaveTopics(db, { tenantId, userId: "user-0000007" }), 2);
});

test("a topic is gone with the answer, however many members it has; the rest of them goes in the background", async (t) => {
  const { db, run, change, counted, fill } = await world(t);
  await change("small", ["a"]);
  await run(deleteTopic, { key: "small" });
  assert.deepEqual(await counted("small"), { told: null, there: 0 });
  await assert.rejects(run(deleteTopic, { key: "small" }), NotFound);

  await fill("big", 25_000);
  await run(deleteTopic, { key: "big" });
  assert.deepEqual((await run(listTopics, {})).items, []);
  await assert.rejects(run(listMembers, { key: "big" }), NotFound);
  await assert.rejects(change("big", ["b"]), TooLate);
  await assert.rejects(run(deleteTopic, { key: "big" }), TooLate);
  const { told, there } = await counted("big");
  assert.deepEqual([told, there], [15_001, 15_001]);
  let steps = 0;
  while (await workTopicDeletion(db)) steps += 1;
  assert.equal(steps, 2);
  assert.equal(await change("big", ["b"]), 1);
});
