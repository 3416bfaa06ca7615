import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@belfry/client";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { ask } from "../openapi/ask.ts";

const PATH = "/api/v1/events/cancel";
const ingest = await startIngest(wholeFile());

const cancel = (key: string, body: unknown) =>
  ask(ingest.url, { method: "POST", path: PATH, key, body });

async function world() {
  const tenant = await ingest.createTenant({ dailyCap: 100 });
  const client = createClient({ baseUrl: ingest.url, apiKey: tenant.apiKey });
  const trigger = async (
    event: { userId?: string; eventId?: string; cancelKey?: string } = {},
    idempotencyKey?: string,
  ) => {
    const { userId = "ann", ...rest } = event;
    const { status, headers } = await ask(ingest.url, {
      ...{ method: "POST", path: "/api/v1/events/trigger", key: tenant.apiKey },
      body: { eventType: "x", payload: { userId }, ...rest },
      ...(idempotencyKey !== undefined && { headers: { "x-idempotency-key": idempotencyKey } }),
    });
    assert.equal(status, 200);
    return { id: headers.get("x-event-id") ?? "", replayed: headers.has("idempotency-replayed") };
  };
  return { tenant, client, trigger, key: tenant.apiKey };
}

test("events are cancelled by key, by id and by the tenant's own id; again says the same; of users only theirs", async () => {
  const { client, trigger, key } = await world();
  const ann = await trigger({ cancelKey: "order-1", eventId: "mine" });
  const bob = await trigger({ cancelKey: "order-1", eventId: "mine", userId: "bob" });
  const carl = await trigger({ userId: "carl" });
  const only = { cancelled: [bob.id], partly: [], tooLate: [] };
  const ofBob = { cancelKeys: ["order-1", "other"], userIds: ["bob"] };
  for (let round = 0; round < 2; round += 1) assert.deepEqual(await client.cancel(ofBob), only);
  assert.deepEqual((await cancel(key, { eventIds: ["mine"] })).body, {
    success: true,
    ...{ cancelled: [ann.id, bob.id].sort(), partly: [], tooLate: [] },
  });
  const ids = [carl.id.toUpperCase(), "none", ann.id];
  assert.deepEqual(await client.cancel({ eventIds: ids, userIds: ["carl"] }), {
    ...{ cancelled: [carl.id], partly: [], tooLate: [], unknown: ["none", ann.id] },
  });
  const { rowCount } = await ingest.pool.query(
    "select from events where id = any ($1) and cancelled_at is not null and dispatched_at is null",
    [[ann.id, bob.id, carl.id]],
  );
  assert.equal(rowCount, 3);
});

test("of another tenant neither ids nor keys are known", async () => {
  const [one, other] = [await world(), await world()];
  const { id } = await one.trigger({ cancelKey: "order-1", eventId: "mine" });
  assert.deepEqual(await other.client.cancel({ eventIds: [id, "mine"] }), {
    ...{ cancelled: [], partly: [], tooLate: [], unknown: [id, "mine"] },
  });
  const none = { cancelled: [], partly: [], tooLate: [] };
  assert.deepEqual(await other.client.cancel({ cancelKeys: ["order-1"] }), none);
  assert.equal((await one.client.event(id)).status, "accepted");
});

test("the automatic key is free afterwards, the tenant's own is not, and the day gets nothing back", async () => {
  const { tenant, client, trigger } = await world();
  const first = await trigger();
  assert.deepEqual(await trigger(), { id: first.id, replayed: true });
  await client.cancel({ eventIds: [first.id] });
  const second = await trigger();
  assert.equal(second.replayed, false);
  assert.notEqual(second.id, first.id);
  // Each of many, so that no key is even or odd by chance.
  for (let n = 0; n < 8; n += 1) {
    const own = await trigger({ userId: `u-${n}` }, `own-${n}`);
    await client.cancel({ eventIds: [own.id] });
    assert.deepEqual(await trigger({ userId: `u-${n}` }, `own-${n}`), {
      ...{ id: own.id, replayed: true },
    });
  }
  const { rows } = await ingest.pool.query(
    "select day_total from tenant_limits where tenant_id = $1",
    [tenant.id],
  );
  assert.equal(rows[0].day_total, 10);
});

async function store(tenantId: string, count: number, names: { key?: string; eventId?: string }) {
  await ingest.pool.query(
    `with e as (
       insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, cancel_key, reference)
       select gen_random_uuid(), $1, 'x', 'u', 't', now(), $3, $4 from generate_series(1, $2) returning id)
     insert into undispatched_events select id, now() from e`,
    [tenantId, count, names.key ?? null, names.eventId ?? null],
  );
}

for (const [whose, names, asked] of [
  ["a key", { key: "many" }, { cancelKeys: ["many"] }],
  ["the tenant's own id", { eventId: "many" }, { eventIds: ["many"] }],
] as const) {
  test(`more than 1,000 events of ${whose} go on with the next call, and come to an end`, async () => {
    const { tenant, client } = await world();
    await store(tenant.id, 2500, names);
    const seen = new Set<string>();
    const more: (boolean | undefined)[] = [];
    for (let call = 0; call < 3; call += 1) {
      const told = await client.cancel(asked);
      assert.ok(told.cancelled.length <= 1000);
      for (const id of told.cancelled) seen.add(id);
      more.push(told.more);
    }
    assert.deepEqual([seen.size, more], [2500, [true, true, undefined]]);
  });
}

test("ids that more than 10,000 events have are refused before all are read, whosever they are to be", async () => {
  const { tenant, key } = await world();
  await store(tenant.id, 6_000, { eventId: "one" });
  await store(tenant.id, 6_000, { eventId: "two" });
  const status = async (eventIds: string[], more: object = {}) =>
    (await cancel(key, { eventIds, ...more })).status;
  assert.equal(await status(["one"], { userIds: ["nobody"] }), 200);
  assert.equal(await status(["one", "two"], { userIds: ["nobody"] }), 422);
  const { body } = await cancel(key, { eventIds: ["one", "two"] });
  assert.match(JSON.stringify(body), /eventIds.*more than 10000 events/);
  const { rowCount } = await ingest.pool.query(
    "select from events where tenant_id = $1 and cancel_asked_at is not null",
    [tenant.id],
  );
  assert.equal(rowCount, 0);
});

test("every fault names its field", async () => {
  const { apiKey: key } = await ingest.createTenant();
  const either = "body must have either cancelKeys or eventIds";
  const many = Array.from({ length: 101 }, (_, n) => `k${n}`);
  for (const [body, ...message] of [
    [{}, either],
    [{ cancelKeys: ["a"], eventIds: ["b"] }, either],
    [{ cancelKeys: [] }, "cancelKeys must have at least 1 item"],
    [{ eventIds: many }, "eventIds must have at most 100 items"],
    [{ eventIds: ["a"], userIds: [] }, "userIds must have at least 1 item"],
    [{ eventIds: ["a", 7] }, "eventIds[1] must be a string"],
    [{ cancelKeys: ["x".repeat(256)] }, "cancelKeys[0] must be at most 255 characters"],
  ] as const) {
    const { status, body: told } = await cancel(key, body);
    assert.equal(status, 422);
    assert.deepEqual(told.message, message);
  }
  const got = await fetch(`${ingest.url}${PATH}`, { headers: { "x-api-key": key } });
  assert.deepEqual([got.status, got.headers.get("allow")], [405, "POST"]);
});
