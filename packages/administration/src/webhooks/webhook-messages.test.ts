import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import { claimWebhooks } from "@belfry/database/functions/claim-webhooks";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { databaseOver } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";
import { untilBlocked } from "@belfry/testing/until-blocked";
import type { Static } from "@sinclair/typebox";
import { sql } from "kysely";
import { webhookWorld } from "../../test/webhook-world.ts";
import type { ActContext } from "../act.ts";
import { NotFound, TooLate } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import {
  firstTryOf,
  MAX_REPLAYED,
  replayWebhook,
  resendWebhookMessage,
  testWebhook,
} from "./send-webhook-message.ts";
import { webhookAttempts, webhookMessage, webhookMessages } from "./webhook-messages.ts";
import { changeWebhook, deleteWebhook, showWebhook } from "./webhooks.ts";

const LONG_AGO = "2020-01-01T00:00:00Z";
const HOUR_MS = 3_600_000;

/** A call whose transaction stays open. */
const inTransaction = (db: Database, { tenantId }: { tenantId: string }) =>
  ({ db, tenantId }) as ActContext;

/** Writes messages whose deliveries have this status. */
const tellMany = (
  db: Database,
  { tenantId, webhookId }: { tenantId: string; webhookId: string },
  count: number,
  status: string,
) =>
  sql`
    with told as (
      insert into webhook_messages (id, webhook_id, tenant_id, type, payload)
      select id_of_now(), ${webhookId}::uuid, ${tenantId}, 'delivery.accepted', '{}'
      from generate_series(1, ${count}) returning id
    )
    insert into deliveries (id, event_id, tenant_id, channel, status, settled_at)
    select id, id, ${tenantId}, 'WEBHOOK', ${status}, now() from told`.execute(db);

test("a message is sent again with its webhook-id, whatever became of it, but not while it is under way", async (t) => {
  const { run, db, pool, of, tenantId, tell, settle } = await webhookWorld(t);
  const messageId = await tell();
  for (const open of ["queued", "waiting"]) {
    if (open === "waiting") await settle(messageId, open);
    await assert.rejects(run(resendWebhookMessage, { ...of, messageId }), TooLate, open);
  }
  await settle(messageId, "failed");
  const first = await run(resendWebhookMessage, { ...of, messageId });
  assert.deepEqual([first.headerId, first.url], [messageId, "https://example.com/hooks"]);
  assert.notEqual(first.messageId, messageId);
  for (const id of [messageId, first.messageId]) {
    await assert.rejects(run(resendWebhookMessage, { ...of, messageId: id }), /still under way/);
  }
  const original = await run(webhookMessage, { ...of, messageId });
  const copy = await run(webhookMessage, { ...of, messageId: first.messageId });
  assert.equal(copy.payload, original.payload);
  assertHas(copy.message, { type: original.message.type, headerId: messageId });

  const [row] = await db
    .selectFrom("deliveries")
    .select("id")
    .where("event_id", "=", first.messageId)
    .execute();
  const [claim] = await claimWebhooks(pool, [{ id: row!.id, tenantId }], {
    full: [],
    leaseMs: 1000,
    maxRetries: 9,
  });
  assert.ok(claim?.becomes === "sending");
  assert.equal(claim.webhook.messageId, messageId, "the header of the copy is that of the first");
  await db
    .updateTable("deliveries")
    .set({ status: "accepted", due_at: null })
    .where("id", "=", row!.id)
    .execute();
  // One that has arrived, and a copy of a copy.
  const second = await run(resendWebhookMessage, { ...of, messageId: first.messageId });
  const { message: again } = await run(webhookMessage, { ...of, messageId: second.messageId });
  assert.deepEqual([second.headerId, again.headerId], [messageId, messageId]);
});

test("of two who send one message again at once, one does", async (t) => {
  const { run, db, pool, of, tell, settle } = await webhookWorld(t);
  const messageId = await tell();
  await settle(messageId, "failed");
  let second: Promise<PromiseSettledResult<unknown>[]> | undefined;
  await db.transaction().execute(async (transaction) => {
    await resendWebhookMessage.run(inTransaction(transaction, of), { ...of, messageId }, undefined);
    second = Promise.allSettled([run(resendWebhookMessage, { ...of, messageId })]);
    await Promise.race([untilBlocked(pool), second]);
  });
  const [refused] = (await second) ?? [];
  assert.ok(refused?.status === "rejected" && refused.reason instanceof TooLate);
});

test("what is asked of another tenant's message, of an endpoint that is gone or disabled, is refused", async (t) => {
  const { run, db, of, tenantId, tell, settle } = await webhookWorld(t);
  const messageId = await tell();
  await settle(messageId, "failed");
  const { id: foreign } = await createTenant(db, { name: "Other" });
  const calls = (place: { tenantId: string; webhookId: string; messageId: string }) => [
    run(resendWebhookMessage, place),
    run(webhookMessage, place),
    run(webhookAttempts, place),
  ];
  for (const place of [
    { ...of, messageId, tenantId: foreign },
    { ...of, messageId: randomUUID() },
    { ...of, messageId: "x" },
    { ...of, messageId, webhookId: randomUUID() },
  ]) {
    for (const result of await Promise.allSettled(calls(place))) {
      assert.ok(result.status === "rejected" && result.reason instanceof NotFound);
    }
  }
  const theirs = { tenantId: foreign, webhookId: of.webhookId };
  for (const call of [
    () => run(webhookMessages, theirs),
    () => run(webhookAttempts, theirs),
    () => run(testWebhook, theirs),
    () => run(replayWebhook, { ...theirs, since: LONG_AGO }),
  ]) {
    await assert.rejects(call, NotFound);
  }
  await run(changeWebhook, { ...of, active: false });
  for (const call of [
    () => run(resendWebhookMessage, { ...of, messageId }),
    () => run(testWebhook, of),
    () => run(replayWebhook, { ...of, since: LONG_AGO }),
  ]) {
    await assert.rejects(call, { name: "TooLate", message: /disabled/ });
  }
  await run(deleteWebhook, of);
  await assert.rejects(run(resendWebhookMessage, { ...of, messageId }), NotFound);
  assert.equal((await createTenant(db, { name: tenantId })).name, tenantId);
});

test("a replay sends what did not arrive, once each, and with all what did; nothing that is under way", async (t) => {
  const { run, db, of, tell, settle } = await webhookWorld(t);
  const ids: Record<string, string> = {};
  for (const status of ["accepted", "failed", "waiting", "skipped", "queued", "resent"]) {
    ids[status] = await tell();
    if (status === "resent") await settle(ids[status], "failed");
    else if (status !== "queued") await settle(ids[status], status);
  }
  const arrived = await run(resendWebhookMessage, { ...of, messageId: ids.resent! });
  await settle(arrived.messageId, "accepted");
  const replay = async (all = false) => {
    const { url: _, ...done } = await run(replayWebhook, { ...of, since: LONG_AGO, all });
    return done;
  };
  const copiesOf = async () => {
    const { rows } = await sql<{ of: string }>`
      select m.resend_of as of from webhook_messages m join deliveries d on d.event_id = m.id
      where m.resend_of is not null and d.status = 'queued' order by 1`.execute(db);
    return rows.map((row) => row.of);
  };
  assert.deepEqual(await replay(), { replayed: 2, more: false });
  assert.deepEqual(await copiesOf(), [ids.failed, ids.skipped].sort());
  assert.deepEqual(await replay(), { replayed: 0, more: false }, "their copies are under way");
  assert.deepEqual(await replay(true), { replayed: 2, more: false });
  assert.deepEqual(await copiesOf(), [ids.accepted, ids.failed, ids.skipped, ids.resent].sort());
  for (const { id, status } of (await run(webhookMessages, of)).messages) {
    if (status === "queued" && id !== ids.queued) await settle(id, "failed");
  }
  assert.deepEqual(await replay(), { replayed: 2, more: false }, "no copy of these has arrived");
});

test("a window begins with its first moment and ends before its last", async (t) => {
  const { run, db, of, tell, settle } = await webhookWorld(t);
  const messageId = await tell();
  await settle(messageId, "failed");
  const moment = new Date(Math.floor(Date.now() / 1000) * 1000);
  await sql`update webhook_messages set created_at = ${moment}`.execute(db);
  const at = (ms: number) => new Date(moment.getTime() + ms).toISOString();
  const count = async (since: string, until?: string) => {
    const { replayed } = await run(replayWebhook, { ...of, since, until });
    await sql`delete from deliveries where event_id <> ${messageId}`.execute(db);
    await sql`delete from webhook_messages where id <> ${messageId}`.execute(db);
    return replayed;
  };
  assert.equal(await count(at(0)), 1);
  assert.equal(await count(at(1)), 0);
  assert.equal(await count(at(-HOUR_MS), at(0)), 0);
  assert.equal(await count(at(-HOUR_MS), at(1)), 1);
  assert.equal(await count(at(0), at(1)), 1);
  assert.equal(await count(LONG_AGO, "2100-01-01T01:00:00+01:00"), 1);
  assert.equal(await count("1960-01-01T00:00:00Z"), 1);
  assert.equal(await count("0001-01-01T00:00:00Z"), 1);
  for (const [since, until, field] of [
    ["yesterday", undefined, "since"],
    ["2026-01-01", undefined, "since"],
    ["2026-02-30T00:00:00Z", undefined, "since"],
    [LONG_AGO, "x", "until"],
    [LONG_AGO, LONG_AGO, "until"],
    [at(0), at(-1), "until"],
  ] as const) {
    const refused = run(replayWebhook, { ...of, since, until });
    await assert.rejects(refused, new RegExp(`^InvalidInput: ${field} must`));
  }
  await assert.rejects(run(replayWebhook, { ...of, since: LONG_AGO, after: "x" }), /after must be/);
});

test("a replay looks each message and its copies up, even before Postgres has statistics of the tables", async (t) => {
  const { db, pool, of, tenantId } = await webhookWorld(t);
  const many = 1_000;
  await tellMany(db, of, many, "failed");
  await readsAtMost(pool, 4 * many, ["webhook_messages", "deliveries"], async (client) => {
    const context = inTransaction(databaseOver(client), { tenantId });
    const { output } = await replayWebhook.run(context, { ...of, since: LONG_AGO }, undefined);
    assert.equal(output.replayed, many);
  });
});

test("one call replays 10,000 messages, and says that there are more; the next goes on behind them", async (t) => {
  const { run, db, of } = await webhookWorld(t);
  await tellMany(db, of, MAX_REPLAYED + 5, "accepted");
  const first = await run(replayWebhook, { ...of, since: LONG_AGO, all: true });
  assert.deepEqual([first.replayed, first.more], [MAX_REPLAYED, true]);
  // These have arrived meanwhile. A replay without a cursor would send them once more.
  await sql`update deliveries set status = 'sending' where status = 'queued'`.execute(db);
  await sql`update deliveries set status = 'accepted' where status = 'sending'`.execute(db);
  const rest = await run(replayWebhook, { ...of, since: LONG_AGO, all: true, after: first.next });
  assert.deepEqual([rest.replayed, rest.more, rest.next], [5, false, undefined]);
});

test("a tenant's second replay at once is refused; a paused endpoint is called when a person asks", async (t) => {
  const { run, db, of, tell, settle } = await webhookWorld(t);
  const messageId = await tell();
  await settle(messageId, "failed");
  await db.transaction().execute(async (transaction) => {
    const window = { ...of, since: LONG_AGO };
    await replayWebhook.run(inTransaction(transaction, of), window, undefined);
    const other = run(replayWebhook, { ...of, since: LONG_AGO });
    await assert.rejects(other, { name: "TooLate", message: /replay/ });
    await assert.rejects(run(resendWebhookMessage, { ...of, messageId }), /a replay is under way/);
  });
  const pausedUntil = new Date(Date.now() + HOUR_MS);
  const ends = [
    () => run(testWebhook, of),
    () => run(replayWebhook, { ...of, since: LONG_AGO }),
    () => run(resendWebhookMessage, { ...of, messageId }),
  ];
  await db.updateTable("webhooks").set({ paused_until: pausedUntil }).execute();
  const waiting = await run(webhookMessage, { ...of, messageId: await tell() });
  assert.equal(waiting.message.nextAt, pausedUntil.toISOString(), "not before its pause is over");
  for (const ask of ends) {
    await sql`update deliveries set status = 'sending' where status = 'queued'`.execute(db);
    await sql`update deliveries set status = 'failed' where status = 'sending'`.execute(db);
    await db.updateTable("webhooks").set({ paused_until: pausedUntil }).execute();
    await ask();
    const { pausedUntil: now } = await run(showWebhook, of);
    assert.ok(
      now !== null && Date.parse(now) < pausedUntil.getTime() - HOUR_MS / 2,
      "a probe is due",
    );
  }
});

test("a test is sent whatever types are chosen, and its first try is told", async (t) => {
  const { run, db, pool, of, tenantId } = await webhookWorld(t);
  await run(changeWebhook, { ...of, types: ["delivery.failed"] });
  const { messageId } = await run(testWebhook, of);
  const { message, payload } = await run(webhookMessage, { ...of, messageId });
  const { type, data } = JSON.parse(payload);
  assert.deepEqual(
    [type, data.webhookId, message.status],
    ["webhook.test", of.webhookId, "queued"],
  );
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  assert.equal(await firstTryOf(db, { ...of, messageId }, { waitMs: 1000, sleep }), undefined);
  assert.equal(waits.length, 5);
  const attempt = await firstTryOf(
    db,
    { ...of, messageId },
    {
      async sleep() {
        const [row] = await db.selectFrom("deliveries").select("id").execute();
        const claim = { full: [], leaseMs: 1000, maxRetries: 9 };
        if (waits.push(0) === 6) await claimWebhooks(pool, [{ id: row!.id, tenantId }], claim);
        else
          await sql`update attempts set ended_at = started_at + interval '84 ms', class = 'transient', reason = 'it answered 503',
          vendor_status = '503', vendor_answer = 'no', next_at = started_at + interval '5 s'`.execute(
            db,
          );
      },
    },
  );
  const { at, nextAt, ...rest } = attempt!;
  assert.deepEqual(rest, {
    ...{ messageId, headerId: messageId, type: "webhook.test", eventId: null, number: 1 },
    ...{ durationMs: 84, status: 503, outcome: "failed", reason: "it answered 503", answer: "no" },
    messageStatus: "sending",
  });
  assert.equal(Date.parse(nextAt ?? "") - Date.parse(at), 5000);
});

test("messages and attempts come the newest first, page by page, and by status", async (t) => {
  const { run, db, of, tell, settle } = await webhookWorld(t);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const id = await tell();
    ids.unshift(id);
    await settle(id, n % 2 === 0 ? "accepted" : "failed");
    await sql`insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class)
      select ${id}, i, 'webhook', now(), now(), 'transient' from generate_series(1, 2) i`.execute(
      db,
    );
  }
  await db.updateTable("deliveries").set({ id: sql`event_id` }).execute();
  const messages: string[] = [];
  let after: string | undefined;
  do {
    const page: Static<typeof webhookMessages.output> = await run(webhookMessages, {
      ...of,
      limit: 2,
      after,
    });
    messages.push(...page.messages.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  assert.deepEqual(messages, ids);
  const failed = await run(webhookMessages, { ...of, status: "failed" });
  assertEach(failed.messages, ({ id }) => id, [ids[1], ids[3]]);
  const attempts: string[] = [];
  do {
    const page: Static<typeof webhookAttempts.output> = await run(webhookAttempts, {
      ...of,
      limit: 3,
      after,
    });
    attempts.push(...page.attempts.map(({ messageId, number }) => `${messageId} ${number}`));
    after = page.next;
  } while (after !== undefined);
  assert.deepEqual(
    attempts,
    ids.flatMap((id) => [`${id} 2`, `${id} 1`]),
  );
  for (const bad of [
    { limit: 0 },
    { limit: 501 },
    { limit: 1.5 },
    { status: "sent" as "failed" },
    { after: "x" },
  ]) {
    const [field = ""] = Object.keys(bad);
    const told = new RegExp(`^InvalidInput: ${field} must be`);
    await assert.rejects(run(webhookMessages, { ...of, ...bad }), told);
    await assert.rejects(run(webhookAttempts, { ...of, ...bad }), told);
  }
});
