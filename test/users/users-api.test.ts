import assert from "node:assert/strict";
import { test } from "node:test";
import { assignCategory, putCategory } from "@belfry/administration/users/categories";
import { createClient } from "@belfry/client";
import { preferencesOf } from "@belfry/database/functions/preference-rule";
import { assertEach } from "@belfry/testing/assert-each";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { type Asked, ask } from "../openapi/ask.ts";

const ingest = await startIngest(wholeFile());

const send = (asked: Asked) => ask(ingest.url, asked);

const ANN = {
  ...{ email: "ann@example.com", phone: "+12025550123", locale: "de-AT" },
  ...{ timezone: "Europe/Vienna", quietHours: { from: "22:00", to: "06:00" } },
};

test("a user is put, shown, put anew and erased; of another tenant it is unknown", async () => {
  const [tenant, other] = [await ingest.createTenant(), await ingest.createTenant()];
  const client = createClient({ baseUrl: ingest.url, apiKey: tenant.apiKey });
  const { createdAt, updatedAt, ...user } = await client.putUser("user/1", ANN);
  assert.deepEqual(user, { userId: "user/1", ...ANN });
  assert.deepEqual(await client.user("user/1"), { ...user, createdAt, updatedAt });
  assert.equal((await client.putUser("user/1", { email: "new@example.com" })).phone, null);
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
  const { status } = await send({ method: "DELETE", path, key: tenant.apiKey });
  assert.equal(status, 202);
});

test("every fault of a user is told at once, and nothing is stored", async () => {
  const { apiKey: key, id } = await ingest.createTenant();
  const body = {
    ...{ email: "ann", phone: "0123", locale: "german", timezone: "+02:00" },
    quietHours: { from: "22:00", to: "22:00" },
  };
  const answer = await send({ method: "PUT", path: "/api/v1/users/ann", key, body });
  assert.equal(answer.status, 422);
  assert.deepEqual(answer.body.message, [
    "email must be an email address",
    "phone must be a phone number in E.164 form, as +12025550123",
    "locale must be a language[-Script][-REGION] of BCP 47, as de, de-AT or zh-Hant",
    "timezone must be an IANA name, as Europe/Berlin or UTC",
    "quietHours from and to must not be the same time",
  ]);
  const { rowCount } = await ingest.pool.query("select from recipients where tenant_id = $1", [id]);
  assert.equal(rowCount, 0);
  const long = `/api/v1/users/${"x".repeat(256)}`;
  assert.equal((await send({ method: "PUT", path: long, key, body: {} })).status, 422);
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
    { userId: "carl" },
  ];
  const answer = await send({ method: "POST", path, key, body: { users } });
  assert.deepEqual(answer.body.results, [
    { userId: "ann", success: true },
    {
      ...{ userId: "bob", success: false },
      message: [
        "email must be an email address",
        "timezone must be an IANA name, as Europe/Berlin or UTC",
      ],
    },
    { userId: null, success: false, message: ["userId must be a string"] },
    { userId: null, success: false, message: ["item must be an object"] },
    { userId: null, success: false, message: ["item must be an object"] },
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
  await putCategory(ingest.db, {
    tenantId,
    key: "offers",
    label: { "": "Offers", de: "Angebote" },
  });
  await assignCategory(ingest.db, { tenantId, eventType: "sale", category: "offers" });
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
    "preferences[0].channel must be one of *, EMAIL, SMS, PUSH",
    "preferences[0].enabled must be true, false or null",
  ]);
  assert.equal((await client.preferences("ann")).preferences.length, 1);
});
