import assert from "node:assert/strict";
import { test } from "node:test";
import { actsIn } from "@belfry/administration/test/acts";
import { assignCategory, putCategory } from "@belfry/administration/users/categories";
import { createClient } from "@belfry/client";
import { preferencesOf } from "@belfry/database/functions/recipients";
import { assertEach } from "@belfry/testing/assert-each";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { type Asked, ask } from "../openapi/ask.ts";

const ingest = await startIngest(wholeFile());

const send = (asked: Asked) => ask(ingest.url, asked);

const ANN = {
  ...{ email: "ann@example.com", phone: "+12025550123", locale: "de-AT" },
  ...{ timezone: "Europe/Vienna", quietHours: { from: "22:00", to: "06:00" } },
  chat: "slack:U1",
  attributes: { firstName: "Ann", plan: { name: "gold", since: 2024 }, tags: ["a", null] },
};

test("a user is put, shown, put anew and erased; of another tenant it is unknown", async () => {
  const [tenant, other] = [await ingest.createTenant(), await ingest.createTenant()];
  const client = createClient({ baseUrl: ingest.url, apiKey: tenant.apiKey });
  const { createdAt, updatedAt, ...user } = await client.putUser("user/1", ANN);
  assert.deepEqual(user, { userId: "user/1", ...ANN });
  assert.deepEqual(await client.user("user/1"), { ...user, createdAt, updatedAt });
  const { phone, attributes } = await client.putUser("user/1", { email: "new@example.com" });
  assert.deepEqual([phone, attributes], [null, null], "what is left out is deleted");
  const path = "/api/v1/users/user%2F1";
  assert.equal((await send({ method: "GET", path, key: other.apiKey })).status, 404);

  const asked = await client.eraseUser("user/1");
  assert.equal(asked.status, "waiting");
  await assert.rejects(client.user("user/1"), { status: 404 });
  assert.deepEqual(await client.erasure(asked.id), asked);
  const foreign = `/api/v1/erasures/${asked.id}`;
  assert.equal((await send({ method: "GET", path: foreign, key: other.apiKey })).status, 404);
  const none = "/api/v1/erasures/nothing";
  assert.equal((await send({ method: "GET", path: none, key: tenant.apiKey })).status, 404);
  assert.equal((await send({ method: "DELETE", path, key: tenant.apiKey })).status, 202);
});

test("attributes are any JSON object of at most 4 KiB and 64 levels, returned as they were given", async () => {
  const { apiKey: key } = await ingest.createTenant();
  const put = (attributes: string) =>
    send({ method: "PUT", path: "/api/v1/users/ann", key, body: `{"attributes":${attributes}}` });
  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
  const sized = (bytes: number) => JSON.stringify({ a: "é".repeat((bytes - 8) / 2) });
  const taken = [
    ...['{"a":"\\u0000\\ud800 {{ x }}<script>"}', nested(64), sized(4096)],
    '{"constructor":1,"toString":{"x":[1,"2",true,null]}}',
  ];
  for (const text of taken) {
    const { status, body } = await put(text);
    assert.equal(status, 200, text);
    assert.deepEqual(body.data.attributes, JSON.parse(text));
    const shown = await send({ method: "GET", path: "/api/v1/users/ann", key });
    assert.deepEqual(shown.body.data.attributes, JSON.parse(text));
  }
  const refused: Record<string, string> = {
    ...Object.fromEntries(
      ['"x"', "[]", "7", "true"].map((text) => [text, "must be a JSON object"]),
    ),
    [nested(65)]: "must not be nested deeper than 64 levels",
    [nested(20_000)]: "must not be nested deeper than 64 levels",
    [sized(4098)]: "must be at most 4096 bytes of JSON",
  };
  for (const [text, fault] of Object.entries(refused)) {
    const { status, body } = await put(text);
    assert.deepEqual([status, body.message], [422, [`attributes ${fault}`]], text.slice(0, 80));
  }
  assert.equal((await put('{"__proto__":{"a":1}}')).status, 200);
  assert.equal((await put("{}")).body.data.attributes, null);
});

test("of a batch the good ones are stored and every bad one says why", async () => {
  const { apiKey: key } = await ingest.createTenant();
  const client = createClient({ baseUrl: ingest.url, apiKey: key });
  const path = "/api/v1/users/batch";
  const users = [
    { userId: "ann", ...ANN },
    { userId: "bob", email: "no address", timezone: 7 },
    { email: "nobody@example.com" },
    "x",
    null,
    { userId: "dan", timezone: "IST" },
    { userId: "carl" },
  ];
  const answer = await send({ method: "POST", path, key, body: { users } });
  assert.deepEqual(answer.body.results, [
    { userId: "ann", success: true },
    {
      ...{ userId: "bob", success: false },
      message: [
        "email must be an email address",
        "timezone must be a time zone such as Europe/Berlin or UTC, not an abbreviation such as IST",
      ],
    },
    { userId: null, success: false, message: ["userId must be a string"] },
    { userId: null, success: false, message: ["item must be an object"] },
    { userId: null, success: false, message: ["item must be an object"] },
    {
      ...{ userId: "dan", success: false },
      message: [
        "timezone must be a time zone such as Europe/Berlin or UTC, not an abbreviation such as IST",
      ],
    },
    { userId: "carl", success: true },
  ]);
  assert.equal((await client.user("ann")).timezone, "Europe/Vienna");
  await assert.rejects(client.user("bob"), { status: 404 });

  const many = Array.from({ length: 1_000 }, (_, n) => ({ ...ANN, userId: `u${n}` }));
  assert.equal((await client.putUsers(many)).filter(({ success }) => success).length, 1_000);
  await assert.rejects(client.putUsers([...many, { userId: "one more" }]), { status: 422 });
  const heavy = { users: [{ userId: "x", note: "x".repeat(1024 * 1024) }] };
  assert.equal((await send({ method: "POST", path, key, body: heavy })).status, 413);
  assert.equal((await send({ method: "POST", path, key, body: { users: {} } })).status, 422);
  const get = await send({ method: "GET", path, key });
  assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST"]);
  await client.putUser("batch", { locale: "fr" });
  assert.equal((await client.user("batch")).locale, "fr");
});

test("a change of preferences binds what is decided after its answer, and tells where it came from", async () => {
  const { apiKey, id: tenantId } = await ingest.createTenant();
  const client = createClient({ baseUrl: ingest.url, apiKey });
  const run = actsIn(ingest.db, tenantId);
  await run(putCategory, {
    key: "offers",
    label: { "": "Offers", de: "Angebote" },
  });
  await run(assignCategory, { eventType: "sale", category: "offers" });
  const sends = async () => {
    const question = { tenantId, userId: "ann", eventType: "sale", channels: ["EMAIL"] } as const;
    return (await preferencesOf(ingest.pool, [question]))[0]?.get("EMAIL")?.sends;
  };
  assert.equal(await sends(), true);
  const changed = await client.changePreferences("ann", [
    { category: "offers", channel: "EMAIL", enabled: false },
    { category: "*", channel: "SMS", enabled: false },
  ]);
  assert.equal(await sends(), false);
  // Who has only said something is not in the directory; named afterwards, what was said stays.
  const named = { method: "GET", path: "/api/v1/users/ann", key: apiKey } as const;
  assert.equal((await send(named)).status, 404);
  await client.putUser("ann", { email: "ann@example.com" });
  assert.equal((await send(named)).status, 200);
  assert.equal(await sends(), false);
  assertEach(changed.preferences, ({ at, ...cell }) => ({ ...cell, at: typeof at }), [
    { category: "*", channel: "SMS", enabled: false, source: "api", at: "string" },
    { category: "offers", channel: "EMAIL", enabled: false, source: "api", at: "string" },
  ]);
  assert.deepEqual(changed.categories, [
    {
      ...{
        key: "offers",
        label: { "": "Offers", de: "Angebote" },
        description: {},
        required: false,
      },
      defaultOn: true,
    },
  ]);
  assert.deepEqual(await client.preferences("ann"), changed);
  await client.changePreferences("ann", [{ category: "offers", channel: "EMAIL", enabled: null }]);
  assert.equal(await sends(), true);

  const path = "/api/v1/users/ann/preferences";
  const wrong = {
    preferences: [
      { category: "ofers", channel: "EMAIL", enabled: false },
      { category: "offers", channel: "SMS", enabled: true },
    ],
  };
  const refused = await send({ method: "PATCH", path, key: apiKey, body: wrong });
  assert.deepEqual(
    [refused.status, refused.body.message],
    [422, ['preferences[0].category must be * or the key of a category: "ofers"']],
  );
  const shapeless = { preferences: [{ category: 1, channel: "FAX", enabled: "no" }] };
  const told = await send({ method: "PATCH", path, key: apiKey, body: shapeless });
  assert.deepEqual(told.body.message, [
    "preferences[0].category must be a string",
    "preferences[0].channel must be one of *, EMAIL, SMS, PUSH, DEVICE, CHAT",
    "preferences[0].enabled must be true, false or null",
  ]);
  assert.equal((await client.preferences("ann")).preferences.length, 1);
});

const PATH = "/api/v1/events/cancel";

const cancel = (key: string, body: unknown) => send({ method: "POST", path: PATH, key, body });

async function world() {
  const tenant = await ingest.createTenant({ dailyCap: 100 });
  const client = createClient({ baseUrl: ingest.url, apiKey: tenant.apiKey });
  const trigger = async (
    event: { userId?: string; eventId?: string; cancelKey?: string } = {},
    idempotencyKey?: string,
  ) => {
    const { userId = "ann", ...rest } = event;
    const { status, headers } = await send({
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
  const only = { cancelled: [bob.id], partly: [], pending: [], tooLate: [] };
  const ofBob = { cancelKeys: ["order-1", "other"], userIds: ["bob"] };
  for (let round = 0; round < 2; round += 1) assert.deepEqual(await client.cancel(ofBob), only);
  assert.deepEqual((await cancel(key, { eventIds: ["mine"] })).body, {
    success: true,
    ...{ cancelled: [ann.id, bob.id].sort(), partly: [], pending: [], tooLate: [] },
  });
  const ids = [carl.id.toUpperCase(), "none", ann.id];
  assert.deepEqual(await client.cancel({ eventIds: ids, userIds: ["carl"] }), {
    ...{ cancelled: [carl.id], partly: [], pending: [], tooLate: [], unknown: ["none", ann.id] },
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
    ...{ cancelled: [], partly: [], pending: [], tooLate: [], unknown: [id, "mine"] },
  });
  const none = { cancelled: [], partly: [], pending: [], tooLate: [] };
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
