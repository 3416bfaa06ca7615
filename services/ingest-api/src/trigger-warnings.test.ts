import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import type { Database, Pool } from "@belfry/database/connection";
import { createLogger } from "@belfry/service/logger";
import { connectedDatabase } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { acceptorUnderTest, appUnderTest } from "../test/app-under-test.ts";
import { createEventTypes, type EventTypes } from "./trigger-warnings.ts";

const log = createLogger({ service: "test", level: "silent" });

const EVERY_TYPE: EventTypes = {
  load: () => undefined,
  has: () => true,
  clear: () => undefined,
};

async function insertTemplates(pool: Pool, tenantId: string, types: readonly string[]) {
  await pool.query(
    `insert into templates (id, tenant_id, event_type, channel)
     select gen_random_uuid(), $1, type, 'SMS' from unnest($2::text[]) type`,
    [tenantId, types],
  );
}

async function setUp(t: test.TestContext, given?: EventTypes) {
  const { pool, db } = await connectedDatabase(t);
  const acceptor = acceptorUnderTest(t, pool);
  const eventTypes = given ?? createEventTypes(db, log);
  const { app } = await appUnderTest(db, {
    ...{ acceptor, eventTypes },
    nats: { isConnected: () => true },
  });
  t.after(() => app.close());
  const { id, apiKey } = await createTenant(db, { name: "Acme" });
  const post = async (call: string, body: unknown) => {
    const answer = await app.inject({
      method: "POST",
      url: `/api/v1/events/${call}`,
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      payload: JSON.stringify(body),
    });
    assert.equal(answer.statusCode, 200, answer.body);
    return { ...answer.json(), replayed: answer.headers["idempotency-replayed"] };
  };
  const known = (eventType: string) => eventTypes.has(id, eventType);
  return { pool, id, post, known, eventTypes };
}

const MESSAGE = "Event order.confirmed dispatched securely for Acme";
const GOOD = { eventType: "order.confirmed", payload: { userId: "ann" } };

test("a trigger with names close to a field that it lacks is accepted with warnings, and so is its replay", async (t) => {
  const { post } = await setUp(t, EVERY_TYPE);
  const misspelt = {
    ...GOOD,
    payload: { userId: "ann", recipientMail: "ann@example.com", recipient_phone: "+1" },
    variable: { name: "Ann" },
    email: { replyto: "a@example.com" },
    dryrun: true,
    idempotencyKey: "one",
  };
  const warnings = [
    "variable is ignored; did you mean variables?",
    "dryrun is ignored: a trigger has no dry run",
    "idempotencyKey is ignored; did you mean the header X-Idempotency-Key?",
    "payload.recipientMail is ignored; did you mean payload.recipientEmail?",
    "payload.recipient_phone is ignored; did you mean payload.recipientPhone?",
    "email.replyto is ignored; did you mean email.replyTo?",
  ];
  const success = true;
  const first = { success, message: MESSAGE, warnings, replayed: undefined };
  assert.deepEqual(await post("trigger", misspelt), first);
  assert.deepEqual(await post("trigger", misspelt), { ...first, replayed: "true" });
  const { results } = await post("trigger-batch", {
    events: [{ ...misspelt, payload: { userId: "ben", recipientMail: "x" } }, GOOD],
  });
  assert.deepEqual(results[0].warnings, [...warnings.slice(0, 2), warnings[3], warnings[5]]);
  assert.equal("warnings" in results[1], false);
});

test("other names that nobody knows are no reason for a warning: the answer is as it always was", async (t) => {
  const { post } = await setUp(t, EVERY_TYPE);
  const more = {
    ...GOOD,
    payload: { userId: "ann", tier: "gold", name: "Ann" },
    userId: "ann",
    eventTime: 1,
    ["variable".repeat(20)]: 1,
    variables: { variable: 1, recipientMail: 2 },
  };
  const answer = { success: true, message: MESSAGE, replayed: undefined };
  assert.deepEqual(await post("trigger", more), answer);
});

test("an event type without a template of the tenant or the platform is told, by a replay as well, until it has one", async (t) => {
  const { pool, id, post, known, eventTypes } = await setUp(t);
  const told = "no template has the eventType order.confirmed: nothing is sent";
  const first = await post("trigger", GOOD);
  assert.deepEqual(first, {
    success: true,
    message: MESSAGE,
    warnings: [told],
    replayed: undefined,
  });
  assert.deepEqual(await post("trigger", GOOD), { ...first, replayed: "true" });
  const { results } = await post("trigger-batch", { events: [GOOD] });
  assert.deepEqual(results[0].warnings, [told]);
  assert.equal((await post("trigger", { ...GOOD, eventType: "global.info" })).warnings, undefined);
  assert.equal((await post("trigger", { ...GOOD, eventType: "global.infos" })).warnings.length, 1);

  await insertTemplates(pool, id, ["order.confirmed"]);
  eventTypes.clear();
  assert.equal(
    known("order.confirmed"),
    false,
    "what was read before counts until it is read again",
  );
  void eventTypes.load(id, "order.confirmed");
  await eventually(() => known("order.confirmed") === true);
  assert.equal((await post("trigger", GOOD)).warnings, undefined);
});

test("where the event types cannot be read, or are too many to remember, triggers are answered without that warning", async (t) => {
  let reads = 0;
  const broken = new Proxy({} as Database, {
    get() {
      reads += 1;
      throw new Error("the database is away");
    },
  });
  const { post } = await setUp(t, createEventTypes(broken, log));
  for (let call = 0; call < 3; call += 1) {
    assert.equal((await post("trigger", GOOD)).warnings, undefined);
  }
  assert.ok(reads > 0);

  const { pool, id, known, eventTypes } = await setUp(t);
  const types = Array.from({ length: 2000 }, (_, at) => `type.${at}`);
  await insertTemplates(pool, id, types);
  void eventTypes.load(id, "type.1");
  await eventually(() => known("type.1") === true);
  await insertTemplates(pool, id, ["one.more"]);
  eventTypes.clear();
  void eventTypes.load(id, "type.1");
  await eventually(() => known("type.1") === undefined);
  assert.equal(known("order.confirmed"), undefined);
});
