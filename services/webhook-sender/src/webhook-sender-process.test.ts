import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { WEBHOOK } from "@belfry/contracts/channels";
import { storedReason } from "@belfry/contracts/reasons";
import { deliveriesStream, deliveriesSubject } from "@belfry/contracts/streams";
import { createLogger } from "@belfry/service/logger";
import { connectNats } from "@belfry/service/nats";
import { createPublisher } from "@belfry/service/publish";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { startProcess } from "@belfry/testing/processes";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { Webhook } from "standardwebhooks";
import { createWebhookFixture, SECRETS_KEYS } from "../test/webhook-fixture.ts";

/** The sender as a process, fed through JetStream. */
async function createStage(t: TestContext) {
  const prefix = testPrefix(t);
  const fixture = await createWebhookFixture(t);
  const log = createLogger({ service: "test", level: "silent" });
  const nats = await connectNats({ url: testNatsUrl(), name: "test", log });
  t.after(() => nats.close());
  const publisher = createPublisher({ nats, streams: [deliveriesStream(prefix)], log });
  return {
    ...fixture,
    start: (env: Record<string, string> = {}) =>
      startProcess(t, {
        main: new URL("./main.ts", import.meta.url),
        env: {
          DATABASE_URL: fixture.url,
          NATS_URL: testNatsUrl(),
          NATS_PREFIX: prefix,
          SECRETS_KEYS,
          ALLOW_PRIVATE_WEBHOOK_ADDRESSES: "true",
          ...env,
        },
      }),
    publish: (tenantId: string, ids: string[]) =>
      publisher.publishIds(
        deliveriesSubject(prefix, WEBHOOK, tenantId),
        ids.map((id) => ({ id, traceId: "t" })),
      ),
  };
}

test("a sender killed during a call: another posts the same message with the same webhook-id", async (t) => {
  const stage = await createStage(t);
  const server = await startRecordingServer(t);
  server.answer = { instead: "hang" };
  const endpoint = await stage.endpoint(await stage.tenant(), server.url);
  const [id] = await stage.told(endpoint);
  const killed = await stage.start();
  // However late the kill comes, the call has no end: that no answer came cannot be written down.
  await stage.pool.query(`
    create function no_end() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
    create trigger no_end before update on deliveries for each row when (new.status = 'waiting')
      execute function no_end()`);
  await stage.publish(endpoint.tenantId, [id!]);
  await server.received(1);
  await killed.kill();
  await stage.pool.query("update deliveries set claimed_until = now() + interval '1 hour'");
  await stage.pool.query("drop trigger no_end on deliveries");

  server.answer = { status: 204 };
  const other = await stage.start();
  await stage.publish(endpoint.tenantId, [id!]);
  await eventually(async () => {
    const metrics = await fetch(`http://127.0.0.1:${other.managementPort}/metrics`);
    return /^belfry_messages_total\{.*outcome="retried"\} [1-9]/m.test(await metrics.text());
  });
  assert.equal(server.requests.length, 1, "the lease holds");
  await stage.pool.query("update deliveries set claimed_until = now()");
  await stage.publish(endpoint.tenantId, [id!]);
  await eventually(async () => (await stage.row(id!)).status === "accepted");

  const [first, second, ...more] = server.requests;
  assert.equal(more.length, 0);
  assert.deepEqual([first!.headers["webhook-id"], second!.headers["webhook-id"]], [id, id]);
  assert.equal(first!.body, second!.body);
  const judge = new Webhook(endpoint.secret);
  for (const { body, headers } of [first!, second!]) {
    judge.verify(body, headers as Record<string, string>);
  }
  const attempts = await stage.attempts(id!);
  assertEach(attempts, ({ number, class: ended, reason }) => [number, ended, reason], [
    [1, "ambiguous", storedReason("sender-died")],
    [2, "accepted", "it answered 204"],
  ]);
  const row = await stage.row(id!);
  assert.deepEqual([row.attempts, row.retries], [2, 1]);
  assert.ok(!other.lines.join("\n").includes(endpoint.secret), "no secret in the log");
});

test("SIGTERM lets the call in hand finish, and its end is written down", async (t) => {
  const stage = await createStage(t);
  const server = await startRecordingServer(t);
  const letGo = Promise.withResolvers<void>();
  server.answer = { status: 204, after: letGo.promise };
  const endpoint = await stage.endpoint(await stage.tenant(), server.url);
  const [id] = await stage.told(endpoint);
  const sender = await stage.start();
  await stage.publish(endpoint.tenantId, [id!]);
  await server.received(1);
  const stopped = sender.stop();
  await eventually(() => sender.logs().some(({ msg }) => msg === "stopping"));
  letGo.resolve();
  assert.equal(await stopped, 0);
  assert.equal((await stage.row(id!)).status, "accepted");
  assert.equal(sender.errors(), "");
});
