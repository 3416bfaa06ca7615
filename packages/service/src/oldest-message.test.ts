import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deliveriesConsumer,
  deliveriesStream,
  type StreamDefinition,
} from "@belfry/contracts/streams";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { ownNatsServer } from "@belfry/testing/nats-server";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { createLogger } from "./logger.ts";
import { connectNats } from "./nats.ts";
import { oldestMessageMs, oldestUndeliveredMs } from "./oldest-message.ts";
import { ensureConsumer, ensureStreams } from "./streams.ts";

test("a stream is as old as the oldest message that it still holds, and an empty one holds none", async (t) => {
  const prefix = testPrefix(t);
  const log = createLogger({ service: "test", level: "silent" });
  const { nc, close } = await connectNats({ url: testNatsUrl(), name: "test", log });
  t.after(close);
  const stream: StreamDefinition = {
    name: `${prefix}-work`,
    subjects: [`${prefix}.work.*`],
    maxBytes: 1024 * 1024,
    duplicateWindowMs: 1000,
  };
  await ensureStreams(nc, [stream], { log });
  assert.equal(await oldestMessageMs(nc, stream), undefined);
  const beganAtMs = Date.now();
  const first = await jetstream(nc).publish(`${prefix}.work.a`, "first");
  const betweenAtMs = Date.now();
  await jetstream(nc).publish(`${prefix}.work.b`, "second");
  const askedAtMs = Date.now();
  const ageMs = await oldestMessageMs(nc, stream);
  assert.ok(ageMs !== undefined && ageMs >= askedAtMs - betweenAtMs - 1, `${ageMs} ms`);
  assert.ok(ageMs <= Date.now() - beganAtMs + 1, `${ageMs} ms`);
  const manager = await jetstreamManager(nc, { checkAPI: false });
  await manager.streams.deleteMessage(stream.name, first.seq);
  const youngerMs = await oldestMessageMs(nc, stream);
  assert.ok(youngerMs !== undefined && youngerMs <= Date.now() - betweenAtMs + 1);
});

test("of a consumer the oldest message counts that nobody has been given, also after the server was killed", async (t) => {
  const log = createLogger({ service: "test", level: "silent" });
  const server = await ownNatsServer(t);
  const { nc, close } = await connectNats({ url: server.url, name: "test", log });
  t.after(close);
  const stream = deliveriesStream("p");
  const consumer = deliveriesConsumer("p", "EMAIL");
  const undelivered = () => oldestUndeliveredMs(nc, consumer);
  await ensureStreams(nc, [stream], { log });
  await assert.rejects(undelivered(), /consumer not found/);
  await ensureConsumer(nc, stream, consumer, { log, replicas: 1, signal: t.signal });
  assert.equal(await undelivered(), undefined);
  const publish = (subject: string) => jetstream(nc).publish(`p.deliveries.${subject}`, "x");
  await publish("SMS.acme");
  assert.equal(await undelivered(), undefined, "of another consumer");

  await publish("EMAIL.acme");
  const betweenAtMs = Date.now();
  const { seq } = await publish("EMAIL.acme");
  const given = await (await jetstream(nc).consumers.get(stream.name, consumer.durable)).next();
  assert.ok(given !== null && given.seq === seq - 1);
  const ageMs = await undelivered();
  assert.ok(ageMs !== undefined && ageMs <= Date.now() - betweenAtMs + 1, `${ageMs} ms`);

  const back = statusOf(nc, "reconnect");
  await server.kill();
  await server.start();
  await back;
  assert.ok((await undelivered()) !== undefined);
  const manager = await jetstreamManager(nc, { checkAPI: false });
  await manager.streams.deleteMessage(stream.name, seq);
  assert.equal(
    await undelivered(),
    undefined,
    "the other was given to somebody, acknowledged or not",
  );
});

async function statusOf(nc: NatsConnection, wanted: string): Promise<void> {
  for await (const { type } of nc.status()) if (type === wanted) return;
}
