import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  configurationSubject,
  deliveriesStream,
  deliveriesSubject,
} from "@belfry/contracts/streams";
import { createLogger } from "@belfry/service/logger";
import { connectNats } from "@belfry/service/nats";
import { createPublisher } from "@belfry/service/publish";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { startProcess } from "@belfry/testing/processes";
import { type Fixture, SECRETS_KEYS, TO } from "./sending-fixture.ts";
import { createShop } from "./shop.ts";
import { accept, deliveryOf, hang, status } from "./vendor.ts";

/** The email sender as a process, fed through JetStream. */
async function createStage(t: TestContext, answer?: Parameters<typeof createShop>[1]) {
  const prefix = testPrefix(t);
  const { fixture, ...shop } = await createShop(t, answer);
  const log = createLogger({ service: "test", level: "silent" });
  const nats = await connectNats({ url: testNatsUrl(), name: "test", log });
  t.after(() => nats.close());
  const streams = [deliveriesStream(prefix)];
  const publisher = createPublisher({ nats, streams, log });
  const stage = {
    ...fixture,
    start: (env: Record<string, string> = {}) =>
      startProcess(t, {
        main: new URL("../../../services/email-sender/src/main.ts", import.meta.url),
        env: {
          DATABASE_URL: fixture.url,
          NATS_URL: testNatsUrl(),
          NATS_PREFIX: prefix,
          SECRETS_KEYS,
          ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true",
          ...env,
        },
      }),
    publish: (tenantId: string, ids: string[]) =>
      publisher.publishIds(
        deliveriesSubject(prefix, "EMAIL", tenantId),
        ids.map((id) => ({ id, traceId: "t" })),
      ),
  };
  return { stage, nats, prefix, ...shop };
}

test("the process sends published deliveries, and SIGTERM lets the current call finish", async (t) => {
  const { stage, vendor, tenant, version } = await createStage(t);
  const sender = await stage.start();

  const first = await stage.delivery(tenant, version);
  await stage.publish(tenant, [first]);
  await eventually(async () => (await stage.row(first)).status === "accepted");

  const answers: (() => void)[] = [];
  vendor.answer = (response, call) => void answers.push(() => accept(response, call));
  const second = await stage.delivery(tenant, version);
  await stage.publish(tenant, [second]);
  await eventually(() => answers.length === 1);
  const stopped = sender.stop();
  await eventually(() => sender.logs().some(({ msg }) => msg === "stopping"));
  answers[0]!();
  assert.equal(await stopped, 0);
  assert.equal((await stage.row(second)).status, "accepted");
  assert.equal(sender.errors(), "");
  assert.ok(!sender.lines.join("\n").includes(TO), "no address in the log");
});

test("the other replicas hear at once that a circuit has opened", async (t) => {
  const { stage, nats, prefix, tenant, version } = await createStage(t, status(401));
  const heard = nats.nc.subscribe(configurationSubject(prefix), { max: 1 });
  await stage.start();
  await stage.publish(tenant, [await stage.delivery(tenant, version)]);
  for await (const _ of heard) break;
  assert.equal((await stage.pool.sql`select from provider_circuits`).length, 1);
});

test("a sender killed during a call: the delivery is sent again once its lease has ended", async (t) => {
  const { stage, vendor, tenant, version } = await createStage(t, hang);
  const id = await stage.delivery(tenant, version);
  const killed = await stage.start();
  await forbidEnds(stage);
  await stage.publish(tenant, [id]);
  await eventually(() => vendor.calls.length === 1);
  await killed.kill();
  await stage.pool.query("update deliveries set claimed_until = now() + interval '1 hour'");
  await stage.pool.query("drop trigger no_end on deliveries");

  vendor.answer = accept;
  const other = await stage.start();
  await stage.publish(tenant, [id]);
  await eventually(async () => {
    const metrics = await fetch(`http://127.0.0.1:${other.managementPort}/metrics`);
    return /^belfry_messages_total\{.*outcome="retried"\} [1-9]/m.test(await metrics.text());
  });
  assert.equal(vendor.calls.length, 1, "the lease holds");
  await stage.pool.query("update deliveries set claimed_until = now()");
  await stage.publish(tenant, [id]);
  await eventually(async () => (await stage.row(id)).status === "accepted");
  assert.deepEqual(vendor.calls.map(deliveryOf), [id, id]);
  const classes = (await stage.attempts(id)).map((attempt) => attempt.class);
  assert.deepEqual(classes, ["ambiguous", "accepted"]);
});

test("another sender sends a killed sender's deliveries as soon as the lease has ended, without anybody's help", async (t) => {
  const { stage, vendor, tenant, version } = await createStage(t, hang);
  const ids = [await stage.delivery(tenant, version), await stage.delivery(tenant, version)];
  const leaseMs = 6_000;
  const waits = { LEASE_MS: String(leaseMs), DELIVERY_ACK_WAIT_MS: String(leaseMs) };
  const env = { PROVIDER_TIMEOUT_MS: "1000", ...waits };
  const killed = await stage.start(env);
  await forbidEnds(stage);
  await stage.publish(tenant, ids);
  await eventually(() => vendor.calls.length === 2);
  await killed.kill();
  await stage.pool.query("drop trigger no_end on deliveries");

  vendor.answer = accept;
  await stage.start(env);
  await eventually(() => vendor.calls.length === 4);
  assert.deepEqual(vendor.calls.slice(2).map(deliveryOf).sort(), ids.toSorted());
  for (const id of ids) {
    const [first, second] = await stage.attempts(id);
    const afterMs = second.started_at - first.started_at;
    assert.ok(afterMs >= leaseMs, `the lease holds: ${afterMs} ms`);
    await eventually(async () => (await stage.row(id)).status === "accepted");
  }
});

test("if connections to Postgres die under 500 emails, the process stays, and each email leaves once", async (t) => {
  const { stage, vendor, tenant, version } = await createStage(t);
  const ids = await Promise.all(Array.from({ length: 500 }, () => stage.delivery(tenant, version)));
  // Every tenth claim or settlement ends its connection, eight times.
  await stage.pool.query(`create sequence written;
    create function die() returns trigger language plpgsql as $$
    declare n bigint := nextval('written');
    begin
      if n % 10 = 0 and n <= 80 then perform pg_terminate_backend(pg_backend_pid()); end if;
      return null;
    end $$;
    create trigger die after insert or update on attempts for each statement execute function die()`);
  // Few slots, so that most of a message waits while its claims are under way.
  const sender = await stage.start({ CONCURRENCY: "16" });
  for (let at = 0; at < ids.length; at += 100) {
    await stage.publish(tenant, ids.slice(at, at + 100));
  }
  const left = `select status, reason, count(*)::integer from deliveries
    where status <> 'accepted' group by 1, 2`;
  await eventually(
    async () => {
      await releaseResting(stage, tenant);
      assert.deepEqual((await stage.pool.query(left)).rows, []);
    },
    { timeoutMs: 240_000, everyMs: 200 },
  );
  assert.equal(await sender.stop(), 0, sender.errors());
  assert.deepEqual(vendor.calls.map(deliveryOf).sort(), ids.toSorted());
});

/** The call never ends, so the test does not depend on when the kill comes. */
async function forbidEnds({ pool }: Pick<Fixture, "pool">): Promise<void> {
  await pool.query(`
    create function no_end() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
    create trigger no_end before update on deliveries for each row when (new.status = 'waiting')
      execute function no_end()`);
}

/** Does the work of the release loop: deliveries that were put back without an attempt leave again. */
async function releaseResting(
  { pool, publish }: Awaited<ReturnType<typeof createStage>>["stage"],
  tenantId: string,
): Promise<void> {
  const rows = await pool.sql<{ id: string }>`update deliveries set released_at = now()
    where status = 'queued' and released_at is null and due_at <= now() returning id`;
  if (rows.length > 0) {
    await publish(
      tenantId,
      rows.map(({ id }) => id),
    );
  }
}
