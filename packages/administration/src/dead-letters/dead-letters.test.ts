import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { releaseDeliveries } from "@belfry/database/functions/release-deliveries";
import { storeReceipts } from "@belfry/database/functions/store-receipts";
import { storeDeadMessage } from "@belfry/database/message-tries";
import { assertEach } from "@belfry/testing/assert-each";
import { anEvent } from "@belfry/testing/rows";
import { tenantDatabase } from "../../test/database.ts";
import { readEvent } from "../events/event-report.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { discardDeadLetters, replayDeadLetters } from "./change-dead-letters.ts";
import { glanceAtDeadLetters, listDeadLetters, showDeadLetter } from "./dead-letters.ts";

async function setUp(t: TestContext) {
  const { pool, db, tenantId } = await tenantDatabase(t);
  const version = async (sensitive = false) => {
    const id = randomUUID();
    await pool.sql`insert into templates (id, tenant_id, event_type, channel, sensitive)
      values (${id}::uuid, ${tenantId}, ${id}::uuid::text, 'EMAIL', ${sensitive})`;
    const rows = await pool.sql`insert into template_versions (template_id, version, content,
        compiled)
      values (${id}, 1, 'x', '{}') returning id`;
    return rows[0].id as string;
  };
  const plain = await version();
  /** A delivery that ended, with one attempt a class. */
  const dead = async (
    more: {
      tenant?: string;
      channel?: "EMAIL" | "SMS";
      status?: string;
      classes?: string[];
      reason?: string;
      versionId?: string;
      endedAt?: string;
      expiresAt?: string;
    } = {},
  ) => {
    const [id, eventId] = [randomUUID(), randomUUID()];
    const {
      tenant = tenantId,
      channel = "EMAIL",
      status = "failed",
      classes = ["transient"],
    } = more;
    const variables = more.versionId === undefined ? "{}" : null;
    await pool.sql`insert into events (id, tenant_id, event_type, user_id, recipient_email,
        recipient_phone, variables, trace_id, accepted_at, dispatched_at)
      values (${eventId}, ${tenant}, 'order', 'ann', 'ann@example.com', '+12025550123', ${variables}, 'trace',
        now(), now())`;
    await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, status, reason,
        template_version_id, attempts, retries, settled_at, expires_at)
      values (${id}, ${eventId}, ${tenant}, ${channel}, ${status},
        ${more.reason ?? "retries exhausted: HTTP 500"}, ${more.versionId ?? plain}, ${classes.length}, 7,
        coalesce(${more.endedAt ?? null}::timestamptz, now()), ${more.expiresAt ?? null})`;
    for (const [index, name] of classes.entries()) {
      await pool.sql`insert into attempts (delivery_id, number, provider_kind, started_at,
          ended_at, class, vendor_answer)
        values (${id}, ${index + 1}, ${channel === "EMAIL" ? "sendgrid" : "vonage"}, now(), now(), ${name},
          'try later')`;
    }
    return { id, eventId };
  };
  const row = async (id: string) => {
    return (await pool.sql`select * from deliveries where id = ${id}`)[0];
  };
  return { pool, db, tenantId, version, dead, row };
}

test("dead letters are grouped by tenant, channel, provider and error class, with counts and examples", async (t) => {
  const { db, tenantId, dead } = await setUp(t);
  const { id: otherId } = await createTenant(db, { name: "Other" });
  for (let index = 0; index < 4; index += 1) await dead({ reason: `HTTP ${500 + index}` });
  await dead({ channel: "SMS", classes: ["permanent"] });
  await dead({ classes: [], reason: "rendered content too large" });
  await dead({ status: "expired", classes: [] });
  await dead({ status: "unknown", classes: ["ambiguous"] });
  await dead({ tenant: otherId });
  await dead({ status: "accepted", classes: ["accepted"] });
  const groups = await listDeadLetters(db, { tenantId });
  assertEach(
    groups,
    ({ channel, provider, class: name, count }) => [channel, provider, name, count],
    [
      ["EMAIL", "sendgrid", "transient", 4],
      ["EMAIL", "sendgrid", "unknown", 1],
      ["EMAIL", null, "expired", 1],
      ["EMAIL", null, "untried", 1],
      ["SMS", "vonage", "permanent", 1],
    ],
  );
  assertEach(groups[0]?.examples, ({ reason }) => reason, ["HTTP 503", "HTTP 502", "HTTP 501"]);
  assert.equal((await listDeadLetters(db)).length, 6);
  assert.equal((await listDeadLetters(db, { tenantId, class: "permanent" })).length, 1);
  assert.equal((await listDeadLetters(db, { tenantId, channel: "SMS" })).length, 1);
  assert.equal((await listDeadLetters(db, { tenantId, provider: "vonage" })).length, 1);
  assert.deepEqual(await listDeadLetters(db, { since: new Date(Date.now() + 60_000) }), []);
  assert.deepEqual(await listDeadLetters(db, { until: new Date(Date.now() - 60_000) }), []);
  await assert.rejects(listDeadLetters(db, { tenantId: "nobody" }), NotFound);
});

test("at a glance only so many are looked at, of a tenant the newest, and it says that there are more", async (t) => {
  const { db, tenantId, dead } = await setUp(t);
  const { id: otherId } = await createTenant(db, { name: "Other" });
  const ended = (minute: number) => `2026-01-01T00:0${minute}:00Z`;
  for (let minute = 1; minute <= 3; minute += 1) await dead({ endedAt: ended(minute) });
  await dead({ channel: "SMS", classes: ["permanent"], endedAt: ended(4) });
  await dead({ tenant: otherId, endedAt: ended(5) });
  const glance = async (most?: number, tenant: string | undefined = tenantId) => {
    const { groups, ofNewest } = await glanceAtDeadLetters(db, { tenantId: tenant }, most);
    return [groups.map(({ channel, count }) => [channel, count]), ofNewest];
  };
  const all = [
    ["EMAIL", 3],
    ["SMS", 1],
  ];
  assert.deepEqual(await glance(), [all, undefined]);
  const two = [
    ["EMAIL", 1],
    ["SMS", 1],
  ];
  assert.deepEqual(await glance(2), [two, 2]);
  const { groups, ofNewest } = await glanceAtDeadLetters(db, {}, 4);
  assert.deepEqual([groups.reduce((sum, { count }) => sum + count, 0), ofNewest], [4, 4]);
});

test("a replay is a new attempt of the same delivery: released like any other, its attempts kept", async (t) => {
  const { db, pool, tenantId, dead, row } = await setUp(t);
  const { id, eventId } = await dead({ classes: ["transient", "transient"] });
  const { endedBefore, ...result } = await replayDeadLetters(db, { ids: [id] });
  assert.deepEqual(result, { dryRun: false, count: 1, more: false, ids: [id], refused: [] });
  assert.ok(Math.abs(Date.parse(endedBefore) - Date.now()) < 60_000, endedBefore);
  const queued = await row(id);
  assert.deepEqual(
    [queued.status, queued.released_at, queued.settled_at, queued.attempts, queued.retries],
    ["queued", null, null, 2, 0],
  );
  const { timeline } = await readEvent(db, eventId);
  assert.match(timeline.at(-1)!.what, /^waiting to be sent, due at .*: replayed by hand$/);
  const { released } = await releaseDeliveries(pool, {
    ...{ channel: "EMAIL", inFlightPerTenant: 10, after: "", most: 10 },
  });
  assertEach(released, (delivery) => delivery.id, [id]);
  const [claimed] = await claimDeliveries(
    pool,
    [{ id, tenantId, provider: { id: randomUUID(), kind: "sendgrid" } }],
    { channel: "EMAIL", leaseMs: 1000, maxRetries: 7 },
  );
  assert.ok(claimed?.becomes === "sending");
  assert.deepEqual([claimed.delivery.attempt, claimed.delivery.retries], [3, 0]);
});

test("what a provider has accepted is never replayed, by its answer or by its receipt", async (t) => {
  const { db, pool, tenantId, dead, row } = await setUp(t);
  const accepted = await dead({ status: "accepted", classes: ["accepted"] });
  const late = await dead({ classes: ["accepted", "transient"] });
  const received = await dead({ classes: ["ambiguous"] });
  await storeReceipts(pool, { tenantId, channels: ["EMAIL"], providerKind: "sendgrid" }, [
    {
      ...{ vendorEvent: "e1", deliveryId: received.id, kind: "delivered", suppress: null },
      ...{ reason: null, vendorStatus: null, occurredAt: null },
    },
  ]);
  const ids = [accepted.id, late.id, received.id];
  const result = await replayDeadLetters(db, { ids });
  assert.equal(result.count, 0);
  assert.deepEqual(
    new Map(result.refused.map(({ id, reason }) => [id, reason])),
    new Map([
      [accepted.id, "it is accepted"],
      [late.id, "a provider accepted an earlier attempt"],
      [received.id, "a provider has it, by its receipt"],
    ]),
  );
  assert.equal((await replayDeadLetters(db, { tenantId })).count, 0);
  for (const id of ids) assert.notEqual((await row(id)).status, "queued");
});

test("a filter leaves out what expired or is unknown, unless it asks for it; then the expiry is lifted", async (t) => {
  const { db, tenantId, dead, row } = await setUp(t);
  const past = new Date(Date.now() - 60_000).toISOString();
  const expired = await dead({ status: "expired", classes: [], expiresAt: past });
  const unknown = await dead({ status: "unknown", classes: ["ambiguous"] });
  const failed = await dead();
  assert.deepEqual((await replayDeadLetters(db, { tenantId })).ids, [failed.id]);
  assert.deepEqual((await replayDeadLetters(db, { tenantId, class: "expired" })).ids, [expired.id]);
  assert.equal((await row(expired.id)).expires_at, null);
  assert.deepEqual((await replayDeadLetters(db, { ids: [unknown.id] })).ids, [unknown.id]);
});

test("codes whose variables were erased, and deliveries of an inactive tenant, are not replayed", async (t) => {
  const { db, pool, dead, tenantId, version } = await setUp(t);
  const code = await dead({ versionId: await version(true) });
  const [erased] = (await replayDeadLetters(db, { ids: [code.id] })).refused;
  assert.match(erased?.reason ?? "", /variables were erased/);
  const other = await dead();
  await pool.sql`update tenants set active = false where id = ${tenantId}`;
  const [inactive] = (await replayDeadLetters(db, { ids: [other.id] })).refused;
  assert.equal(inactive?.reason, "tenant inactive");
});

test("a dry run says how many, and changes nothing; then all go, in small batches", async (t) => {
  const { db, tenantId, dead } = await setUp(t);
  for (let index = 0; index < 5; index += 1) await dead();
  const { id: sms } = await dead({ channel: "SMS" });
  const filter = { tenantId, channel: "EMAIL" } as const;
  for (const run of [replayDeadLetters, discardDeadLetters]) {
    const { count, ids, dryRun } = await run(db, filter, { dryRun: true });
    assert.deepEqual([count, ids.length, dryRun], [5, 5, true]);
    assert.equal((await listDeadLetters(db, filter))[0]?.count, 5);
  }
  assert.equal((await replayDeadLetters(db, filter)).count, 5);
  assert.deepEqual((await replayDeadLetters(db, filter)).ids, []);
  assertEach((await listDeadLetters(db, { tenantId }))[0]?.examples, ({ id }) => id, [sms]);
});

test("more than one batch is replayed, and what ends again meanwhile is left alone", async (t) => {
  const { db, pool, tenantId, dead } = await setUp(t);
  const { id } = await dead();
  await pool.sql`insert into events (id, tenant_id, event_type, user_id, variables, trace_id,
      accepted_at)
    select gen_random_uuid(), ${tenantId}, 'bulk', 'ann', '{}', 't', now() from generate_series(1, 450)`;
  await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, status,
      template_version_id, settled_at)
    select gen_random_uuid(), e.id, ${tenantId}, 'EMAIL', 'failed', d.template_version_id,
      now() - interval '1 hour'
    from events e, deliveries d where e.event_type = 'bulk' and d.id = ${id}`;
  await pool.sql`update deliveries set settled_at = now() + interval '1 hour' where id = ${id}`;
  assert.equal((await replayDeadLetters(db, { tenantId })).count, 450);
  const [left] = await listDeadLetters(db, { tenantId });
  assert.deepEqual([left?.count, left?.examples[0]?.id], [1, id]);
});

test("a large replay goes call by call: each says whether more may remain, and takes nothing that failed again since the first", async (t) => {
  const { db, pool, tenantId, dead } = await setUp(t);
  for (let index = 0; index < 5; index += 1) await dead();
  // They fail anew without being sent.
  await pool.query("alter table deliveries disable trigger deliveries_move");
  const filter = { tenantId, class: "transient" } as const;
  for (const run of [replayDeadLetters, discardDeadLetters]) {
    await pool.query("update deliveries set status = 'failed', settled_at = now()");
    const { endedBefore } = await run(db, filter, { dryRun: true });
    const counts = [];
    let more = true;
    while (more) {
      const call = await run(db, filter, { most: 2, endedBefore });
      counts.push(call.count);
      more = call.more;
      // One of them fails once more before the next call.
      await pool.sql`update deliveries set status = 'failed', settled_at = clock_timestamp()
        where id = ${call.ids[0]}`;
    }
    assert.deepEqual(counts, [2, 2, 1]);
    const left = await run(db, filter, { dryRun: true, endedBefore });
    assert.deepEqual([left.count, left.ids], [0, []]);
    assert.equal((await run(db, filter, { dryRun: true })).count, 3);
  }
  for (const endedBefore of ["now()", "2026-02-31T00:00:00.000000Z", ""]) {
    await assert.rejects(replayDeadLetters(db, filter, { endedBefore }), InvalidInput);
  }
});

test("what is discarded ends for good, with its attempts; what is under way is not discarded", async (t) => {
  const { db, dead, row } = await setUp(t);
  const { id } = await dead();
  const waiting = await dead({ status: "waiting" });
  const result = await discardDeadLetters(db, { ids: [id, waiting.id, randomUUID()] });
  assert.deepEqual(result.ids, [id]);
  assert.deepEqual(
    result.refused.map(({ reason }) => reason),
    ["it is waiting", "no dead letter has this id"],
  );
  const shown = await showDeadLetter(db, id);
  assert.ok("attempts" in shown);
  assert.deepEqual(
    [shown.status, shown.obstacle, shown.attempts[0]?.vendorAnswer],
    ["discarded", "it is discarded", "try later"],
  );
  assert.equal((await replayDeadLetters(db, { ids: [id] })).count, 0);
  assert.equal((await row(waiting.id)).status, "waiting");
});

test("another tenant's dead letter is as unknown as none", async (t) => {
  const { db, dead } = await setUp(t);
  const { id: other } = await createTenant(db, { name: "Other" });
  const { id } = await dead();
  await assert.rejects(showDeadLetter(db, id, other), NotFound);
  const { refused } = await replayDeadLetters(db, { ids: [id], tenantId: other });
  assert.equal(refused[0]?.reason, "no dead letter has this id");
  await assert.rejects(showDeadLetter(db, "nothing"), NotFound);
  await assert.rejects(replayDeadLetters(db, { ids: ["nothing"] }), InvalidInput);
});

test("a message set aside is shown; what it named goes out again, and an undecodable one can only be discarded", async (t) => {
  const { db, pool, tenantId, dead, row } = await setUp(t);
  const delivery = await dead({ status: "queued", classes: [] });
  await pool.sql`update deliveries set released_at = now(), due_at = now()
    where id = ${delivery.id}`;
  const dispatched = (outcome: object) =>
    anEvent(pool, { tenant_id: tenantId, outcome: JSON.stringify(outcome) });
  const event = await dispatched({ failed: { EMAIL: "x", SMS: "x", PUSH: "x" } });
  // Its notification could not be rendered, and nothing else was wanted: that stays so.
  const decided = await dispatched({ failed: { PUSH: "x" }, skipped: { EMAIL: "x", SMS: "x" } });
  const message = (stream: string, subject: string, data: string) =>
    storeDeadMessage(pool, {
      ...{
        stream,
        subject,
        data: Buffer.from(data),
        deliveries: 11,
        reason: "delivered too often",
      },
    });
  const named = (...ids: string[]) =>
    JSON.stringify({ version: 1, items: ids.map((id) => ({ id, traceId: "t" })) });
  const ofDelivery = await message("d", `belfry.deliveries.EMAIL.${tenantId}`, named(delivery.id));
  const ofEvent = await message("e", "belfry.events.express", named(event, decided));
  const broken = await message("e", "belfry.events.express", "\u0000{");

  assert.equal((await listDeadLetters(db)).length, 2);
  assert.deepEqual(
    (await listDeadLetters(db, { tenantId })).map((group) => [group.class, group.channel]),
    [["message", "EMAIL"]],
  );
  const shown = await showDeadLetter(db, broken);
  assert.ok("data" in shown);
  assert.deepEqual([shown.replayable, shown.data], [false, "AHs="]);

  const result = await replayDeadLetters(db, { class: "message" });
  assert.deepEqual(result.ids.toSorted(), [ofDelivery, ofEvent].toSorted());
  assert.deepEqual(result.refused, [{ id: broken, reason: "it cannot be decoded" }]);
  assert.equal((await row(delivery.id)).released_at, null);
  assert.deepEqual(await pool.sql`select event_id from undispatched_events`, [{ event_id: event }]);
  assert.deepEqual((await discardDeadLetters(db, { ids: [broken] })).ids, [broken]);
  assert.deepEqual(await listDeadLetters(db), []);
});
