import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import { connectedDatabase } from "@belfry/testing/database";
import { uuidv7 } from "uuidv7";
import {
  readChannelPage,
  readChannels,
  readTops,
} from "../../services/realtime-gateway/src/realtime-history.ts";

async function newEpoch(db: Database): Promise<string> {
  const { epoch } = await db
    .updateTable("realtime_epoch")
    .set({ epoch: "another" })
    .returning("epoch")
    .executeTakeFirstOrThrow();
  return epoch;
}

const channel = { tenantId: "acme", userId: "a#b", name: "personal" };

async function store(db: Database, to: typeof channel, from: number, top: number) {
  const key = { tenant_id: to.tenantId, user_id: to.userId, channel_name: to.name };
  const rows = Array.from({ length: top - from + 1 }, (_, index) => ({
    ...key,
    id: uuidv7(),
    event_type: "order.confirmed",
    title: `title ${from + index}`,
    body: "body",
    channel_offset: String(from + index),
    created_at: new Date(),
    read_at: null,
  }));
  await db.insertInto("notifications").values(rows).execute();
  await db
    .insertInto("realtime_channels")
    .values({ ...key, top_offset: String(top) })
    .execute();
}

test("many channels are read at once, each its own tenant's and in order", async (t) => {
  const { db } = await connectedDatabase(t);
  await store(db, channel, 1, 5);
  await store(db, { ...channel, tenantId: "other" }, 1, 2);
  const [fresh, missed, tooMany, oldest, foreign, unknown] = await readChannels(db, [
    { ...channel, after: 0, limit: 0, partial: false },
    { ...channel, after: 2, limit: 3, partial: false },
    { ...channel, after: 1, limit: 3, partial: false },
    { ...channel, after: 1, limit: 3, partial: true },
    { ...channel, tenantId: "other", after: 0, limit: 10, partial: false },
    { ...channel, name: "orders", after: 0, limit: 10, partial: false },
  ]);
  const offsets = (state: typeof fresh) => state?.publications.map((item) => item.offset);
  assert.deepEqual([fresh?.top, offsets(fresh)], [5, []]);
  assert.deepEqual([missed?.top, offsets(missed)], [5, [3, 4, 5]]);
  assert.deepEqual([tooMany?.top, offsets(tooMany)], [5, []]);
  assert.deepEqual([oldest?.top, offsets(oldest)], [5, [2, 3, 4]]);
  assert.deepEqual([foreign?.top, offsets(foreign)], [2, [1, 2]]);
  assert.deepEqual([unknown?.top, offsets(unknown)], [0, []]);
  assert.deepEqual(missed?.publications[0]?.data, {
    title: "title 3",
    body: "body",
    category: "order.confirmed",
    eventType: "order.confirmed",
  });
  const tops = await readTops(db, [
    channel,
    { ...channel, userId: "b" },
    { ...channel, tenantId: "other" },
  ]);
  assert.deepEqual(
    tops,
    [5, 0, 2].map((top) => ({ epoch: fresh?.epoch, top })),
  );
  assert.notEqual(await newEpoch(db), fresh?.epoch);
});

test("a page of history goes forwards or backwards from a position", async (t) => {
  const { db } = await connectedDatabase(t);
  await store(db, channel, 3, 9);
  const page = async (change: object) => {
    const state = await readChannelPage(db, { ...channel, limit: 3, reverse: false, ...change });
    assert.equal(state.top, 9);
    return state.publications.map((item) => item.offset);
  };
  assert.deepEqual(await page({}), [3, 4, 5]);
  assert.deepEqual(await page({ since: 7 }), [8, 9]);
  assert.deepEqual(await page({ reverse: true }), [9, 8, 7]);
  assert.deepEqual(await page({ reverse: true, since: 5 }), [4, 3]);
  assert.deepEqual(await page({ limit: 0 }), []);
});
