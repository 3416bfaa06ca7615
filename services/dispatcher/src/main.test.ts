import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import {
  decodeRealtimeMessage,
  type RealtimeMessage,
  userSubjectToken,
} from "@belfry/contracts/realtime-message";
import {
  decodeQueueMessage,
  deliveriesStream,
  deliveriesSubject,
  eventsStream,
  eventsSubject,
  realtimeSubject,
} from "@belfry/contracts/streams";
import { createLogger } from "@belfry/service/logger";
import { connectNats } from "@belfry/service/nats";
import { createPublisher } from "@belfry/service/publish";
import { ensureStreams } from "@belfry/service/streams";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { createGate } from "@belfry/testing/gate";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { quickStart } from "@belfry/testing/quick-start";
import { anEvent } from "@belfry/testing/rows";
import { dispatcherUnderTest } from "../test/dispatcher-under-test.ts";

/** The real process on real servers, and everything that it publishes. */
async function running(t: Cleanup) {
  const under = await dispatcherUnderTest(t);
  const prefix = testPrefix(t);
  const log = createLogger({ service: "test", level: "silent", destination: { write: () => {} } });
  const nats = await connectNats({ url: testNatsUrl(), name: "test", log });
  t.after(() => nats.close());
  const streams = [eventsStream(prefix), deliveriesStream(prefix)];
  await ensureStreams(nats.nc, streams, { log });
  const publisher = createPublisher({ nats, streams, log });

  const realtime: { subject: string; message: RealtimeMessage }[] = [];
  nats.nc.subscribe(`${prefix}.realtime.>`, {
    callback: (_err, { subject, data }) => {
      const message = decodeRealtimeMessage(data);
      if (message !== undefined) realtime.push({ subject, message });
    },
  });
  const deliveries = new Map<string, string>();
  nats.nc.subscribe(`${prefix}.deliveries.>`, {
    callback: (_err, { subject, data }) => {
      for (const item of decodeQueueMessage(data)?.items ?? []) deliveries.set(item.id, subject);
    },
  });
  await nats.nc.flush();

  const managementPort = await freePort();
  const children: ChildProcess[] = [];
  const start = (env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], {
      env: {
        DATABASE_URL: under.url,
        NATS_URL: testNatsUrl(),
        NATS_PREFIX: prefix,
        MANAGEMENT_PORT: String(managementPort),
        STOP_WITH_PARENT: "true",
        ...quickStart(),
        REPUBLISH_EVERY_MS: "100",
        LOG_LEVEL: "fatal",
        ...env,
      },
      stdio: ["ignore", "inherit", "inherit"],
    });
    children.push(child);
    return child;
  };
  t.after(async () => {
    for (const child of children) child.kill("SIGKILL");
  });
  const publish = (ids: readonly string[]) =>
    publisher.publishIds(
      eventsSubject(prefix, "express"),
      ids.map((id) => ({ id, traceId: "trace" })),
    );
  const readiness = async (status: number) =>
    await eventually(
      async () =>
        (await fetch(`http://127.0.0.1:${managementPort}/health/ready`)).status === status,
    );
  const ready = () => readiness(200);
  return { ...under, prefix, start, publish, ready, readiness, realtime, deliveries };
}

test("a published event reaches the senders and the gateway", async (t) => {
  const { start, publish, tenant, templates, events, ready, prefix, ...under } = await running(t);
  const acme = await tenant();
  await templates(acme, "order.confirmed");
  const [id = ""] = await events(acme, {});
  start();
  await ready();
  await publish([id]);
  await eventually(() => under.deliveries.size === 2 && under.realtime.length === 1);
  assert.deepEqual(
    [...under.deliveries.values()].sort(),
    [deliveriesSubject(prefix, "EMAIL", acme), deliveriesSubject(prefix, "SMS", acme)].sort(),
  );
  const [publication] = under.realtime;
  assert.equal(publication?.subject, realtimeSubject(prefix, acme, userSubjectToken("user-1")));
  assert.ok(publication?.message.kind === "publication");
  const { text, traceId, ...head } = publication.message.publications[0]!;
  const { data, tags } = JSON.parse(text);
  assert.ok(traceId);
  assert.equal(publication.message.userId, "user-1");
  assert.deepEqual(
    { ...head, data },
    {
      channel: "personal#user-1",
      offset: 1,
      data: {
        title: "Order",
        body: "Hello Ada",
        category: "order.confirmed",
        eventType: "order.confirmed",
      },
      id,
    },
  );
  assert.ok(!Number.isNaN(Date.parse(tags.createdAt)));
});

test("a deactivated template is unused without a restart", async (t) => {
  const { start, publish, tenant, templates, events, ready, pool, outcome } = await running(t);
  const acme = await tenant();
  await templates(acme, "order.confirmed", ["PUSH"]);
  const [before = ""] = await events(acme, {});
  start();
  await ready();
  await publish([before]);
  await eventually(async () => (await outcome(before)).dispatched_at !== null);
  await pool.query("update templates set active = false");
  await pool.query("update configuration_version set version = version + 1");
  await eventually(async () => {
    // Accepted now: with a new stream everything undispatched is published at the start.
    const [after = ""] = await events(acme, {});
    await publish([after]);
    await eventually(async () => (await outcome(after)).dispatched_at !== null);
    return (await outcome(after)).outcome.skipped?.PUSH === "no active template";
  });
});

test("kill -9 under load: after a restart every event is dispatched exactly once", async (t) => {
  const { start, publish, tenant, templates, events, ready, pool, ...under } = await running(t);
  const acme = await tenant();
  await templates(acme, "order.confirmed");
  const ids: string[] = [];
  for (let batch = 0; batch < 10; batch += 1) {
    ids.push(...(await events(acme, ...Array.from({ length: 40 }, () => ({})))));
  }
  const first = start();
  await ready();
  const published = Promise.all(ids.map((id) => publish([id])));
  await eventually(() => under.realtime.length > 0, { everyMs: 1 });
  first.kill("SIGKILL");
  await published;
  start();
  // The ack wait would redeliver the messages of the dead process: the sweeper is faster here.
  await pool.query("update undispatched_events set published_at = 'epoch'");
  await eventually(async () => {
    const rows = await pool.sql`select count(*)::int as open from events
      where dispatched_at is null`;
    // Stands in for the senders: makes room for the next share.
    await pool.sql`update deliveries set status = 'accepted', released_at = null
      where id = any (${[...under.deliveries.keys()]}::uuid[]) and status = 'queued'`;
    return rows[0].open === 0;
  });
  const rows = await pool.sql`select count(*)::int as all, max(channel_offset)::int as top
    from notifications`;
  assert.deepEqual(rows, [{ all: ids.length, top: ids.length }]);
  assert.equal((await under.deps.pool.query("select 1 from deliveries")).rowCount, 2 * ids.length);
});

test("while Postgres answers but accepts no writes, the dispatcher is not ready and loses no event", async (t) => {
  const { start, publish, tenant, templates, events, readiness, outcome, pool } = await running(t);
  const acme = await tenant();
  await templates(acme, "order.confirmed", ["PUSH"]);
  const ids = await events(acme, {}, {}, {});
  start();
  await readiness(200);
  const rows = await pool.sql`select current_database() as name`;
  const demote = async (value: "on" | "off") => {
    await pool.query(
      `alter database "${rows[0].name}" set default_transaction_read_only = ${value}`,
    );
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'belfry-dispatcher%'`,
    );
  };
  await demote("on");
  await readiness(503);
  for (const id of ids) await publish([id]);
  // Messages from a request that was open before fail and are deferred.
  await readiness(503);
  await demote("off");
  await eventually(async () => {
    const all = await Promise.all(ids.map((id) => outcome(id)));
    return all.every(
      (event) => event.dispatched_at !== null && event.outcome?.failed === undefined,
    );
  });
  await readiness(200);
});

test("if Postgres and NATS are absent at the start or go away, the dispatcher waits, not ready, and recovers by itself", async (t) => {
  const { start, publish, tenant, templates, events, readiness, outcome, ...under } =
    await running(t);
  const acme = await tenant();
  await templates(acme, "order.confirmed", ["PUSH"]);
  const ids = await events(acme, {}, {}, {}, {});
  const postgres = await createGate(t, under.url);
  const nats = await createGate(t, testNatsUrl());
  const child = start({ DATABASE_URL: postgres.url, NATS_URL: nats.url });
  const dispatched = (id: string | undefined) =>
    eventually(async () => (await outcome(id ?? "")).dispatched_at !== null);

  await readiness(503);
  await nats.open();
  await postgres.open();
  await readiness(200);
  await publish([ids[0]!]);
  await dispatched(ids[0]);

  await postgres.close();
  await readiness(503);
  await publish([ids[1]!]);
  await postgres.open();
  await dispatched(ids[1]);
  await readiness(200);

  await nats.close();
  await readiness(503);
  await publish([ids[2]!]);
  await nats.open();
  await dispatched(ids[2]);
  await readiness(200);
  await publish([ids[3]!]);
  await dispatched(ids[3]);
  assert.equal(child.exitCode, null);
});

test("a user whose erasure was requested over HTTP is erased, and disconnected before and after", async (t) => {
  const { pool, tenant, realtime, start } = await running(t);
  const tenantId = await tenant();
  await anEvent(pool, { tenant_id: tenantId, user_id: "ann" });
  await pool.sql`insert into erasures (id, tenant_id, user_hash, user_id)
    values (gen_random_uuid(), ${tenantId}, '\\x00', 'ann')`;
  start();
  await eventually(async () => {
    const rows = await pool.sql`select state, user_id, deleted from erasures`;
    return rows[0].state === "done" && rows[0].user_id === null && rows[0].deleted.events === 1;
  });
  assert.equal((await pool.query("select from events")).rowCount, 0);
  const kinds = () => realtime.map(({ message }) => message.kind);
  await eventually(() => kinds().length === 2);
  assert.deepEqual(kinds(), ["disconnect", "disconnect"]);
});
