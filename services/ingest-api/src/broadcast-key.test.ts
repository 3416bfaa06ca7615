import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { connectedDatabase } from "@belfry/testing/database";
import { appUnderTest } from "../test/app-under-test.ts";

test("a broadcast's key is one for 24 hours: the same call is replayed, another is refused, and then it is free", async (t) => {
  const { pool, db } = await connectedDatabase(t);
  const { app } = await appUnderTest(db);
  t.after(() => app.close());
  const { id: tenantId, apiKey } = await createTenant(db, { name: "Acme" });
  await pool.query(
    `insert into templates (id, tenant_id, event_type, channel)
     values (gen_random_uuid(), $1, 'product.news', 'EMAIL')`,
    [tenantId],
  );
  const create = async (body: object, key = "weekly-news") => {
    const answer = await app.inject({
      method: "POST",
      url: "/api/v1/broadcasts",
      headers: {
        "x-api-key": apiKey,
        "content-type": "application/json",
        "x-idempotency-key": key,
      },
      payload: JSON.stringify(body),
    });
    const { data, message } = answer.json();
    const replayed = answer.headers["idempotency-replayed"];
    return { status: answer.statusCode, id: data?.id as string, replayed, message };
  };
  const news = { userIds: ["ann"], eventType: "product.news", variables: { title: "One" } };
  const first = await create(news);
  assert.deepEqual([first.status, first.replayed], [202, undefined]);
  const { userIds, ...rest } = news;
  for (const same of [news, { ...rest, userIds }]) {
    assert.deepEqual(await create(same), { ...first, replayed: "true" });
  }
  const others = [
    { ...news, variables: { title: "Two" } },
    { ...news, userIds: ["ben"] },
    { ...news, sendAt: "2100-01-01T00:00:00Z" },
  ];
  for (const other of others) {
    const { status, message } = await create(other);
    assert.equal(status, 422);
    assert.deepEqual(message, [
      "X-Idempotency-Key was used for another call: give each call a key of its own",
    ]);
  }
  assert.notEqual((await create(news, "other-news")).id, first.id);

  // Stored by a service of the version before, which kept no request.
  await pool.query("update broadcasts set request = null where id = $1", [first.id]);
  assert.deepEqual(await create(news), { ...first, replayed: "true" });

  await pool.query(
    "update broadcasts set created_at = now() - interval '23 hours 59 minutes' where id = $1",
    [first.id],
  );
  assert.equal((await create(news)).id, first.id);
  await pool.query(
    "update broadcasts set created_at = now() - interval '24 hours 1 minute' where id = $1",
    [first.id],
  );
  const next = await create({ ...news, variables: { title: "Two" } });
  assert.deepEqual([next.status, next.replayed, next.id === first.id], [202, undefined, false]);

  const bad = await create(news, "");
  assert.deepEqual(
    [bad.status, bad.message],
    [422, ["X-Idempotency-Key must be 1 to 255 characters"]],
  );
});
