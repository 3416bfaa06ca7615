import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { createFixture, type Fixture, message } from "../test/sending-fixture.ts";
import { createShop } from "../test/shop.ts";
import { accept, deliveryOf, startVendor, status } from "../test/vendor.ts";

type Sender = ReturnType<Fixture["sender"]>;

test("bad credentials: the next provider takes over at once, in every replica", async (t) => {
  const fixture = await createFixture(t);
  const [broken, good] = [await startVendor(t, status(401)), await startVendor(t)];
  const tenant = await fixture.tenant();
  const first = await fixture.sendgrid(tenant, broken.url, { position: 0 });
  const second = await fixture.sendgrid(tenant, good.url, { position: 1 });
  const version = await fixture.template(tenant);
  const [id, other] = [
    await fixture.delivery(tenant, version),
    await fixture.delivery(tenant, version),
  ];
  const [sender, replica] = [fixture.sender(), fixture.sender()];
  await sender.handle(message(tenant, [id]));
  const row = await fixture.row(id);
  assert.deepEqual([row.status, row.retries], ["waiting", 0]);
  assert.ok(row.due_at <= (await fixture.nowMs()), "due at once");

  await fixture.release(id);
  await sender.handle(message(tenant, [id]));
  const ended = await fixture.row(id);
  assert.deepEqual([ended.status, ended.provider_id], ["accepted", second]);
  const attempts = await fixture.attempts(id);
  assertEach(attempts, (attempt) => [attempt.class, attempt.provider_id], [
    ["credentials", first],
    ["accepted", second],
  ]);
  await replica.refreshCircuits();
  await replica.handle(message(tenant, [other]));
  assert.deepEqual([broken.calls.length, good.calls.length], [1, 2]);
});

test("a bad recipient never fails over", async (t) => {
  const fixture = await createFixture(t);
  const [first, second] = [await startVendor(t, status(400)), await startVendor(t)];
  const tenant = await fixture.tenant();
  await fixture.sendgrid(tenant, first.url, { position: 0 });
  await fixture.sendgrid(tenant, second.url, { position: 1 });
  const version = await fixture.template(tenant);
  const sender = fixture.sender();
  for (let n = 0; n < 5; n += 1) {
    const id = await fixture.delivery(tenant, version);
    await sender.handle(message(tenant, [id]));
    assert.equal((await fixture.row(id)).status, "failed");
  }
  assert.deepEqual([first.calls.length, second.calls.length], [5, 0]);
});

test("after three failures in a row no message is tried, and each waiting one says why", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t, status(503));
  const sender = fixture.sender();
  for (let n = 0; n < 3; n += 1) {
    await sender.handle(message(tenant, [await fixture.delivery(tenant, version)]));
  }
  const id = await fixture.delivery(tenant, version);
  const rows = await fixture.pool.sql`select open_until from provider_circuits`;
  assert.deepEqual(await sender.handle(message(tenant, [id])), [{ kind: "done" }]);
  const to = await fixture.nowMs();
  assert.equal(vendor.calls.length, 3);
  const row = await fixture.row(id);
  assert.deepEqual([row.status, row.attempts, row.retries], ["queued", 0, 0]);
  assert.equal(row.released_at, null);
  assert.match(row.reason, /^waiting for the provider: SendGrid could not take/);
  assert.ok(row.due_at >= rows[0].open_until);
  assert.ok(row.due_at - to < 7_000, `${row.due_at - to}`);
});

test("one probe detects that a provider is back, however many messages wait; then all leave", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t, status(401));
  let announced = 0;
  const announceChange = () => {
    announced += 1;
  };
  const senders = [0, 1].map(() => fixture.sender({ leaseMs: 600_000, announceChange }));
  await senders[0]!.handle(message(tenant, [await fixture.delivery(tenant, version)]));
  const due = () =>
    fixture.pool.query("update provider_circuits set open_until = now(), probe_until = null");
  const refresh = () => Promise.all(senders.map((sender) => sender.refreshCircuits()));
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => fixture.delivery(tenant, version)),
  );
  const handleAll = async () => {
    await fixture.release(...ids);
    const halves = [ids.slice(0, 10), ids.slice(10)];
    await Promise.all(senders.map((sender, at) => sender.handle(message(tenant, halves[at]!))));
  };

  /** Answers once all the others have been put back. */
  const slowly = (code: number) => async (response: ServerResponse) => {
    await eventually(async () => {
      const { rowCount } = await fixture.pool.query(
        "select from deliveries where id = any ($1::uuid[]) and released_at is null",
        [ids],
      );
      return rowCount === ids.length - 1;
    });
    response.writeHead(code).end();
  };

  const before = Date.now();
  vendor.answer = slowly(401);
  await due();
  await refresh();
  await handleAll();
  assert.equal(vendor.calls.length, 2, "one probe, which failed");
  const rows = await fixture.pool.sql`select * from provider_circuits`;
  assert.equal(rows[0].failures, 2);
  assert.ok(rows[0].open_until - before > 50_000, "twice as long");
  assert.equal(announced, 2, "the opening and the failed probe");

  vendor.answer = slowly(202);
  await due();
  await refresh();
  await handleAll();
  assert.equal(vendor.calls.length, 3, "one probe, which worked");
  assert.equal(announced, 3, "the closing");
  await refresh();
  vendor.answer = accept;
  await handleAll();
  assert.equal(vendor.calls.length, 22, "each of the 20 once");
});

test("a message that waits while another replica probes is tried again after the longest possible probe", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t, status(401));
  const sender = fixture.sender();
  await sender.handle(message(tenant, [await fixture.delivery(tenant, version)]));
  await fixture.pool.query(
    "update provider_circuits set open_until = now(), probe_until = now() + interval '30 s'",
  );
  await sender.refreshCircuits();
  const id = await fixture.delivery(tenant, version);
  const from = await fixture.nowMs();
  await sender.handle(message(tenant, [id]));
  const to = await fixture.nowMs();
  assert.equal(vendor.calls.length, 1);
  const row = await fixture.row(id);
  assert.ok(row.due_at > from && row.due_at - to < 2_000, `${row.due_at}`);
});

test("maxPerSecond applies to all replicas together, in every second", async (t) => {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const tenant = await fixture.tenant();
  await fixture.sendgrid(tenant, vendor.url, { maxPerSecond: 20 });
  const version = await fixture.template(tenant);
  await Promise.all(Array.from({ length: 45 }, () => fixture.delivery(tenant, version)));
  const senders = [fixture.sender(), fixture.sender()];
  const startedAt = performance.now();
  await runReleases(fixture, tenant, senders, () => vendor.calls.length === 45);
  const times = vendor.calls.map((call) => call.at);
  // On a busy machine a call leaves late and closer to the next, but none leaves before its slot.
  for (const [turn, at] of times.entries()) {
    assert.ok(at - startedAt >= turn * 50, `${turn} calls within ${at - startedAt} ms`);
  }
  assert.equal(new Set(vendor.calls.map(deliveryOf)).size, 45);
  const rows = await fixture.pool.sql`select max(attempts) from deliveries`;
  assert.deepEqual(rows, [{ max: 1 }], "waiting for one's turn is no attempt");
});

test("a tenant whose provider hangs does not delay another", async (t) => {
  const fixture = await createFixture(t);
  const held: (() => void)[] = [];
  const hanging = await startVendor(t, (response) => void held.push(() => response.destroy()));
  const fast = await startVendor(t);
  const [slow, quick] = [await fixture.tenant(), await fixture.tenant()];
  await fixture.sendgrid(slow, hanging.url);
  await fixture.sendgrid(quick, fast.url);
  const sender = fixture.sender({ concurrency: 8, providerTimeoutMs: 60_000, leaseMs: 120_000 });
  const version = await fixture.template(slow);
  const many = await Promise.all(Array.from({ length: 60 }, () => fixture.delivery(slow, version)));
  const handled = Promise.all(
    [0, 20, 40].map((at) => sender.handle(message(slow, many.slice(at, at + 20)))),
  );
  await eventually(() => hanging.calls.length === 4);
  const code = await fixture.delivery(quick, await fixture.template(quick));
  await sender.handle(message(quick, [code]));
  assert.equal((await fixture.row(code)).status, "accepted");
  assert.equal(hanging.calls.length, 4, "of 8 slots");
  for (const release of held.splice(0)) release();
  hanging.answer = status(500);
  await handled;
});

test("a circuit that opens or closes while circuits are read keeps the state that this replica gave it", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t, status(401));
  const sender = fixture.sender();
  const send = async () => {
    await sender.handle(message(tenant, [await fixture.delivery(tenant, version)]));
    return vendor.calls.length;
  };
  /** Reads the circuits; the answer arrives once the work is done. */
  const refreshAround = async (work: () => Promise<void>) => {
    const [read, arrives] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const query = fixture.pool.query.bind(fixture.pool) as (...args: unknown[]) => Promise<unknown>;
    const held = t.mock.method(fixture.pool, "query", async (...args: unknown[]) => {
      const result = await query(...args);
      if ((args[0] as { name?: string }).name === "open_circuits") {
        read.resolve();
        await arrives.promise;
      }
      return result;
    });
    const refreshed = sender.refreshCircuits();
    await read.promise;
    await work();
    arrives.resolve();
    await refreshed;
    held.mock.restore();
  };
  await refreshAround(async () => assert.equal(await send(), 1));
  assert.equal(await send(), 1, "the circuit is open");

  await fixture.pool.query("update provider_circuits set open_until = now()");
  await sender.refreshCircuits();
  vendor.answer = accept;
  await refreshAround(async () => assert.equal(await send(), 2, "the probe"));
  assert.equal(await send(), 3, "the circuit is closed");
});

/** Does the work of the dispatcher's release loop, every 50 ms, until the condition holds. */
async function runReleases(
  fixture: Fixture,
  tenant: string,
  senders: Sender[],
  until: () => boolean,
): Promise<void> {
  const handled: Promise<unknown>[] = [];
  for (let turn = 0; !until(); turn += 1) {
    const rows = await fixture.pool.sql`update deliveries set released_at = now()
      where status in ('queued', 'waiting') and due_at <= now() and (released_at is null or ${turn === 0})
      returning id`;
    const ids = rows.map((row) => row.id);
    for (let at = 0; at < ids.length; at += 20) {
      const sender = senders[(at / 20 + turn) % senders.length]!;
      handled.push(sender.handle(message(tenant, ids.slice(at, at + 20))));
    }
    await sleep(50);
  }
  await Promise.all(handled);
}
