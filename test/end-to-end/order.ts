import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@belfry/testing/eventually";
import { call, freshKey, type Stack } from "./stack.ts";

const TENANTS = 2;
const USERS = 40;
const EVENTS_OF_A_USER = 25;

/** Tests that users see events in the order in which they were triggered. */
export function orderTests(stack: Stack): void {
  test("events of a user, each triggered when the one before was answered, arrive in that order over all replicas and lanes", async () => {
    const ready = () => stack.createReadyTenant({}, { channels: ["PUSH"] });
    const tenants = await Promise.all(Array.from({ length: TENANTS }, ready));
    const ids = tenants.map(({ id }) => id);

    const triggerAll = async (tenant: { id: string; apiKey: string }, userId: string) => {
      for (let orderId = 1; orderId <= EVENTS_OF_A_USER; orderId += 1) {
        const { status } = await call(`${stack.apiUrls[orderId % 2]}/api/v1/events/trigger`, {
          apiKey: tenant.apiKey,
          headers: freshKey(),
          body: { eventType: "order.confirmed", payload: { userId }, variables: { orderId } },
        });
        assert.equal(status, 200);
      }
    };
    const dispatchers = [stack.processes.dispatcher!, stack.processes["twice 0"]!];
    // Both lanes fill while no dispatcher runs; the rest arrives while the backlog is dispatched.
    for (const dispatcher of dispatchers) dispatcher.signal("SIGSTOP");
    const goOn = async () => {
      const { rows } = await stack.pool.query(
        "select count(*)::int as waiting from undispatched_events",
      );
      if (rows[0].waiting < (TENANTS * USERS * EVENTS_OF_A_USER) / 3) return false;
      for (const dispatcher of dispatchers) dispatcher.signal("SIGCONT");
      return true;
    };
    const over = new AbortController();
    /** A minute in which a tenant was quiet, again and again: its events change lanes. */
    const changeLanes = async () => {
      while (!over.signal.aborted) {
        // One row a statement: two in another order than accepting takes them would be a deadlock, and a 500.
        for (const id of ids) {
          await stack.pool.query(
            "update tenant_limits set ring = array_fill(0, array[61]), ring_total = 0 where ring_total > 60 and tenant_id = $1",
            [id],
          );
        }
        await sleep(20);
      }
    };
    const changing = changeLanes();
    const users = Array.from({ length: USERS }, (_, at) => `user-${at}`);
    await Promise.all([
      eventually(goOn, { timeoutMs: 60_000 }),
      ...tenants.flatMap((tenant) => users.map((userId) => triggerAll(tenant, userId))),
    ]);
    over.abort();
    await changing;
    await eventually(
      async () => {
        const { rows } = await stack.pool.query(
          "select count(*)::int as left from undispatched_events",
        );
        return rows[0].left === 0;
      },
      { timeoutMs: 60_000 },
    );

    const { rows } = await stack.pool.query<{ all: number; swaps: number; unsorted: number }>(
      `select count(*)::int as all,
       (count(*) filter (where number <> channel_offset))::int as swaps,
       (count(*) filter (where number <> by_time))::int as unsorted
     from (select channel_offset, substr(title, 7)::int as number,
             row_number() over (partition by tenant_id, user_id order by created_at, id) as by_time
           from notifications where tenant_id = any($1)) n`,
      [ids],
    );
    const all = TENANTS * USERS * EVENTS_OF_A_USER;
    assert.deepEqual(rows[0], { all, swaps: 0, unsorted: 0 });
    const [tenant] = tenants;
    const history = await call(
      `${stack.apiUrls[0]}/api/v1/notifications/${tenant!.id}/user-0?limit=1000`,
      { apiKey: tenant!.apiKey },
    );
    assert.deepEqual(
      history.body.data.map((item: { title: string }) => item.title),
      Array.from({ length: EVENTS_OF_A_USER }, (_, at) => `Order ${EVENTS_OF_A_USER - at}`),
    );
  });
}
