import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { deleteEvents } from "@belfry/database/functions/delete-events";
import { tenantDatabase } from "../../test/database.ts";
import { tablesWith } from "../../test/person.ts";
import { storeComment, storeDigest } from "../../test/store-digests.ts";
import { deleteTenant } from "./delete-tenant.ts";
import { eraseUser } from "./erase-user.ts";

const ACTOR = { personId: null, person: "command line (root)", address: "host" };
const DEPS = { actor: ACTOR, disconnect: async () => undefined };

async function setUp(t: TestContext) {
  const { pool, db, tenantId } = await tenantDatabase(t);
  const comment = (userId: string) => storeComment(pool, tenantId, "Bob", userId);
  const count = async (table: string) =>
    (await pool.query(`select count(*)::integer as count from ${table}`)).rows[0].count as number;
  const throttle = (userId: string) =>
    pool.sql`insert into throttles (tenant_id, user_id, event_type, channel, times, ends_at)
      values (${tenantId}, ${userId}, 'comment.posted', 'EMAIL', array[now()], now() + interval '1 hour')`;
  return { pool, db, tenantId, comment, count, throttle };
}

test("a digest goes with the last of its events, however they leave: with its delivery, tries and receipts", async (t) => {
  const { pool, db, tenantId, comment, count } = await setUp(t);
  const ids = [await comment("ann"), await comment("ann"), await comment("ann")];
  const states = ["in", "read", "in"];
  const { id, deliveryId } = await storeDigest(pool, tenantId, ids, { status: "accepted", states });
  await pool.sql`insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind)
    values (${tenantId}, 'sendgrid', 'e', ${deliveryId}, 'delivered')`;
  const kept = await storeDigest(pool, tenantId, [await comment("ann")]);
  for (const [at, eventId] of ids.entries()) {
    const deleted = await deleteEvents(db, [eventId], { spare: false });
    const isLast = at === ids.length - 1;
    assert.deepEqual(
      [deleted.events, deleted.deliveries, deleted.attempts, deleted.receipts, deleted.unfinished],
      isLast ? [1, 1, 1, 1, 0] : [1, 0, 0, 0, 0],
    );
    assert.equal(await count("digests"), isLast ? 1 : 2);
    assert.equal(await count("digest_items"), 3 - at);
  }
  assert.deepEqual((await pool.query("select id from digests")).rows, [{ id: kept.id }]);
  assert.notEqual(id, kept.id);
  assert.equal(await count("deliveries"), 1);
});

test("events whose digest a sender holds are spared until it does not", async (t) => {
  const { pool, db, tenantId, comment, count } = await setUp(t);
  const ids = [await comment("ann"), await comment("ann")];
  const free = await comment("ann");
  const { deliveryId } = await storeDigest(pool, tenantId, ids, { heldForMs: 60_000 });
  const spared = await deleteEvents(db, [...ids, free], { spare: true });
  assert.deepEqual(spared.held.toSorted(), ids.toSorted());
  assert.deepEqual([spared.events, spared.deliveries], [1, 0]);
  assert.equal(await count("digest_items"), 2);
  await pool.sql`update deliveries set claimed_until = now() where id = ${deliveryId}`;
  const gone = await deleteEvents(db, ids, { spare: true });
  assert.deepEqual([gone.held, gone.events, gone.deliveries, gone.unfinished], [[], 2, 1, 1]);
  assert.equal(await count("digests"), 0);
});

test("an erased user leaves no digest, throttle or message, and nobody else loses any", async (t) => {
  const { pool, db, tenantId, comment, count, throttle } = await setUp(t);
  for (const userId of ["ann", "zoe"]) {
    await storeDigest(pool, tenantId, [await comment(userId), await comment(userId)], { userId });
    const sent = [await comment(userId)];
    await storeDigest(pool, tenantId, sent, { userId, status: "accepted" });
    await throttle(userId);
  }
  // An empty digest, left by a dispatcher that ended.
  await storeDigest(pool, tenantId, [], { userId: "ann" });
  const before = await tablesWith(pool, "zoe");
  const owner = { tenantId, userId: "ann" };
  const dry = await eraseUser(db, { ...owner, dryRun: true }, DEPS);
  assert.equal(await count("digests"), 5);
  const { deleted, unsent } = await eraseUser(db, owner, DEPS);
  const figures = { events: 3, attempts: 1, outbox: 1, digests: 3, throttles: 1 };
  assert.partialDeepStrictEqual(deleted, { ...figures, deliveries: 2 });
  assert.partialDeepStrictEqual(dry.deleted, { ...figures, deliveries: 2, outbox: 1 });
  assert.equal(unsent, 1);
  assert.equal(dry.unsent, 1);
  assert.deepEqual(await tablesWith(pool, "ann@example.com"), []);
  assert.deepEqual(await tablesWith(pool, "zoe"), before);
  assert.deepEqual(
    [await count("digests"), await count("digest_items"), await count("deliveries")],
    [2, 3, 2],
  );
  assert.equal(await count("outbox"), 1, "the message of another user's digest");
});

test("a deleted tenant leaves no digest and no throttle", async (t) => {
  const { pool, db, tenantId, comment, count, throttle } = await setUp(t);
  await storeDigest(pool, tenantId, [await comment("ann"), await comment("ann")]);
  await storeDigest(pool, tenantId, []);
  await throttle("ann");
  await deleteTenant(db, tenantId, ACTOR);
  for (const table of ["digests", "digest_items", "throttles"]) assert.equal(await count(table), 0);
});
