import assert from "node:assert/strict";
import { test } from "node:test";
import { createBroadcast } from "@belfry/administration/broadcasts/create-broadcast";
import { actsIn } from "@belfry/administration/test/acts";
import { expandBroadcast } from "@belfry/database/functions/broadcasts";
import type { Cleanup } from "@belfry/testing/cleanup";
import { uuidv7 } from "uuidv7";
import { broadcastsUnderTest, NEWS } from "../test/broadcasts-under-test.ts";

const START_MS = Date.parse("2026-11-20T08:00:00Z");

/** Broadcasts with mails that are due, and a release loop by a clock that only the test moves. */
async function turnsUnderTest(t: Cleanup, maxPerSecond: number) {
  const under = await broadcastsUnderTest(t, { maxPerSecond });
  const { pool, tenantId } = under;
  await pool.query("delete from provider_broadcasts");
  const rows = await pool.sql`select id from providers where channel = 'EMAIL'`;
  let nowMs = START_MS;
  return {
    ...under,
    firstProvider: rows[0].id as string,
    async provider(perSecond: number): Promise<string> {
      const id = uuidv7();
      await pool.sql`insert into providers (id, tenant_id, channel, kind, name, settings,
          masked_settings, position, max_per_second)
        values (${id}, ${tenantId}, 'EMAIL', 'sandbox', 'second', '', '{}', 1, ${perSecond})`;
      return id;
    },
    async due(mails: number, providerId: string | null = null): Promise<string> {
      const id = uuidv7();
      await pool.sql`insert into broadcasts (id, tenant_id, state, event_type, trace_id, total,
          provider_id, provider_channel)
        values (${id}, ${tenantId}, 'running', 'x', 't', ${mails}, ${providerId},
          case when ${providerId}::uuid is not null then 'EMAIL' end)`;
      await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, due_at, status,
          broadcast_id)
        select gen_random_uuid(), gen_random_uuid(), ${tenantId}, 'EMAIL', ${new Date(START_MS)}, 'queued',
          ${id} from generate_series(1, ${mails}::integer)`;
      return id;
    },
    pass(ms: number) {
      nowMs += ms;
    },
    /** One turn; returns of which broadcast each delivery is that leaves. */
    async turn(most = 1000): Promise<string[]> {
      const left = await pool.query(
        `update deliveries d set released_at = $3
         from broadcast_deliveries(p_channel => 'EMAIL', p_tenant => $1, p_moment => $3, p_most => $2) b
         where d.id = any (b.ids) returning d.broadcast_id`,
        [tenantId, most, new Date(nowMs)],
      );
      return left.rows.map((row) => row.broadcast_id);
    },
    /** Senders claim the oldest of what left, at most so many at a time. */
    async claimUpTo(calls: number): Promise<void> {
      await pool.sql`update deliveries
        set status = 'sending', attempts = 1, claimed_until = ${new Date(nowMs)} where id in (
        select id from deliveries where released_at is not null and status = 'queued' order by released_at
        limit ${calls} - (select count(*) from deliveries where status = 'sending'))`;
    },
    /** The provider has taken those whose call has lasted so long. */
    async end(afterMs: number): Promise<void> {
      await pool.sql`update deliveries
        set status = 'accepted', settled_at = ${new Date(nowMs)}, released_at = null, claimed_until = null
        where status = 'sending' and claimed_until <= ${new Date(nowMs - afterMs)}`;
    },
    async waiting(): Promise<number> {
      const found = await pool.query(
        "select from deliveries where released_at is not null and status = 'queued'",
      );
      return found.rowCount ?? 0;
    },
  };
}

type Turns = Awaited<ReturnType<typeof turnsUnderTest>>;

/** In how many half seconds a provider that takes its rate has all mails of the broadcast. */
async function halfSecondsOf(turns: Turns, broadcastId: string): Promise<number> {
  const { pool } = turns;
  for (let halves = 0; ; halves += 1) {
    const { rowCount } = await pool.query(
      "select from deliveries where broadcast_id = $1 and status <> 'accepted' limit 1",
      [broadcastId],
    );
    if (rowCount === 0) return halves;
    // A few looks in each, as the release loop has them; the provider's calls are spaced.
    for (let look = 0; look < 5; look += 1) {
      await turns.turn();
      await turns.claimUpTo(1000);
    }
    turns.pass(500);
    await turns.end(500);
  }
}

test("a notice to 60 people beside a newsletter to 1,500 takes twice the time that it takes alone", async (t) => {
  const turns = await turnsUnderTest(t, 20);
  const alone = await halfSecondsOf(turns, await turns.due(60));
  assert.equal(alone, 6);
  await turns.due(1500);
  assert.equal(await halfSecondsOf(turns, await turns.due(60)), 2 * alone);
});

test("where one delivery may leave at a time, the broadcasts take turns", async (t) => {
  const turns = await turnsUnderTest(t, 20);
  const [one, two, three] = [await turns.due(9), await turns.due(1), await turns.due(9)];
  const left: string[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    left.push(...(await turns.turn(1)));
    await turns.claimUpTo(1);
    await turns.end(0);
  }
  assert.deepEqual(left, [one, two, three, one, three, one, three]);
});

test("a broadcast that names a provider has that provider's room; the others share the room of the first", async (t) => {
  const turns = await turnsUnderTest(t, 4);
  const second = await turns.provider(2);
  const [one, two] = [await turns.due(50), await turns.due(50)];
  assert.deepEqual((await turns.turn()).sort(), [one, two]);
  assert.deepEqual(await turns.turn(), [], "half a second of its rate is outstanding");
  const named = await turns.due(5, second);
  const first = await turns.due(5, turns.firstProvider);
  assert.deepEqual(await turns.turn(), [named]);
  await turns.claimUpTo(100);
  await turns.end(0);
  turns.pass(1000);
  assert.deepEqual((await turns.turn()).sort(), [one, named, first].sort());
});

test("while the circuit of the first provider is open, the others have the room of the next one", async (t) => {
  const turns = await turnsUnderTest(t, 1);
  await turns.provider(8);
  const one = await turns.due(50);
  assert.deepEqual(await turns.turn(), [one]);
  await turns.pool.sql`insert into provider_circuits (provider_id, class, reason, failures,
      opened_at, open_until)
    values (${turns.firstProvider}, 'transient', 'x', 1, now(), now())`;
  assert.deepEqual(await turns.turn(), [one, one]);
});

test("no more than half a second of what a provider really takes waits for a sender, whatever its rate says", async (t) => {
  const turns = await turnsUnderTest(t, 200);
  await turns.due(1500);
  const step = async (calls: number, callMs: number) => {
    await turns.turn();
    await turns.claimUpTo(calls);
    turns.pass(20);
    await turns.end(callMs);
    return await turns.waiting();
  };
  // Five connections of which each takes a message a second.
  let mostWaiting = 0;
  for (let look = 0; look < 250; look += 1) {
    mostWaiting = Math.max(mostWaiting, await step(5, 1000));
  }
  assert.ok(mostWaiting <= 3, `${mostWaiting} waited`);
  const { rowCount } = await turns.pool.query("select from deliveries where status = 'accepted'");
  assert.ok(rowCount! >= 20, "every connection is used, from the first second on");
  // The calls take 20 ms from now on: the room grows to the rate.
  let looks = 0;
  for (; (await step(1000, 20)) + (await turns.turn()).length < 50; looks += 1)
    assert.ok(looks < 50);
});

test("chunks of broadcasts are made tenant by tenant, however many broadcasts a tenant has", async (t) => {
  const under = await broadcastsUnderTest(t);
  const { pool, db } = under;
  const userIds = Array.from({ length: 450 }, (_, at) => `user-${at}`);
  for (let count = 0; count < 20; count += 1)
    await under.broadcast({ userIds, channels: ["PUSH"] });
  const other = await under.tenant({ id: "other" });
  await under.templates(other, NEWS, ["PUSH"]);
  const { id } = await actsIn(db, other)(createBroadcast, {
    userIds,
    eventType: NEWS,
    variables: { title: "News" },
  });
  // Until the other's is through.
  for (let is = false; !is; ) {
    await under.moveOn(AbortSignal.timeout(600_000));
    const rows = await pool.sql`select is_expanded from broadcasts where id = ${id}`;
    is = rows[0].is_expanded;
  }
  const rows = await pool.sql`select id, tenant_id from events where id = any (${under.published})`;
  const tenantOf = new Map(rows.map((row) => [row.id, row.tenant_id]));
  const last = under.published.findLastIndex((one) => tenantOf.get(one) === other);
  const before = under.published.slice(0, last).filter((one) => tenantOf.get(one) !== other).length;
  assert.ok(
    before <= 4 * 200,
    `${before} of the first tenant's events came before the third chunk`,
  );
});

test("one chunk of a tenant is dispatched at a time, and its broadcasts make them in turn", async (t) => {
  const under = await broadcastsUnderTest(t);
  const userIds = Array.from({ length: 450 }, (_, at) => `user-${at}`);
  const request = { userIds, channels: ["PUSH" as const] };
  const [one, two] = [await under.broadcast(request), await under.broadcast(request)];
  under.setDispatching(false);
  const made: string[] = [];
  for (let chunk = 0; chunk < 6; chunk += 1) {
    const count = under.published.length;
    await under.moveOn();
    const rows = await under.pool.sql`select distinct broadcast_id from events
      where id = any (${under.published.slice(count)})`;
    assert.equal(rows.length, 1, "the other one waits");
    made.push(rows[0].broadcast_id);
    await under.dispatch(under.published);
  }
  assert.deepEqual(made, [one.id, two.id, one.id, two.id, one.id, two.id]);
  const { events } = await expandBroadcast(
    under.pool,
    { id: one.id, channels: null },
    { dayShare: 1 },
  );
  assert.deepEqual(events, []);
});
