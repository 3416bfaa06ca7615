import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteTenantData } from "@belfry/administration/erasure/delete-tenant";
import { deleteNotifications } from "@belfry/administration/erasure/user-data";
import type { Pool } from "@belfry/database/connection";
import { dispatchEvents } from "@belfry/database/functions/dispatch-events";
import { forgetChannels, forgetEmptyChannels } from "@belfry/database/functions/realtime-channels";
import { connectedDatabase } from "@belfry/testing/database";
import { untilBlocked } from "@belfry/testing/until-blocked";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { readChannels, readTops } from "../../services/realtime-gateway/src/realtime-history.ts";

const ADA = { tenantId: "acme", userId: "ada#1" };
const CHANNEL = { ...ADA, name: "personal" };

async function open(t: test.TestContext) {
  const { pool, db } = await connectedDatabase(t);
  return { pool, db };
}

/** An event that is a push to ada, dispatched by this connection; returns its offset. */
async function push(on: Pool | pg.PoolClient, to = ADA): Promise<number | undefined> {
  const id = uuidv7();
  const { rows } = await on.query<{ accepted: string }>(
    `with u as (insert into undispatched_events values ($1, now()))
     insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at)
     values ($1, $2, 'x', $3, 't', now()) returning accepted_at::text as accepted`,
    [id, to.tenantId, to.userId],
  );
  const { published } = await dispatchEvents(
    on as Pool,
    [
      {
        ...{ eventId: id, acceptedAtText: rows[0]!.accepted, outcome: null, deliveries: [] },
        ...{ eraseVariables: false, isSensitive: false },
        push: { ...to, eventType: "x", title: "t", body: "b", channelName: CHANNEL.name },
      },
    ],
    { inFlightPerTenant: 100, inTurn: false },
  );
  return published.get(id)?.offset;
}

/** The work in a transaction; `meanwhile` begins before its end, and has to wait for it. */
async function held<T>(
  pool: Pool,
  work: (client: pg.PoolClient) => Promise<unknown>,
  meanwhile: () => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await work(client);
    const result = meanwhile();
    await untilBlocked(pool);
    await client.query("commit");
    return await result;
  } finally {
    client.release();
  }
}

const count = async (pool: Pool, table: string): Promise<number> =>
  (await pool.query(`select count(*)::integer as n from ${table}`)).rows[0].n;

test("a push that is under way while its user is erased goes too, and the next one has offset 1", async (t) => {
  const { pool, db } = await open(t);
  assert.deepEqual([await push(pool), await push(pool)], [1, 2]);
  await deleteNotifications(db, ADA, 1000);
  const forgotten = await held(pool, push, () => forgetChannels(db, ADA, 1000));
  assert.deepEqual(forgotten, { channels: 1, notifications: 1 });
  assert.equal(await count(pool, "notifications"), 0);
  for (const offset of [1, 2, 3, 4]) assert.equal(await push(pool), offset);
});

test("a push that comes while its user is erased has offset 1, under another epoch", async (t) => {
  const { pool, db } = await open(t);
  const bob = { ...ADA, userId: "bob" };
  for (const offset of [1, 2]) {
    assert.equal(await push(pool), offset);
    assert.equal(await push(pool, bob), offset);
  }
  const keys = [CHANNEL, { ...bob, name: CHANNEL.name }];
  const read = { after: 2, limit: 10, partial: false };
  const before = await readTops(db, keys);
  const forget = (client: pg.PoolClient) =>
    client.query("select forget_channels(array[$1], array[$2], array[$3], false)", [
      ADA.tenantId,
      ADA.userId,
      CHANNEL.name,
    ]);
  assert.equal(await held(pool, forget, () => push(pool)), 1);
  assert.deepEqual([await push(pool), await push(pool)], [2, 3]);

  // Who had seen 2 must not believe that 3 alone is missing.
  const [ada, other] = await readChannels(
    db,
    keys.map((key) => ({ ...key, ...read })),
  );
  assert.deepEqual([ada?.top, other?.top], [3, 2]);
  assert.notEqual(ada?.epoch, before[0]?.epoch);
  assert.equal(other?.epoch, before[1]?.epoch);
  assert.deepEqual(await readTops(db, keys), [
    { epoch: ada?.epoch, top: 3 },
    { epoch: other?.epoch, top: 2 },
  ]);
});

test("a user whose channel stands below a notification is healed by the next push, and old positions are worth nothing", async (t) => {
  const { pool, db } = await open(t);
  for (const offset of [1, 2, 3]) assert.equal(await push(pool), offset);
  const [before] = await readTops(db, [CHANNEL]);
  await pool.query("delete from notifications where channel_offset < 3");
  await pool.query("delete from realtime_channels");
  assert.deepEqual([await push(pool), await push(pool)], [1, 2]);
  assert.deepEqual([await push(pool), await push(pool)], [4, 5]);
  assert.equal(await count(pool, "undispatched_events"), 0);
  const [after] = await readTops(db, [CHANNEL]);
  assert.equal(after?.top, 5);
  assert.notEqual(after?.epoch, before?.epoch);
});

test("a push that is under way while its tenant is deleted leaves nothing behind", async (t) => {
  const { pool, db } = await open(t);
  await push(pool);
  await held(pool, push, () => deleteTenantData(db, ADA.tenantId));
  for (const table of ["notifications", "realtime_channels"]) {
    assert.equal(await count(pool, table), 0, table);
  }
});

test("a channel without a notification is forgotten, unless one comes at that moment", async (t) => {
  const { pool, db } = await open(t);
  const users = ["a", "b", "c", "d", "e"].map((userId) => ({ ...ADA, userId }));
  for (const user of users) await push(pool, user);
  await pool.query("delete from notifications where user_id in ('b', 'd', 'e')");
  const [before] = await readTops(db, [{ ...CHANNEL, userId: "b" }]);
  const looks: unknown[] = [];
  for (let after: typeof CHANNEL | undefined; ; ) {
    const { forgotten, reached } = await forgetEmptyChannels(pool, after, 2);
    looks.push([forgotten, reached?.userId]);
    if (reached === undefined) break;
    after = reached;
  }
  assert.deepEqual(looks, [
    [1, "b"],
    [1, "d"],
    [1, undefined],
  ]);
  assert.equal(await count(pool, "realtime_channels"), 2);
  const [after] = await readTops(db, [{ ...CHANNEL, userId: "b" }]);
  assert.notEqual(after?.epoch, before?.epoch);
  assert.equal(after?.top, 0);

  await pool.query("delete from notifications where user_id = 'c'");
  const looked = await held(
    pool,
    (client) => push(client, { ...ADA, userId: "c" }),
    () => forgetEmptyChannels(pool, undefined, 10),
  );
  assert.equal(looked.forgotten, 0);
  assert.equal(await push(pool, { ...ADA, userId: "c" }), 3);
});
