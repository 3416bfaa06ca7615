import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import { outboxOfTenant, storeOutboxMessage } from "@belfry/database/outbox";
import { assertEach } from "@belfry/testing/assert-each";
import { actsIn } from "../../test/acts.ts";
import { tenantDatabase, testDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { listOutbox, showOutboxMessage, tenantOfMessage } from "./outbox.ts";

test("a tenant's outbox comes newest first over all pages, each message once, and none of another tenant", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const other = await createTenant(db, { name: "Other" });
  const eventId = randomUUID();
  const stored: string[] = [];
  for (let n = 0; n < 205; n += 1) stored.push(await store(db, tenantId, randomUUID(), `${n}`));
  stored.push(await store(db, tenantId, eventId, "last"));
  await store(db, other.id, eventId, "elsewhere");
  const newestFirst = stored.toReversed();

  const run = actsIn(db, tenantId);
  const all: Awaited<ReturnType<typeof outboxOfTenant>> = [];
  for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
    const page = await run(listOutbox, { limit: 100, after });
    all.push(...page.items);
    after = page.next;
  }
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
  assert.equal((await run(listOutbox, {})).items.length, 200);
  assert.equal((await run(listOutbox, { eventId })).items.length, 1);
});

test("one message of the outbox is shown by its id within its tenant, which the id alone leads to", async (t) => {
  const db = await testDatabase(t);
  const id = await store(db, "acme", randomUUID(), "Hello");
  assert.equal((await actsIn(db, "acme")(showOutboxMessage, { id: id })).text, "Hello");
  assert.equal(await tenantOfMessage(db, id), "acme");
  await assert.rejects(tenantOfMessage(db, "nothing"), NotFound);
  await assert.rejects(actsIn(db, "other")(showOutboxMessage, { id }), NotFound);
  await assert.rejects(actsIn(db, "acme")(showOutboxMessage, { id: "nothing" }), NotFound);
  await assert.rejects(actsIn(db, "nobody")(listOutbox, {}), NotFound);
  await assert.rejects(actsIn(db, "acme")(listOutbox, { eventId: "1001" }), InvalidInput);
});

test("a mail's headers for unsubscribing are shown by their names, and other messages have none", async (t) => {
  const db = await testDatabase(t);
  const plain = await store(db, "acme", randomUUID(), "Hello");
  assert.ok(!("headers" in (await actsIn(db, "acme")(showOutboxMessage, { id: plain }))));
  const headers = {
    "List-Unsubscribe": "<https://mail.example.com/unsubscribe/k1.abc>",
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "List-Id": "<offers.acme.mail.example.com>",
  };
  const id = await store(db, "acme", randomUUID(), "Offers", headers);
  assert.deepEqual((await actsIn(db, "acme")(showOutboxMessage, { id: id })).headers, headers);
  assert.deepEqual((await outboxOfTenant(db, "acme", { limit: 1 }))[0]!.headers, headers);
});

test("a mail's files are listed without their bytes", async (t) => {
  const db = await testDatabase(t);
  const attachments = [
    { name: "a.pdf", type: "application/pdf", bytes: 3, sha256: "0".repeat(64) },
    { name: "b.png", type: "image/png", bytes: 4, sha256: "1".repeat(64), cid: "logo" },
  ];
  const id = await storeOutboxMessage(db, {
    ...{ deliveryId: randomUUID(), tenantId: "acme", eventId: randomUUID(), channel: "EMAIL" },
    ...{ to: "a@x.io", subject: "s", html: "h", text: "t", segments: null, attachments },
  });
  assert.deepEqual((await actsIn(db, "acme")(showOutboxMessage, { id })).attachments, attachments);
});

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
