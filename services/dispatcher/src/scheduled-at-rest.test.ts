import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteTenantData } from "@belfry/administration/erasure/delete-tenant";
import { eraseUser } from "@belfry/administration/erasure/erase-user";
import { listScheduled, moveEvent } from "@belfry/administration/events/scheduled-events";
import { actsIn } from "@belfry/administration/test/acts";
import type { Pool } from "@belfry/database/connection";
import { wakeEvents } from "@belfry/database/functions/release-deliveries";
import { assertEach } from "@belfry/testing/assert-each";
import type { TestPool } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";
import { uuidv7 } from "uuidv7";
import { dispatcherUnderTest } from "../test/dispatcher-under-test.ts";
import { eventOfAge, expiryUnderTest } from "../test/expiry-under-test.ts";
import { createRestLook } from "./wake-loop.ts";

/** Makes an event look as if it had been scheduled and waited since. */
async function makeRest(pool: TestPool, id: string): Promise<void> {
  await pool.sql`delete from deliveries where event_id = ${id}`;
  await pool.sql`update events set dispatched_at = null, send_at = '2100-01-01' where id = ${id}`;
  await pool.sql`insert into scheduled_events (event_id, tenant_id, send_at, trace_id)
    select id, tenant_id, send_at, trace_id from events where id = ${id}`;
}

test("retention and the deletion of strays spare a scheduled event, and delete it after it was sent", async (t) => {
  const under = await expiryUnderTest(t);
  const tenant = await under.tenant();
  const [walked, stray, old] = [
    await eventOfAge(under, tenant, 31.5),
    await eventOfAge(under, tenant, 200),
    await eventOfAge(under, tenant, 31),
  ];
  await makeRest(under.pool, walked!);
  await makeRest(under.pool, stray!);
  await under.expire();
  const rows = await under.pool.sql`select id from events order by id`;
  assertEach(rows, ({ id }) => id, [stray, walked]);
  assert.ok(!rows.some(({ id }) => id === old));
  await under.pool.query("delete from scheduled_events");
  // The next check for strays, when everything is old enough for it.
  await under.newReplica(48)();
  assert.equal((await under.pool.query("select 1 from events")).rowCount, 0);
});

test("deleting a user or a tenant deletes their scheduled events, and no others", async (t) => {
  const { pool, db, tenant, events } = await dispatcherUnderTest(t);
  const later = { delaySeconds: 3600 };
  const [one, other] = [await tenant(), await tenant()];
  const [, bobs] = await events(one, { userId: "ann", later }, { userId: "bob", later });
  const [theirs] = await events(other, { userId: "ann", later });
  const resting = async () => {
    const rows = await pool.sql`select event_id from scheduled_events order by event_id`;
    return rows.map((row) => row.event_id);
  };
  const actor = { personId: null, person: "test", address: "host" };
  await eraseUser(
    db,
    { tenantId: one, userId: "ann" },
    { actor, disconnect: async () => undefined },
  );
  assert.deepEqual(await resting(), [bobs, theirs]);
  await deleteTenantData(db, one);
  assert.deepEqual(await resting(), [theirs]);
});

test("200,000 scheduled events cost nothing: due ones are found by index, with and without statistics", async (t) => {
  const under = await dispatcherUnderTest(t);
  const { pool, db } = under;
  await pool.query("analyze");
  await wakeEvents(pool, "", 10);
  for (const id of ["many", "few"]) await under.tenant({ id });
  await pool.query(
    `insert into scheduled_events (event_id, tenant_id, send_at, trace_id)
     select gen_random_uuid(), case when n % 1000 = 0 then 'few' else 'many' end,
            now() + interval '1 day' + (n % 50000) * interval '1 second', 't'
     from generate_series(1, 200000) n`,
  );
  await pool.query(
    `insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, send_at)
     select event_id, tenant_id, 'x', 'u', 't', now(), send_at from scheduled_events`,
  );
  const tables = ["events", "undispatched_events", "scheduled_events"];
  const lookAtRest = (client: Pool) => createRestLook(client)();
  await readsAtMost(pool, 2, tables, lookAtRest, "nothing is due");
  await pool.query(
    `with due as (update scheduled_events set send_at = now() - interval '1 second'
       where event_id in (select event_id from scheduled_events where tenant_id = 'few' limit 20) returning *)
     update events e set send_at = d.send_at from due d where d.event_id = e.id`,
  );
  const { next } = await actsIn(db, "many")(listScheduled, { limit: 10 });
  const works: [string, number, (pool: Pool) => Promise<unknown>][] = [
    ["due", 2, lookAtRest],
    ["wake", 100, (client) => wakeEvents(client as Pool, "", 1000)],
  ];
  for (const analyzed of [false, true]) {
    if (analyzed) await pool.query("analyze");
    for (const [what, most, work] of works) {
      await readsAtMost(pool, most, tables, work, what);
    }
    const { rows } = await pool.query(
      `explain (analyze, format json) select * from scheduled_events s
       where s.tenant_id = 'many' and (s.send_at, s.event_id) > ('${next!.split("_")[0]}', '${uuidv7()}')
       order by s.send_at, s.event_id limit 11`,
    );
    assert.match(JSON.stringify(rows), /scheduled_events_of_tenant/);
    assert.doesNotMatch(JSON.stringify(rows), /Sort/);
  }
  const run = actsIn(db, "few");
  const [soonest] = (await run(listScheduled, { limit: 1 })).events;
  await run(moveEvent, { eventId: soonest!.id, sendAt: "2001-01-01T00:00:00Z" });
});
