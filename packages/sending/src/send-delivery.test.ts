import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createPool } from "@belfry/database/connection";
import { cancelEvents } from "@belfry/database/functions/cancel-events";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { createHandClock } from "@belfry/testing/hand-clock";
import { anAttempt } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { createFixture, EMAIL_TEMPLATE, type Fixture, message } from "../test/sending-fixture.ts";
import { createShop } from "../test/shop.ts";
import { type Answer, accept, deliveryOf, startVendor, status } from "../test/vendor.ts";

const DONE = { kind: "done" };

test("a message that arrives twice, even at the same time, is sent once", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t);
  const id = await fixture.delivery(tenant, version);
  const sender = fixture.sender();
  const twice = [message(tenant, [id, id]), message(tenant, [id])];
  const [first, second] = await sender.handle(...twice);
  assert.ok([first, second].some((outcome) => outcome?.kind === "done"));
  assert.deepEqual(await sender.handle(message(tenant, [id])), [DONE]);
  assert.equal(vendor.calls.length, 1);
  assert.equal((await fixture.attempts(id)).length, 1);
});

test("two senders share deliveries and send each once", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t);
  const ids = await Promise.all(
    Array.from({ length: 60 }, () => fixture.delivery(tenant, version)),
  );
  const senders = [fixture.sender(), fixture.sender()];
  const messages = [0, 20, 40].map((at) => message(tenant, ids.slice(at, at + 20)));
  await Promise.all(senders.flatMap((sender) => messages.map((one) => sender.handle(one))));
  assert.deepEqual(vendor.calls.map(deliveryOf).sort(), ids.toSorted());
  const rows = await fixture.pool.sql`select distinct status from deliveries`;
  assert.deepEqual(rows, [{ status: "accepted" }]);
});

test("a message whose delivery another sender holds is delivered again when the lease ends", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t);
  const id = await fixture.delivery(tenant, version);
  await leaveSending(fixture, id, 20_000);
  const from = await fixture.nowMs();
  const [outcome] = await fixture.sender().handle(message(tenant, [id]));
  const to = await fixture.nowMs();
  assert.ok(outcome?.kind === "retry");
  const leaseEnd = (await fixture.row(id)).claimed_until;
  const { delayMs } = outcome;
  assert.ok(delayMs >= leaseEnd - to && delayMs <= leaseEnd - from + 1_000, `${delayMs} ms`);
  assert.equal(vendor.calls.length, 0);
});

test("a delivery that a dying sender left is sent again, and the timeline shows both attempts", async (t) => {
  const { fixture, tenant, version } = await createShop(t);
  const id = await fixture.delivery(tenant, version);
  await leaveSending(fixture, id, -1);
  assert.deepEqual(await fixture.sender().handle(message(tenant, [id])), [DONE]);
  const row = await fixture.row(id);
  assert.equal(row.status, "accepted");
  assert.deepEqual([row.attempts, row.retries], [2, 1]);
  const classes = (await fixture.attempts(id)).map((attempt) => attempt.class);
  assert.deepEqual(classes, ["ambiguous", "accepted"]);
});

test("at most once: a delivery that a dying sender left ends as unknown", async (t) => {
  const { fixture, vendor, tenant } = await createShop(t);
  const version = await fixture.template(tenant, EMAIL_TEMPLATE, { atMostOnce: true });
  const id = await fixture.delivery(tenant, version);
  await leaveSending(fixture, id, -1);
  assert.deepEqual(await fixture.sender().handle(message(tenant, [id])), [DONE]);
  assert.equal((await fixture.row(id)).status, "unknown");
  assert.equal((await fixture.attempts(id))[0].class, "ambiguous");
  assert.equal(vendor.calls.length, 0);
});

test("a call that waits for its moment does not begin once its event or its broadcast is cancelled", async (t) => {
  const fixture = await createFixture(t);
  const { pool, db } = fixture;
  const vendor = await startVendor(t);
  const tenant = await fixture.tenant();
  await fixture.sendgrid(tenant, vendor.url, { maxPerSecond: 4 });
  const version = await fixture.template(tenant);
  const ids = [];
  for (let count = 0; count < 4; count += 1) ids.push(await fixture.delivery(tenant, version));
  const [first, ofEvent, ofBroadcast, last] = ids as [string, string, string, string];
  const broadcastId = uuidv7();
  await pool.sql`insert into broadcasts (id, tenant_id, event_type, trace_id, total)
    values (${broadcastId}, ${tenant}, 'order.confirmed', 't', 1)`;
  await pool.sql`update deliveries set broadcast_id = ${broadcastId} where id = ${ofBroadcast}`;
  const clock = createHandClock();
  const handled = fixture.sender({ clock }).handle(message(tenant, ids));
  await eventually(async () => {
    const { rowCount } = await pool.query("select from deliveries where status = 'sending'");
    assert.deepEqual([vendor.calls.length, rowCount], [1, 3]);
  });
  const { event_id } = await fixture.row(ofEvent);
  const [told] = await cancelEvents(db, tenant, [event_id]);
  assert.equal(told?.verdict, "pending");
  await pool.sql`update broadcasts set cancel_asked_at = now() where id = ${broadcastId}`;
  const moving = setInterval(() => clock.advance(1000), 10);
  await handled.finally(() => clearInterval(moving));
  assert.deepEqual(vendor.calls.map(deliveryOf), [first, last]);
  assertHas(await fixture.row(ofEvent), { status: "skipped", reason: "cancelled", attempts: 0 });
  assertHas(await fixture.row(ofBroadcast), { status: "waiting", released_at: null, attempts: 0 });
});

test("if Postgres is away after the vendor's answer, the answer is stored when it is back, and the message is sent once", async (t) => {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  const admin = createPool({
    url: fixture.url.replace(/[^/]*$/, "postgres"),
    applicationName: "admin",
  });
  t.after(() => admin.end());
  const name = fixture.url.split("/").at(-1);
  const vendor = await startVendor(t, async (response, call) => {
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
      name,
    ]);
    accept(response, call);
  });
  await fixture.sendgrid(tenant, vendor.url);
  const id = await fixture.delivery(tenant, await fixture.template(tenant));
  const back = async () => {
    const cannotSettle = () =>
      fixture.logged.some(({ msg }) => msg === "cannot settle: trying again");
    await eventually(cannotSettle);
    await admin.query(`alter database ${name} allow_connections true`);
  };
  const [outcomes] = await Promise.all([fixture.sender().handle(message(tenant, [id])), back()]);
  assert.deepEqual(outcomes, [DONE]);
  assert.equal((await fixture.row(id)).status, "accepted");
  assert.equal(vendor.calls.length, 1);
});

/** A delivery whose lease ends before the vendor answers, and which another sender has tried by then. */
async function overtaken(t: TestContext, late: Answer, meanwhile: Answer) {
  const { fixture, vendor, tenant, version } = await createShop(t);
  const id = await fixture.delivery(tenant, version);
  const [frozen, other] = [fixture.sender(), fixture.sender()];
  const answered = Promise.withResolvers<() => void>();
  vendor.answer = (response, call) => answered.resolve(() => late(response, call));
  const handled = frozen.handle(message(tenant, [id]));
  const answer = await answered.promise;
  await endLease(fixture, id);
  vendor.answer = meanwhile;
  await other.handle(message(tenant, [id]));
  return {
    fixture,
    id,
    answer: async () => {
      answer();
      await handled;
    },
  };
}

test("an acceptance that arrives after the lease still ends the delivery", async (t) => {
  const { fixture, id, answer } = await overtaken(t, accept, status(500));
  assert.equal((await fixture.row(id)).status, "waiting");
  await answer();
  const row = await fixture.row(id);
  assert.deepEqual([row.status, row.due_at, row.released_at], ["accepted", null, null]);
  const classes = (await fixture.attempts(id)).map((attempt) => attempt.class);
  assert.deepEqual(classes, ["accepted", "transient"]);
});

test("a sender renews the lease of a delivery for as long as the provider takes", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t);
  const id = await fixture.delivery(tenant, version);
  const answered: (() => void)[] = [];
  vendor.answer = (response, call) => void answered.push(() => accept(response, call));
  const clock = createHandClock();
  const patient = { leaseMs: 600_000, providerTimeoutMs: 500_000, clock };
  const slow = fixture.sender(patient).handle(message(tenant, [id]));
  await eventually(() => answered.length === 1);
  const claimed = (await fixture.row(id)).claimed_until;
  clock.advance(patient.leaseMs / 4);
  await eventually(async () => (await fixture.row(id)).claimed_until > claimed);
  const [outcome] = await fixture.sender().handle(message(tenant, [id]));
  assert.equal(outcome!.kind, "retry");
  answered[0]!();
  await slow;
  assert.equal((await fixture.row(id)).status, "accepted");
  assert.equal(vendor.calls.length, 1);
});

test("a failure that arrives after the lease changes nothing", async (t) => {
  const { fixture, id, answer } = await overtaken(t, status(400), accept);
  await answer();
  assert.equal((await fixture.row(id)).status, "accepted");
});

test("a delivery that is not due yet, or belongs to another tenant, is not touched", async (t) => {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const [tenant, other] = [await fixture.tenant(), await fixture.tenant()];
  await fixture.sendgrid(tenant, vendor.url);
  const version = await fixture.template(tenant);
  const later = await fixture.delivery(tenant, version, { dueInMs: 60_000 });
  const theirs = await fixture.delivery(other, version);
  assert.deepEqual(await fixture.sender().handle(message(tenant, [later, theirs])), [DONE]);
  assert.equal(vendor.calls.length, 0);
  assert.equal((await fixture.row(later)).status, "queued");
  assert.equal((await fixture.row(theirs)).status, "queued");
});

/** Ends the lease, as if the sender that holds it had been frozen for too long. */
async function endLease(fixture: Fixture, id: string): Promise<void> {
  await fixture.pool.sql`update deliveries set claimed_until = clock_timestamp() where id = ${id}`;
}

/** Leaves a delivery in the state of a sender that died during its first call. */
async function leaveSending(fixture: Fixture, id: string, leaseMs: number): Promise<void> {
  await fixture.pool.sql`update deliveries set status = 'sending', attempts = 1,
    claimed_until = clock_timestamp() + ${leaseMs} * interval '1 ms' where id = ${id}`;
  await anAttempt(fixture.pool, { delivery_id: id });
}
