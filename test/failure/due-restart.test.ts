import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { acceptResting, makeDue } from "../fairness/resting.ts";
import { whileFrozen } from "./freeze.ts";
import { SHORT } from "./settings.ts";
import { createWorld, type World } from "./world.ts";

const EVENTS = 1_000;

test("kill -9 of everything in the second in which events are due loses none and sends none early", async (t) => {
  const resources = new AsyncDisposableStack();
  t.after(() => resources.disposeAsync());
  const world = await createWorld({ after: (fn) => resources.defer(fn) }, SHORT);
  const { pool, services, vendors } = world;
  vendors.delayMs = 20;
  await acceptResting(pool, world.tenants[0]!.id, { label: "due", count: EVENTS });
  await services.stop("dispatcher");
  await services.restart("dispatcher");
  assert.equal(vendors.requests.length, 0, "sent before its time");

  // While they are let go: nothing of what is let go is published, and nobody knows of it but Postgres.
  let atRest = EVENTS;
  await whileFrozen("nats-server", world.nats.storeDir, async () => {
    await makeDue(pool);
    await eventually(
      async () => {
        atRest = await count(pool, "released_at is null");
        return atRest < EVENTS;
      },
      { everyMs: 1 },
    );
    await killEverything(world);
  });
  // While the others are let go, dispatched and sent.
  await eventually(() => vendors.requests.length > 0, { everyMs: 1 });
  const atSend = await count(pool, "dispatched_at is null");
  await killEverything(world);
  t.diagnostic(`first with ${atRest} at rest, then with ${atSend} not dispatched`);

  await eventually(
    async () => {
      const { rows } = await pool.query<{ left: string }>(
        `select (select count(*) from scheduled_events) + (select count(*) from undispatched_events)
           + (select count(*) from deliveries where status in ('queued', 'sending', 'waiting')) as left`,
      );
      assert.equal(rows[0]!.left, "0");
    },
    { timeoutMs: 180_000, everyMs: 200 },
  );
  const { rows } = await pool.query<{ key: string; accepted: number; tries: number }>(
    `select e.variables::json ->> 'key' as key,
       (select count(*)::integer from deliveries d where d.event_id = e.id and d.status = 'accepted') as accepted,
       (select count(*)::integer from deliveries d join attempts a on a.delivery_id = d.id
        where d.event_id = e.id and a.class in ('accepted', 'ambiguous')) as tries
     from events e where e.trace_id = 'resting'`,
  );
  assert.equal(rows.length, EVENTS);
  const sent = Map.groupBy(vendors.requests, ({ key }) => key);
  const copies = (key: string) => sent.get(key)?.length ?? 0;
  assert.deepEqual(
    rows.filter(({ key, accepted }) => accepted !== 1 || copies(key) === 0),
    [],
    "lost",
  );
  assert.deepEqual(
    rows.filter(({ key, tries }) => copies(key) > tries),
    [],
    "doubled for no documented cause",
  );
  t.diagnostic(`${vendors.requests.length - sent.size} of ${EVENTS} doubled`);
});

async function count(pool: World["pool"], what: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::integer as count from events where trace_id = 'resting' and ${what}`,
  );
  return rows[0]!.count;
}

async function killEverything({ services, nats, postgres }: World): Promise<void> {
  const processes = ["dispatcher", "email-sender"] as const;
  await Promise.all([
    nats.kill(),
    postgres.kill(),
    ...processes.map((name) => services.kill(name)),
  ]);
  await Promise.all([nats.start(), postgres.start()]);
  await Promise.all(processes.map((name) => services.restart(name)));
}
