import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { OutboxMessage } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import { outboxOfTenant, storeOutboxMessage } from "@belfry/database/outbox";
import { assertEach } from "@belfry/testing/assert-each";
import { InvalidInput, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { tenantDatabase, testDatabase } from "../test-database.ts";
import { type OutboxQuery, outboxPages, showOutboxMessage } from "./outbox.ts";

test("a tenant's outbox comes newest first over all pages, each message once, and none of another tenant", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const other = await createTenant(db, { name: "Other" });
  const eventId = randomUUID();
  const stored: string[] = [];
  for (let n = 0; n < 205; n += 1) stored.push(await store(db, tenantId, randomUUID(), `${n}`));
  stored.push(await store(db, tenantId, eventId, "last"));
  await store(db, other.id, eventId, "elsewhere");
  const newestFirst = stored.toReversed();

  const all = await list(db, { tenantId });
  assertEach(all, (message) => message.id, newestFirst);
  const { createdAt, ...first } = all[0]!;
  assert.deepEqual(first, {
    id: newestFirst[0],
    eventId,
    channel: "SMS",
    to: "+12025550123",
    subject: null,
    html: null,
    text: "last",
    segments: 1,
  });
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.equal((await list(db, { tenantId, limit: 201 })).length, 201);
  assert.equal((await list(db, { tenantId, eventId })).length, 1);
});

test("one message of the outbox is shown by its id, within a tenant if it is named", async (t) => {
  const db = await testDatabase(t);
  const id = await store(db, "acme", randomUUID(), "Hello");
  assert.equal((await showOutboxMessage(db, id)).text, "Hello");
  await assert.rejects(showOutboxMessage(db, id, "other"), NotFound);
  await assert.rejects(showOutboxMessage(db, "nothing"), NotFound);
  await assert.rejects(list(db, { tenantId: "nobody" }), NotFound);
  await assert.rejects(list(db, { tenantId: "acme", eventId: "1001" }), InvalidInput);
});

test("a mail's headers for unsubscribing are shown by their names, and other messages have none", async (t) => {
  const db = await testDatabase(t);
  const plain = await store(db, "acme", randomUUID(), "Hello");
  assert.ok(!("headers" in (await showOutboxMessage(db, plain))));
  const headers = {
    "List-Unsubscribe": "<https://mail.example.com/unsubscribe/k1.abc>",
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "List-Id": "<offers.acme.mail.example.com>",
  };
  const id = await store(db, "acme", randomUUID(), "Offers", headers);
  assert.deepEqual((await showOutboxMessage(db, id)).headers, headers);
  assert.deepEqual((await outboxOfTenant(db, "acme", { limit: 1 }))[0]!.headers, headers);
});

async function list(db: Database, query: OutboxQuery) {
  const messages: OutboxMessage[] = [];
  for await (const page of outboxPages(db, query)) messages.push(...page);
  return messages;
}

async function store(
  db: Database,
  tenantId: string,
  eventId: string,
  text: string,
  headers?: Record<string, string>,
) {
  return await storeOutboxMessage(db, {
    ...(headers === undefined ? {} : { headers }),
    deliveryId: randomUUID(),
    tenantId,
    eventId,
    channel: "SMS",
    to: "+12025550123",
    subject: null,
    html: null,
    text,
    segments: 1,
  });
}
