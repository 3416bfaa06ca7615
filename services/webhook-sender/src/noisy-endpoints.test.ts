import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/call-timeout";
import { eventually } from "@belfry/testing/eventually";
import { createHandClock } from "@belfry/testing/hand-clock";
import { listen } from "@belfry/testing/listen";
import { startRecordingServer } from "@belfry/testing/recording-server";
import {
  createWebhookFixture,
  message,
  type TestEndpoint,
  type WebhookFixture,
} from "../test/webhook-fixture.ts";

/** Calls at a time to an endpoint until its first call has ended. */
const FIRST_CALLS = 4;
/** Calls at a time, out of 256, to all such endpoints together. */
const CALLS_IN_DOUBT = 128;
const TENANT_CALLS = 64;
const IDS_A_MESSAGE = 20;

/**
 * An endpoint's call ends when the test lets its 15 s go by, so that no call that hangs ever ends while
 * others are waited for; the waits inside the sender, of parts of a second, are real.
 */
function createPatienceByHand() {
  const hand = createHandClock();
  const clock: Clock = {
    nowMs: hand.nowMs,
    after: (ms, then, options) =>
      ms < 1000 ? SYSTEM_CLOCK.after(ms, then, options) : hand.after(ms, then),
  };
  return { clock, advance: hand.advance };
}

/** An endpoint that takes a request and never comes to an end of its answer. */
async function stuckServer(t: TestContext, onRequest: (socket: Socket) => void = () => undefined) {
  const open = new Set<Socket>();
  const counts = { requests: 0, most: 0 };
  const server = createServer((socket) => {
    open.add(socket);
    counts.most = Math.max(counts.most, open.size);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.once("data", () => {
      counts.requests += 1;
      onRequest(socket);
    });
  });
  const url = `http://127.0.0.1:${await listen(t, server)}`;
  return { url, open, counts };
}

/** Slower than any timeout: a byte of a header now and then. */
function drip(socket: Socket): void {
  socket.write("HTTP/1.1 200 OK\r\nx-drip: ");
  const timer = setInterval(() => socket.write("a"), 20);
  socket.on("close", () => clearInterval(timer));
}

/** Answers 200 and a body that has no end, as fast as it is read. */
async function endlessServer(t: TestContext) {
  const chunk = Buffer.alloc(64 * 1024, "a");
  const counts = { requests: 0, closed: 0, mostBytes: 0 };
  const server = createHttpServer((request, response) => {
    counts.requests += 1;
    request.resume();
    response.on("close", () => {
      counts.closed += 1;
    });
    let bytes = 0;
    const more = () => {
      while (!response.destroyed) {
        bytes += chunk.length;
        counts.mostBytes = Math.max(counts.mostBytes, bytes);
        if (!response.write(chunk)) return void response.once("drain", more);
      }
    };
    more();
  });
  return { url: `http://127.0.0.1:${await listen(t, server)}`, counts };
}

const statusesOf = async ({ pool }: WebhookFixture, endpoint: TestEndpoint) => {
  const rows = await pool.sql<{ status: string; count: number }>`select d.status, count(*)::int
    from deliveries d join webhook_messages m on m.id = d.event_id
    where m.webhook_id = ${endpoint.id} group by 1 order by 1`;
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

/** Acts as the release loop: publishes due deliveries in messages of up to twenty. */
function createReleases({ pool }: WebhookFixture, handle: ReturnType<WebhookFixture["sender"]>) {
  const inHand: Promise<unknown>[] = [];
  const send = (tenantId: string, ids: string[]) => {
    for (let at = 0; at < ids.length; at += IDS_A_MESSAGE) {
      inHand.push(handle(message(tenantId, ids.slice(at, at + IDS_A_MESSAGE))));
    }
  };
  return {
    send,
    async due(): Promise<void> {
      const rows = await pool.sql<{
        tenant_id: string;
        ids: string[];
      }>`with gone as (update deliveries set released_at = now()
          where released_at is null and due_at <= now() and status in ('queued', 'waiting')
          returning tenant_id, id)
        select tenant_id, array_agg(id::text) as ids from gone group by 1`;
      for (const { tenant_id, ids } of rows) send(tenant_id, ids);
    },
    /** Lets time go by until nothing is in hand any more: what waited for a slot may be called late. */
    async ended(advance: (ms: number) => void): Promise<void> {
      const all = Promise.all(inHand.splice(0));
      let left = true;
      const end = all.finally(() => {
        left = false;
      });
      await eventually(() => {
        advance(15_000);
        return !left;
      });
      await end;
    },
  };
}

/** One of each in turn, so that every message on the queue holds some of each endpoint. */
function mixed(...lists: string[][]): string[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((ids) => ids[at] ?? [])).flat();
}

test("endpoints that hang, drip, fail or never end hold up nobody else's, and give everything back", async (t) => {
  const hanging = await stuckServer(t);
  const dripping = await stuckServer(t, drip);
  const endless = await endlessServer(t);
  const failing = await startRecordingServer(t);
  failing.answer = { status: 500, body: "x".repeat(100_000) };
  const good = await startRecordingServer(t);
  // After the servers: as these go, the calls that hang end, and the sender can be closed.
  const fixture = await createWebhookFixture(t);
  const { clock, advance } = createPatienceByHand();
  const handle = fixture.sender({ clock });
  const releases = createReleases(fixture, handle);
  const tenant = await fixture.tenant();
  const other = await fixture.tenant();
  const hangs = await fixture.endpoint(tenant, hanging.url);
  const drips = await fixture.endpoint(tenant, dripping.url);
  const neverEnds = await fixture.endpoint(tenant, endless.url);
  const fails = await fixture.endpoint(tenant, failing.url);
  const answers = await fixture.endpoint(tenant, `${good.url}/same`);
  const others = await fixture.endpoint(other, `${good.url}/other`);

  releases.send(
    tenant,
    mixed(
      ...[await fixture.told(hangs, 300), await fixture.told(drips, 300)],
      ...[await fixture.told(neverEnds, 300), await fixture.told(fails, 300)],
      await fixture.told(answers, 100),
    ),
  );
  releases.send(other, await fixture.told(others, 100));

  // Theirs arrive, all of them, and no call that hangs has ended: the clock that ends it stands.
  await eventually(
    async () => {
      await releases.due();
      assert.deepEqual(await statusesOf(fixture, others), { accepted: 100 });
      assert.deepEqual(await statusesOf(fixture, answers), { accepted: 100 });
      assert.deepEqual(await statusesOf(fixture, neverEnds), { accepted: 300 });
    },
    { timeoutMs: 120_000, everyMs: 100 },
  );
  const arrived = good.requests.map(({ headers }) => headers["webhook-id"]);
  assert.equal(new Set(arrived).size, 200);
  assert.equal(arrived.length, 200);
  // Each has its calls, no more, and keeps them; the rest waits in Postgres.
  for (const { open, counts } of [hanging, dripping]) {
    await eventually(() => assert.equal(counts.requests, FIRST_CALLS));
    assert.deepEqual([open.size, counts.most], [FIRST_CALLS, FIRST_CALLS]);
  }
  await eventually(async () =>
    assert.equal((await statusesOf(fixture, hangs)).sending, FIRST_CALLS),
  );
  await eventually(async () => assert.ok((await fixture.webhook(fails)).paused_until !== null));
  assert.equal((await statusesOf(fixture, fails)).accepted, undefined);
  // Only the start of an endless answer was read. The rest of what it sent is in the system's buffers.
  await eventually(() =>
    assert.deepEqual([endless.counts.requests, endless.counts.closed], [300, 300]),
  );
  assert.ok(endless.counts.mostBytes < 20 * 1024 * 1024, `${endless.counts.mostBytes}`);
  const kept = await fixture.pool.query("select max(length(vendor_answer)) as most from attempts");
  assert.equal(kept.rows[0].most, 1024);

  // One call at a time from now on, until ten in a row have failed.
  await eventually(
    async () => {
      await releases.ended(advance);
      await releases.due();
      for (const endpoint of [hangs, drips]) {
        assert.ok((await fixture.webhook(endpoint)).paused_until !== null);
      }
    },
    { timeoutMs: 60_000 },
  );
  await releases.ended(advance);
  for (const { open, counts } of [hanging, dripping]) {
    await eventually(() => assert.equal(open.size, 0));
    assert.equal(counts.most, FIRST_CALLS);
  }
  for (const endpoint of [hangs, drips]) {
    assert.equal((await statusesOf(fixture, endpoint)).sending, undefined);
    const { failures, paused_until } = await fixture.webhook(endpoint);
    assert.ok(failures >= 10 && paused_until !== null);
  }

  // All slots are there again: twenty endpoints that hang have what their tenant may have, and not one more.
  await fixture.pool.query("delete from deliveries");
  const again = await Promise.all(
    Array.from({ length: 20 }, (_, at) => fixture.endpoint(tenant, `${hanging.url}/${at}`)),
  );
  const before = hanging.counts.requests;
  releases.send(tenant, mixed(...(await Promise.all(again.map((one) => fixture.told(one, 20))))));
  await eventually(() => assert.equal(hanging.counts.requests - before, TENANT_CALLS));
  const more = await fixture.told(others, 5);
  releases.send(other, more);
  await eventually(() => assert.equal(good.requests.length, 205));
  assert.equal(hanging.counts.requests - before, TENANT_CALLS);
  assert.equal(hanging.open.size, TENANT_CALLS);
  await releases.ended(advance);
  await eventually(() => assert.equal(hanging.open.size, 0));
});

test("however many tenants' endpoints hang, those that answer have their calls", async (t) => {
  const hanging = await stuckServer(t);
  const good = await startRecordingServer(t);
  const fixture = await createWebhookFixture(t);
  const { clock, advance } = createPatienceByHand();
  const handle = fixture.sender({ clock });
  const releases = createReleases(fixture, handle);
  const other = await fixture.tenant();
  const answers = await fixture.endpoint(other, good.url);
  await handle(message(other, await fixture.told(answers)));

  for (let tenant = 0; tenant < 10; tenant += 1) {
    const id = await fixture.tenant();
    const told = await Promise.all(
      [1, 2, 3, 4].map(async (at) => {
        const hangs = await fixture.endpoint(id, `${hanging.url}/${id}/${at}`);
        return fixture.told(hangs, 20);
      }),
    );
    releases.send(id, mixed(...told));
  }
  await eventually(async () => {
    await releases.due();
    assert.equal(hanging.counts.requests, CALLS_IN_DOUBT);
  });
  releases.send(other, await fixture.told(answers, 100));
  await eventually(
    async () => {
      await releases.due();
      assert.deepEqual(await statusesOf(fixture, answers), { accepted: 101 });
    },
    { timeoutMs: 60_000, everyMs: 100 },
  );
  assert.equal(hanging.counts.requests, CALLS_IN_DOUBT, "no call that hangs has ended");
  await releases.ended(advance);
});
