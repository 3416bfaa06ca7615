import assert from "node:assert/strict";
import { test } from "node:test";
import { showBroadcast } from "@belfry/administration/broadcasts/broadcasts";
import { createBroadcast } from "@belfry/administration/broadcasts/create-broadcast";
import { actsIn } from "@belfry/administration/test/acts";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { startProcess } from "@belfry/testing/processes";
import { dispatcherUnderTest } from "../test/dispatcher-under-test.ts";

const MEMBERS = 6_000;
const KILLS = 8;

test("each member gets a broadcast once, while one of two dispatchers is killed again and again and connections are cut", {
  timeout: 600_000,
}, async (t) => {
  const under = await dispatcherUnderTest(t);
  const { pool, db, url } = under;
  const tenantId = await under.tenant();
  await under.templates(tenantId, "product.news", ["PUSH"]);
  await pool.sql`with m as (
      insert into topic_members (tenant_id, topic, user_id)
      select ${tenantId}, 'news', 'user-' || n from generate_series(1, ${MEMBERS}::integer) n)
    insert into topics (tenant_id, key, members) values (${tenantId}, 'news', ${MEMBERS})`;
  const env = {
    ...{
      DATABASE_URL: url,
      NATS_URL: testNatsUrl(),
      NATS_PREFIX: testPrefix(t),
      LOG_LEVEL: "fatal",
    },
    ...{ WAKE_EVERY_MS: "50", EVENT_ACK_WAIT_MS: "1000" },
    ...{ REPUBLISH_AFTER_MS: "1000", REPUBLISH_EVERY_MS: "200" },
  };
  const main = new URL("./main.ts", import.meta.url);
  const start = () => startProcess(t, { main, env });
  const running = [await start(), await start()];
  const run = actsIn(db, tenantId);
  const { id: broadcastId } = await run(createBroadcast, {
    topics: ["news"],
    eventType: "product.news",
    variables: { title: "News", name: "Ada" },
  });
  const expanded = async () => (await run(showBroadcast, { broadcastId })).expanded;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    // Evenly over the expansion, whatever the machine.
    const until = (MEMBERS * kill) / (KILLS + 1);
    await eventually(async () => (await expanded()) >= until, { timeoutMs: 600_000 });
    if (kill % 3 === 0) {
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name like 'belfry-dispatcher%'`,
      );
      continue;
    }
    await running.shift()!.kill();
    running.push(await start());
  }
  await eventually(async () => (await run(showBroadcast, { broadcastId })).state === "done", {
    timeoutMs: 600_000,
  });
  const rows = await pool.sql`select (select count(*)::integer from events) as events,
    (select count(distinct user_id)::integer from events) as users,
    (select count(*)::integer from notifications) as notifications,
    (select count(*)::integer from undispatched_events) as undispatched,
    (select count(*)::integer from topic_members m
     where not exists (select from notifications n where n.user_id = m.user_id)) as missed`;
  assert.deepEqual(rows, [
    { events: MEMBERS, users: MEMBERS, notifications: MEMBERS, undispatched: 0, missed: 0 },
  ]);
  const shown = await run(showBroadcast, { broadcastId });
  assert.deepEqual(
    [shown.total, shown.expanded, shown.byStatus],
    [MEMBERS, MEMBERS, { published: MEMBERS }],
  );
});
